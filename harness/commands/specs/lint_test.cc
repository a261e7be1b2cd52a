// assay lint, and what it says of specs that are not what they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Lint : public ::testing::Test {
 protected:
  Lint() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::path(::testing::TempDir()) / "lint" / info->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~Lint() override { fs::remove_all(dir_); }

  static CommandResult assay(std::vector<std::string> words) {
    words.insert(words.begin(), ASSAY_BINARY_DIR "/bin/assay");
    return testing::run_command(words, {});
  }
  static std::string specs() {
    return ASSAY_SOURCE_DIR "/harness/testing/specs";
  }

  // A spec of neg in f32 with one group of cases, linted.
  CommandResult lint_neg(const std::string& value, const std::string& accuracy,
                         const std::string& c1, const std::string& profile,
                         const std::string& more = "") {
    const fs::path file = dir_ / "neg.yaml";
    std::ofstream(file) << "op: neg\n"
                           "aten: aten.neg.default\n"
                        << more
                        << "doc: The negative of each element.\n"
                           "params: {x: {tensor: T, shape: [S...]}}\n"
                           "dtypes: {T: [f32]}\n"
                           "result: {dtype: T, shape: shape(x)}\n"
                           "value: {V1: \"out[i...] = "
                        << value
                        << "\"}\n"
                           "accuracy:\n"
                           "  A1: {"
                        << accuracy
                        << "}\n"
                           "cases:\n"
                           "  C1: {"
                        << c1 << "}\n";
    return assay(
        {"lint", file.string(), "--profile", profile, "--specs", specs()});
  }

  fs::path dir_;
};

TEST_F(Lint, WhatIsSolvedIsStoredAndLinted) {
  const fs::path folder = dir_ / "specs";
  fs::copy(specs(), folder, fs::copy_options::recursive);
  const fs::path file = folder / "boundaries.yaml";
  std::ofstream(file) << "log/bf16/sign: [0x3f7e]\n"
                         "log/f16/sign: [0x3bff]\n";
  const CommandResult solved =
      assay({"boundaries", "log", "exp2", "--dtype", "bf16", "--write",
             "--specs", folder.string()});
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("exp2/bf16/overflow: [0x42ff]\n"));
  std::string stored = testing::slurp(file);
  EXPECT_THAT(stored, StartsWith("# "));
  EXPECT_THAT(stored, HasSubstr("`assay boundaries --write`"));
  EXPECT_THAT(stored, HasSubstr("exp2/bf16/overflow: [0x42ff]\n"));
  EXPECT_THAT(stored, HasSubstr("log/bf16/hardest: {0x"));
  EXPECT_THAT(stored, HasSubstr("log/bf16/sign: [0x8001, 0x3f7f]\n"
                                "log/bf16/underflow: [0x3f7f, 0x3f80]\n"
                                "log/f16/sign: [0x3bff]\n"));
  const auto lint = [&] { return assay({"lint", "--specs", folder.string()}); };
  EXPECT_EQ(lint().exit_code, 0) << lint().out;
  const std::size_t at = stored.find("0x42ff");
  std::ofstream(file) << stored.replace(at, 6, "0x42fe");
  const auto line =
      1 + std::count(stored.begin(),
                     stored.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  EXPECT_EQ(lint().exit_code, 2);
  EXPECT_THAT(lint().out,
              HasSubstr("boundaries.yaml:" + std::to_string(line) +
                        ":22: 0x42fe of exp2/bf16/overflow is no boundary"));
}

TEST_F(Lint, FilesThatAreLintedStandAlone) {
  const fs::path good = fs::path(specs()) / "ops" / "neg.yaml";
  const CommandResult r = assay({"lint", good.string(), "--specs", specs()});
  EXPECT_EQ(r.exit_code, 0) << r.out;
  std::ofstream(dir_ / "bad.yaml") << "op: neg\nop: neg\n";
  const CommandResult bad =
      assay({"lint", (dir_ / "bad.yaml").string(), "--specs", specs()});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.out, HasSubstr("bad.yaml:2:1: "));
}

