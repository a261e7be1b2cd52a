// assay compile: every stage of a program, and what a name gets that is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/testing/command.h"
#include "harness/testing/workers.h"

namespace assay::harness {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

CommandResult compile(std::vector<std::string> words) {
  words.insert(words.begin(), {ASSAY_BINARY_DIR "/bin/assay", "compile"});
  return testing::run_command(words, {});
}

class Compile : public ::testing::Test {
 protected:
  Compile() {
    file_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("compile_") +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    write(
        "%0 = input f32[2, 9]\n"
        "%1 = aten._to_copy.default(%0, dtype=f16)\n"
        "%2 = aten._to_copy.default(%1, dtype=f32)\n"
        "%3 = aten._to_copy.default(%2, dtype=f16)\nreturn %3\n");
  }
  ~Compile() override { std::filesystem::remove(file_); }
  void write(const std::string& lines) {
    std::ofstream(file_) << "assay-program 1\n" << lines;
  }
  std::filesystem::path file_;
};

TEST_F(Compile, PrintsEachStage) {
  const struct {
    const char* stage;
    const char* holds;
  } kStages[] = {
      {"graph", "%1 = round f16[2, 9] %0 cast#1\nreturn %1\n"},
      {"nest", "kernel 0: loop i0 < 18\n  v0 = load f32 b0[i0]\n"},
      {"c++", "static void k0("},
      {"asm", "assay_kernels:"},
      {"ledger",
       "cast#2 round f32 -> f16 (%3 aten._to_copy.default): "
       "retired"},
      {"guards", ""},
  };
  std::vector<std::string> all = {file_.string()};
  for (const auto& s : kStages) {
    const CommandResult r = compile({file_.string(), "--emit", s.stage});
    EXPECT_EQ(r.exit_code, 0) << s.stage << r.err;
    EXPECT_THAT(r.out, HasSubstr(s.holds)) << s.stage;
    EXPECT_THAT(r.out, Not(StartsWith("== ")));
    all.insert(all.end(), {"--emit", s.stage});
  }
  const CommandResult r = compile(all);
  EXPECT_THAT(r.out, StartsWith("== graph ==\n%0 = input f32[2, 9]"));
  for (const auto& s : kStages) {
    EXPECT_THAT(r.out, AllOf(HasSubstr("== " + std::string(s.stage) + " =="),
                             HasSubstr(s.holds)));
  }
}

TEST_F(Compile, PrintsTheGraphAfterAPass) {
  const CommandResult before =
      compile({file_.string(), "--print-after", "import"});
  EXPECT_EQ(before.exit_code, 0) << before.err;
  EXPECT_THAT(before.out, HasSubstr("%3 = round f16[2, 9] %2 cast#2\n"));
  const CommandResult after =
      compile({file_.string(), "--print-after", "drop_lossless_pairs"});
  EXPECT_THAT(after.out,
              AllOf(HasSubstr("return %1\n"), Not(HasSubstr("cast#2"))));
  const CommandResult both = compile({file_.string(), "--print-after",
                                      "import,merge_equal", "--emit", "nest"});
  EXPECT_THAT(both.out, AllOf(StartsWith("== graph after import ==\n"),
                              HasSubstr("== graph after merge_equal ==\n"),
                              HasSubstr("== nest ==\n")));
}

TEST_F(Compile, TakesCasesAndNames) {
  const CommandResult one =
      compile({"cast_round_trip/f16/transposed", "--emit", "graph"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr(" = round f16"));
  const CommandResult row = compile({"softmax", "--emit", "nest"});
  EXPECT_EQ(row.exit_code, 0) << row.err;
  EXPECT_THAT(row.err, HasSubstr("softmax is the case softmax/C"));
  EXPECT_THAT(row.out, HasSubstr("reduce.sum"));
}

TEST_F(Compile, TakesTargetsAndOptions) {
  write("%0 = input f32[9]\n%1 = aten.neg.default(%0)\nreturn %1\n");
  const CommandResult hand = compile({file_.string()});
  EXPECT_THAT(hand.out, HasSubstr("map.neg"));
  const CommandResult derived =
      compile({file_.string(), "--option", "lowering=derived"});
  EXPECT_EQ(derived.exit_code, 0) << derived.err;
  EXPECT_THAT(derived.out, HasSubstr("formula"));
  const CommandResult old =
      compile({file_.string(), "--target", "baseline", "--emit", "asm"});
  EXPECT_EQ(old.exit_code, 0) << old.err;
  EXPECT_THAT(old.out, Not(HasSubstr("%ymm")));
}

TEST_F(Compile, PrintsCudaText) {
  Worker compiler(testing::subject("bundled{target=cuda-sm_90}"));
  if (const auto why = testing::missing_nvrtc(compiler); !why.empty()) {
    GTEST_SKIP() << "CUDA text is compiled by NVRTC: " << why;
  }
  write("%0 = input f32[9]\n%1 = aten.neg.default(%0)\nreturn %1\n");
  const CommandResult cuda = compile(
      {file_.string(), "--target", "cuda-sm_90", "--emit", "cuda,ptx,nest"});
  EXPECT_EQ(cuda.exit_code, 0) << cuda.err;
  EXPECT_THAT(cuda.out,
              AllOf(HasSubstr("__global__"), HasSubstr(".target sm_90\n"),
                    HasSubstr("kernel 0: loop i0 < 9\n")));
}

TEST_F(Compile, SaysWhatThereIsInsteadOfABadName) {
  const std::string file = file_.string();
  const struct {
    std::vector<std::string> words;
    const char* message;
  } kBad[] = {
      {{file, "--emit", "grph"},
       "there is no stage 'grph' (did you mean 'graph'?); there are graph, "
       "ledger, guards, nest, c++, sizes, asm"},
      {{file, "--emit", "graph,ptx"}, "there is no stage 'ptx'"},
      {{file, "--print-after", "fuse"}, "there is no pass 'fuse'"},
      {{file, "--print-after", "fuse"},
       "; there are import, drop_unused, drop_lossless_pairs, merge_equal, "
       "inline_gathered"},
      {{file, "--target", "avx3"}, "has no target cpu-avx3; it has cpu-"},
      {{file, "--option", "lowering"}, "--option lowering is not NAME=VALUE"},
      {{file, "--option", "speed=high"}, "unknown option speed=high"},
      {{file, "--subject", "bundled", "--target", "avx2"}, "excludes"},
      {{file, "--subject", "nobody"}, "nobody"},
      {{"softmaxx"},
       "'softmaxx' is no file of a program's text, and there is "
       "no case 'softmaxx'; did you mean softmax"},
      {{}, "PROGRAM is required"},
  };
  for (const auto& bad : kBad) {
    const CommandResult r = compile(bad.words);
    EXPECT_EQ(r.exit_code, 2) << bad.message;
    EXPECT_THAT(r.err, HasSubstr(bad.message));
    EXPECT_THAT(r.out, IsEmpty());
  }
  write("%0 = input f32[9]\nreturn %1\n");
  const CommandResult r = compile({file});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr(file + ": "));
}

TEST_F(Compile, SaysWhyAProgramIsNotCompiled) {
  write("%0 = input bool[9]\n%1 = aten.neg.default(%0)\nreturn %1\n");
  const CommandResult refused = compile({file_.string()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("refuses the program by neg/E1: RuntimeError: "));
  write("%0 = input u64[9]\n%1 = aten.neg.default(%0)\nreturn %1\n");
  const CommandResult unsupported = compile({file_.string()});
  EXPECT_EQ(unsupported.exit_code, 1);
  EXPECT_THAT(unsupported.err, HasSubstr("u64"));
}

}  // namespace
}  // namespace assay::harness
