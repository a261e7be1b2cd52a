// assay show, and the instructions it names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/commands/cases/instruction_path.h"
#include "harness/testing/command.h"
#include "harness/testing/workers.h"

namespace assay::harness {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;

std::string module_of(const std::string& body) {
  return ".version 8.7\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 p) {\n"
         ".reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
         ".reg .f32 %f<9>;\n.reg .pred %p<9>;\n" +
         body + "\nret;\n}\n";
}

TEST(InstructionPath, CountsWhatComputes) {
  const std::string text = module_of(
      "ld.param.u64 %d1, [p];\nld.global.f32 %f1, [%d1];\n"
      "fma.rn.f32 %f2, %f1, %f1, %f1;\nlg2.approx.ftz.f32 %f3, %f2;\n"
      "fma.rn.f32 %f2, %f3, %f1, %f1;\nadd.s32 %r1, %r2, %r3;\n"
      "st.global.f32 [%d1], %f2;");
  EXPECT_EQ(*instruction_path(text),
            "fma.rn.f32 (2), lg2.approx.ftz.f32; 1 of integers and bits");
  EXPECT_EQ(*instruction_path(text + text),
            "fma.rn.f32 (4), lg2.approx.ftz.f32 (2); 2 of integers and bits");
  EXPECT_EQ(*instruction_path(module_of("shl.b32 %r1, %r2, 3;")),
            "1 of integers and bits");
  EXPECT_FALSE(instruction_path(".version 8.7\n.entry k(").ok());
}

CommandResult show(std::vector<std::string> words) {
  words.insert(words.begin(), {ASSAY_BINARY_DIR "/bin/assay", "show"});
  return testing::run_command(words, {});
}

TEST(Show, HasALineForEachTarget) {
  const CommandResult r =
      show({"e8m0_encode*", "--subject", "bundled", "--subject",
            "bundled{target=cuda-sm_90}", "--subject",
            "bundled{target=cuda-sm_100f,run=false}"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("e8m0_encode, quick profile\n"));
  EXPECT_THAT(r.out, HasSubstr("e8m0_encode_direct, quick profile\n"));
  EXPECT_THAT(r.out, HasSubstr("bundled/cpu"));
  EXPECT_THAT(r.out, Not(HasSubstr("FAIL")));
  Worker compiler(testing::subject("bundled{target=cuda-sm_90}"));
  if (const auto why = testing::missing_nvrtc(compiler); !why.empty()) {
    GTEST_SKIP() << "GPU columns are shown where NVRTC is: " << why;
  }
  EXPECT_THAT(r.out, HasSubstr("(emulated)  "));
  EXPECT_THAT(r.out, HasSubstr("(compiled_linted)  "));
  EXPECT_THAT(r.out, HasSubstr(" of integers and bits\n"));
}

TEST(Show, ComplainsOfWhatIsNotThere) {
  EXPECT_EQ(show({"e8m0_encoder"}).exit_code, 2);
  EXPECT_EQ(show({"neg", "--device", "tpu"}).exit_code, 2);
  EXPECT_EQ(show({"neg", "--subject", "nobody"}).exit_code, 2);
}

}  // namespace
}  // namespace assay::harness
