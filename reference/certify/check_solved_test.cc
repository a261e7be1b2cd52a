#include "reference/certify/check_solved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/load.h"

namespace assay::reference {
namespace {

std::vector<std::string> check(const std::string& text) {
  const language::LoadResult loaded = language::load_sources(
      {{"boundaries.yaml", text, language::SourceFile::Role::boundaries}});
  for (const language::Diagnostic& d : loaded.errors)
    ADD_FAILURE() << language::to_string(d);
  std::vector<std::string> out;
  for (const language::Fault& f : check_solved(loaded.specs.solved, 2)) {
    out.push_back(std::to_string(f.pos.line) + ":" +
                  std::to_string(f.pos.column) + ": " + f.message);
  }
  return out;
}

TEST(CheckSolved, IsContentWithWhatIsTrue) {
  EXPECT_THAT(check("acosh/f16/domain: [0x3bff]\n"
                    "exp/f32/overflow: [0x42b17217]\n"
                    "log/f32/sign: [0x3f7fffff]\n"
                    "rsqrt/f32/domain: [0x80000001]\n"
                    "sqrt/f32/hardest: {0x407fffff: -27.00}\n"
                    "tanh/f32/saturation: [0x41102cb3, 0xc1102cb4]\n"),
              testing::ElementsAre());
}

TEST(CheckSolved, NamesEveryPatternThatIsNotWhatItClaims) {
  EXPECT_THAT(
      check("exp/f32/overflow: [0x42b17217, 0x42b17218]\n"
            "exp/f32/sign: [0x42b17217]\n"
            "sign/f32/sign: [0x80000001]\n"
            "sqrt/f32/hardest: {0x407ffffe: -27.00, 0x3e800001: -26.01}\n"
            "exp/f32/hardest: {0x33800000: -26.00}\n"
            "exp2/f32/hardest: {0xc3160000: -30.00}\n"),
      testing::ElementsAre(
          "1:32: 0x42b17218 of exp/f32/overflow is no boundary: its result "
          "and that of the next element are alike in this",
          "2:16: 0x42b17217 of exp/f32/sign is no boundary: its result and "
          "that of the next element are alike in this",
          "3:17: 0x80000001 of sign/f32/sign is of a function that is not "
          "solved",
          testing::StartsWith("4:20: 0x407ffffe of sqrt/f32/hardest is 2^"),
          "4:40: 0x3e800001 of sqrt/f32/hardest is 2^-26.00 ulp from a "
          "midpoint, not 2^-26.01",
          "5:19: 0x33800000 of exp/f32/hardest is told by an expansion",
          "6:20: 0xc3160000 of exp2/f32/hardest is a midpoint itself"));
}

}  // namespace
}  // namespace assay::reference