// A share that no case needs would hide the next case that tells nothing.
TEST_F(Lint, ADeclaredShareIsMeasured) {
  const auto lint = [&](const std::string& x, const std::string& profile) {
    return lint_neg(
        "-x[i...]", "abs: 0.25",
        "shapes: [{S: [10]}], vacuous: 0.4, inputs: {x: {values: " + x + "}}",
        profile);
  };
  // Zero is within the bound of what is near to it.
  const std::string four = "[0.125, 0.2, 0.1, -0.2, 5, 6, -7, 8, -9, 10]";
  const std::string two = "[0.125, 0.2, 3, -4, 5, 6, -7, 8, -9, 10]";
  const std::string none = "[1, 2, 3, -4, 5, 6, -7, 8, -9, 10]";
  EXPECT_THAT(lint(four, "full").out, HasSubstr("0 errors"));
  EXPECT_THAT(lint(two, "full").out, HasSubstr("0 errors"));
  const CommandResult wide = lint(none, "full");
  EXPECT_EQ(wide.exit_code, 2);
  EXPECT_THAT(wide.out, HasSubstr("neg/C1: `vacuous` is 0.4, but no case of "
                                  "it needs more than 0.000; leave it out"));
  // A part of the cases says nothing of what the others need.
  EXPECT_THAT(lint(none, "quick").out, Not(HasSubstr("vacuous")));
}

// What an operation tells that writes is for its twin's cases to say.
TEST_F(Lint, WhoWritesDeclaresNoShare) {
  const CommandResult r = lint_neg("-x[i...]", "abs: 0.25", "shapes: [[10]]",
                                   "full", "inplace: true\n");
  EXPECT_EQ(r.exit_code, 0) << r.out;
  EXPECT_THAT(r.out, Not(HasSubstr("vacuous")));
}

// A term that no case needs, or that admits what nothing excuses.
TEST_F(Lint, TermsOfAccuracyAreMeasured) {
  const auto lint = [&](const std::string& accuracy, const std::string& x,
                        const std::string& profile = "full") {
    return lint_neg(
        "where(abs(x[i...]) < 1, 0, -x[i...])", accuracy,
        "shapes: [{S: [9]}], vacuous: 0.5, inputs: {x: {values: " + x + "}}",
        profile);
  };
  const std::string large = "[2, -3, 4, 5, -6, 7, 8, 9, 10]";
  const std::string zero = "[0.5, -3, 4, 5, -6, 7, 8, 9, 10]";
  const std::string any = "bound: exact, zero_sign: any";
  const CommandResult open = lint(any, large);
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_THAT(open.out, HasSubstr("neg.yaml:9:3: neg/A1: `zero_sign: any`, but "
                                  "no case has a zero of one sign"));
  EXPECT_THAT(lint(any, zero).out, Not(HasSubstr("zero_sign")));
  // A part of the cases says nothing of what the others need.
  EXPECT_THAT(lint(any, large, "quick").out, Not(HasSubstr("zero_sign")));
  EXPECT_THAT(lint("ulp: 2, abs: 1e-9", large).out,
              HasSubstr("`abs` is nowhere larger than `ulp`"));
  EXPECT_THAT(lint("ulp: 2, abs: 1e-5", large).out, Not(HasSubstr("`abs`")));
  EXPECT_THAT(
      lint("ulp: 2, abs: 1e-5", zero).out,
      HasSubstr("`abs` admits other numbers where the value is zero and "
                "nothing cancels, in 1 elements, of neg/C1/f32/9"));
  EXPECT_THAT(lint("abs: 1e39", large).out,
              HasSubstr("its bound reaches the end of the format from values "
                        "below the last binade, in 9 elements"));
}

}  // namespace
}  // namespace assay::harness
