#include "harness/workers/plans/lint_expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program_text.h"

namespace assay::harness::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ptx::Expectation of(const std::string& lines) {
  const Result<Program> program = parse_program("assay-program 1\n" + lines);
  if (!program.ok()) {
    ADD_FAILURE() << program.error().message << "\n" << lines;
    return {};
  }
  return expectation_of(*program);
}

constexpr ptx::Cast kHalf = {DType::f32, DType::f16};

TEST(LintExpectation, NamesTheCastsThatLose) {
  EXPECT_THAT(of("%0 = input f32[4]\n"
                 "%1 = aten._to_copy.default(%0, dtype=f16)\n"
                 "%2 = aten._to_copy.default(%1, dtype=f32)\nreturn %2\n")
                  .casts,
              ElementsAre(kHalf));
  EXPECT_THAT(of("%0 = input f32[4]\n%1 = aten.exp.default(%0)\n"
                 "%2 = aten.view.default(%1, [2, 2])\n"
                 "%3 = aten._to_copy.default(%2, dtype=f16)\nreturn %3\n")
                  .casts,
              ElementsAre(kHalf));
  EXPECT_THAT(of("%0 = input f32[4]\n"
                 "%1 = aten._to_copy.default(%0, dtype=u8)\nreturn %1\n")
                  .casts,
              ElementsAre(ptx::Cast{DType::f32, DType::u8}));
  EXPECT_THAT(of("%0 = input i64[4]\n"
                 "%1 = aten._to_copy.default(%0, dtype=f32)\nreturn %1\n")
                  .casts,
              ElementsAre(ptx::Cast{DType::i64, DType::f32}));
}

TEST(LintExpectation, LeavesOutWhatLosesNothing) {
  for (const char* lines : {
           "%0 = input f16[4]\n%1 = aten._to_copy.default(%0, dtype=f32)\n"
           "return %1\n",
           // All elements are f16's still.
           "%0 = input f16[4]\n%1 = aten._to_copy.default(%0, dtype=f32)\n"
           "%2 = aten._to_copy.default(%1, dtype=f16)\nreturn %2\n",
           "%0 = input i8[4]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
           "return %1\n",
           "%0 = input bool[4]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
           "return %1\n",
       }) {
    EXPECT_THAT(of(lines).casts, IsEmpty()) << lines;
  }
  // Arithmetic makes other elements of them.
  EXPECT_THAT(of("%0 = input f16[4]\n"
                 "%1 = aten._to_copy.default(%0, dtype=f32)\n"
                 "%2 = aten.mul.Tensor(%1, 1.5)\n"
                 "%3 = aten._to_copy.default(%2, dtype=f16)\nreturn %3\n")
                  .casts,
              ElementsAre(kHalf));
}

TEST(LintExpectation, LeavesOutWhatIsNotKnownOrNotSeen) {
  for (const char* lines : {
           // A comparison gives bool, division of integers f32.
           "%0 = input f32[4]\n%1 = aten.isnan.default(%0)\n"
           "%2 = aten._to_copy.default(%1, dtype=f16)\nreturn %2\n",
           "%0 = input i64[4]\n%1 = aten.div.Tensor(%0, 2)\n"
           "%2 = aten._to_copy.default(%1, dtype=i32)\nreturn %2\n",
           // A compiler may cast a constant itself.
           "%0 = const f32[1] {0x3f800001}\n"
           "%1 = aten._to_copy.default(%0, dtype=f16)\nreturn %1\n",
           "%0 = input f32[4]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
           "return %0\n",
           "%0 = input f32[4]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
           "%2 = aten.isnan.default(%1)\nreturn %2\n",
       }) {
    EXPECT_THAT(of(lines).casts, IsEmpty()) << lines;
  }
  EXPECT_THAT(of("%0 = input f32[4]\n"
                 "%1 = aten._to_copy.default(%0, dtype=f16)\n"
                 "%2 = aten.isinf.default(%1)\nreturn %2\n")
                  .casts,
              ElementsAre(kHalf));
}

TEST(LintExpectation, KnowsProgramsWithoutFusedOperations) {
  EXPECT_EQ(of("%0 = input f32[4]\n%1 = aten.mul.Tensor(%0, 3)\n"
               "%2 = aten.add.Tensor(%1, 1)\nreturn %2\n")
                .fused,
            0u);
  EXPECT_EQ(
      of("%0 = input f32[4]\n%1 = aten.exp.default(%0)\nreturn %1\n").fused,
      std::nullopt);
  EXPECT_EQ(of("%0 = input f32[4]\n"
               "%1 = aten.add.Tensor(%0, %0, alpha=2)\nreturn %1\n")
                .fused,
            std::nullopt);
}

TEST(LintExpectation, KnowsWhatAddsInAnyOrder) {
  EXPECT_FALSE(of("%0 = input f32[4]\n%1 = aten.sum.default(%0)\n"
                  "return %1\n")
                   .any_order);
  EXPECT_TRUE(of("%0 = input f32[4]\n%1 = input i64[4]\n"
                 "%2 = aten.index_add.default(%0, 0, %1, %0)\nreturn %2\n")
                  .any_order);
}

}  // namespace
}  // namespace assay::harness::worker
