// assay fuzz finds the bundled compiler's defects, and reports what workers
// do that die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

class FuzzCommand : public ::testing::Test {
 protected:
  FuzzCommand() {
    dir_ = fs::path(::testing::TempDir()) / "fuzz_command";
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~FuzzCommand() override { fs::remove_all(dir_); }

  CommandResult fuzz(const std::string& subject,
                     const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        std::string(ASSAY_BINARY_DIR) + "/bin/assay",
        "fuzz",
        "--subject",
        subject,
        "--out",
        dir_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words, {});
  }

  std::string all_specs() const {
    std::string text;
    for (const auto& e : fs::directory_iterator(dir_)) text += slurp(e.path());
    return text;
  }

  fs::path dir_;
};

struct Hunt {
  const char* defect;
  const char* seed;   // what it draws changes with the specs' cases
  const char* found;  // of the report
};

class Defects : public FuzzCommand,
                public ::testing::WithParamInterface<Hunt> {};

// Within so many programs. The smallest program is the one that a person
// would write.
TEST_P(Defects, AreFoundAndReduced) {
  const CommandResult r = fuzz(
      std::string("bundled{defect=") + GetParam().defect + ",engine=graph}",
      {"--seed", GetParam().seed, "--count", "120", "--limit", "80"});
  const std::string seed = GetParam().seed;
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, ContainsRegex(GetParam().found));
  EXPECT_THAT(r.out, HasSubstr("./assay fuzz --seed " + seed + " --program "));
  EXPECT_THAT(all_specs(), HasSubstr("program: fuzz_" + seed + "_"));
}

INSTANTIATE_TEST_SUITE_P(
    Fuzz, Defects,
    ::testing::Values(
        Hunt{"drop-cast", "2",
             "fail, elided, _to_copy/A1.*\n  2 steps, aten._to_copy.default\n"},
        Hunt{"lose-signed-zero", "3",
             "fail, wrong_value, mul/A1.*\n  1 step, aten.mul.Tensor\n"},
        Hunt{"nan-swallow-max", "4",
             "fail, wrong_value, (max|min)imum/A1.*\n"
             "  1 step, aten.(max|min)imum.default\n"},
        Hunt{"saturate-not-inf", "5",
             "fail, wrong_value, _to_copy/A1.*\n"
             "  1 step, aten._to_copy.default\n"}));

// The interpreters beside the compiled text disagree with it.
TEST_F(FuzzCommand, ComparesTheBundledCompilersExecutions) {
  const CommandResult r = fuzz("bundled{defect=tail-off-by-one}",
                               {"--count", "12", "--limit", "0"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, ContainsRegex("engine=graph.*the same bits as bundled"));
}

// What dies on a program is one finding, and the run goes on.
TEST_F(FuzzCommand, SurvivesItsWorkers) {
  const fs::path worker = dir_ / "worker";
  std::ofstream(worker) << "#!/bin/sh\nexec " ASSAY_BINARY_DIR
                           "/bin/negation_worker --crash 15 --wrong 5 \"$@\"\n";
  ::chmod(worker.c_str(), 0700);
  const CommandResult r =
      fuzz("worker:" + worker.string(),
           {"--specs", std::string(ASSAY_SOURCE_DIR) + "/harness/testing/specs",
            "--count", "200", "--limit", "40"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("seed 1, 200 programs from 0 on"));
  EXPECT_THAT(r.out, ContainsRegex("crash.*\n  1 step, aten.neg.default"));
  EXPECT_THAT(r.out, ContainsRegex("wrong_value.*\n  1 step, aten.neg"));
}

TEST_F(FuzzCommand, RepeatsOneProgram) {
  const CommandResult a =
      fuzz("bundled{engine=graph}", {"--program", "5", "--seed", "3"});
  EXPECT_EQ(a.exit_code, 0) << a.err;
  EXPECT_THAT(a.out, HasSubstr("assay-program 1\n"));
  EXPECT_THAT(a.out, HasSubstr("1 program from 5 on"));
  EXPECT_EQ(
      fuzz("bundled{engine=graph}", {"--program", "5", "--seed", "3"}).out,
      a.out);
}

}  // namespace
}  // namespace assay::harness
