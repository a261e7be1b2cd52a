// assay reduce on the bundled compiler's defects and on a test worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

class Reduce : public ::testing::Test {
 protected:
  Reduce() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::path(::testing::TempDir()) / "reduce" / info->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~Reduce() override { fs::remove_all(dir_); }

  CommandResult assay(std::vector<std::string> words) const {
    words.insert(words.begin(), ASSAY_BINARY_DIR "/bin/assay");
    return run_command(words, {});
  }
  CommandResult reduce(const std::string& path, const std::string& subject,
                       std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"reduce", path, "--subject", subject, "--out",
                               dir_.string(), "--name", "smallest"});
    return assay(more);
  }
  // The negation worker with arguments.
  std::string worker(const std::string& arguments) const {
    const fs::path file = dir_ / "worker";
    std::ofstream(file) << "#!/bin/sh\nexec " ASSAY_BINARY_DIR
                           "/bin/negation_worker "
                        << arguments << " \"$@\"\n";
    ::chmod(file.c_str(), 0700);
    return "worker:" + file.string();
  }
  static std::vector<std::string> test_specs() {
    return {"--specs", ASSAY_SOURCE_DIR "/harness/testing/specs"};
  }
  // The spec that was written is one that lint has nothing against.
  void expect_lint_accepts() const {
    const CommandResult r = assay({"lint", (dir_ / "smallest.yaml").string()});
    EXPECT_EQ(r.exit_code, 0) << r.out << slurp(dir_ / "smallest.yaml");
  }
  std::string spec() const { return slurp(dir_ / "smallest.yaml"); }

  fs::path dir_;
};

TEST_F(Reduce, LeavesTheCastThatVanishes) {
  const CommandResult r =
      reduce("cast_round_trip/f16/transposed", "bundled{defect=drop-cast}");
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("fail, elided, _to_copy/A1\n"
                               "from 3 steps, 1 operand, 20 elements\n"
                               "to   2 steps, 1 operand, 1 element,"));
  EXPECT_THAT(r.out, HasSubstr("failed in 3 of 3 runs\n"));
  EXPECT_THAT(spec(), HasSubstr("dtype=f16"));
  EXPECT_THAT(spec(), Not(HasSubstr("aten.sum")));
  EXPECT_THAT(slurp(dir_ / "smallest.py"), HasSubstr("def program(x0):"));
  expect_lint_accepts();
}

TEST_F(Reduce, LeavesTheRefusalThatIsLost) {
  const CommandResult r =
      reduce("attention_half_value_core/2", "bundled{defect=skip-guard}");
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("fail, lost_error, matmul/E4\n"));
  EXPECT_THAT(r.out, HasSubstr("to   1 step, 2 operands, 2 elements,"));
  EXPECT_THAT(spec(), HasSubstr("raises: matmul/E4\n"));
  expect_lint_accepts();
}

TEST_F(Reduce, LeavesTheContradiction) {
  const CommandResult r =
      reduce("multiply_add/7/f32", "bundled{defect=contract-fma}");
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("fail, incoherent, add/A1\n"));
  EXPECT_THAT(r.out, HasSubstr("to   2 steps, "));
  EXPECT_THAT(spec(), HasSubstr("returns: [v0, v1]\n"));
  expect_lint_accepts();
}

// The failure hangs on the number of elements.
TEST_F(Reduce, KeepsASizeThatMatters) {
  const CommandResult r =
      reduce("neg/C2/f32/3x5", worker("--wrong 5 --crash 15"), test_specs());
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("crash"));
  const CommandResult wrong =
      reduce("neg/C1/f32/5", worker("--wrong 5"), test_specs());
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("to   1 step, 1 operand, 5 elements,"));
  EXPECT_THAT(wrong.out, HasSubstr("fail, wrong_value, neg/A1\n"));
}

TEST_F(Reduce, SaysWhenItsLimitEndedIt) {
  auto more = test_specs();
  more.insert(more.end(), {"--limit", "1"});
  const CommandResult r = reduce("neg/C1/f32/5", worker("--wrong 5"), more);
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("may get smaller still"));
}

TEST_F(Reduce, PrintsARowOfATable) {
  auto more = test_specs();
  more.push_back("--markdown");
  const CommandResult r = reduce("neg/C1/f32/5", worker("--wrong 5"), more);
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("| fail, wrong_value, neg/A1 | 1 → 1 | 1 → 1 | "
                               "5 → 5 | neg.default |"));
}

TEST_F(Reduce, HasNothingToDoWhereNothingFails) {
  const CommandResult r = reduce("neg/C1/f32/5", worker(""), test_specs());
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("there is no failure to reduce"));
  EXPECT_EQ(reduce("neg/C1/f32", worker(""), test_specs()).exit_code, 2);
  EXPECT_EQ(reduce("neg/C1/f32/5", "nobody", test_specs()).exit_code, 2);
  EXPECT_FALSE(fs::exists(dir_ / "smallest.yaml"));
}

}  // namespace
}  // namespace assay::harness
