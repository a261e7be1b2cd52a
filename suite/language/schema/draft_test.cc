#include "suite/language/schema/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::language {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string draft(const std::string& overload, const char* schema) {
  return draft_spec(*parse_schema(overload, schema));
}

TEST(Draft, NamesFollowTheOverload) {
  const auto name = [](const char* overload) {
    return draft_name(*parse_schema(overload, "(Tensor self) -> Tensor"));
  };
  EXPECT_EQ(name("aten.erfinv.default"), "erfinv");
  EXPECT_EQ(name("aten.softmax.int"), "softmax");
  EXPECT_EQ(name("aten.eq.Scalar"), "eq_scalar");
}

TEST(Draft, OneTensorGetsTheUnaryCases) {
  const std::string text =
      draft("aten.erfinv.default", "(Tensor self) -> Tensor");
  EXPECT_THAT(text, HasSubstr("op: erfinv\naten: aten.erfinv.default\n"));
  EXPECT_THAT(text, HasSubstr("  x: T[S...]\n"));
  EXPECT_THAT(text, HasSubstr("C1-C5: {family: unary}"));
  EXPECT_THAT(text, HasSubstr("# DECIDE"));
}

TEST(Draft, ParametersDefaultsAndProbableRequirements) {
  const std::string text =
      draft("aten.f.default",
            "(Tensor self, int[1]? dim=None, bool keepdim=False, int[2] "
            "stride=1, *, ScalarType? dtype=None, Layout? layout=None, "
            "Generator? generator=None) -> Tensor");
  EXPECT_THAT(text, HasSubstr("  dim: ints or none\n"));
  EXPECT_THAT(text, HasSubstr("  keepdim: bool = false\n"));
  EXPECT_THAT(text, HasSubstr("  stride: ints = [1, 1]\n"));
  EXPECT_THAT(text, HasSubstr("  keyword:\n    dtype: dtype or none\n"));
  EXPECT_THAT(text, HasSubstr("omits:\n  generator: "));
  EXPECT_THAT(text, Not(HasSubstr("  layout:")));
  EXPECT_THAT(text, HasSubstr("E1: dims_in_range_if_given(x, dim)\n"));
}

TEST(Draft, APairBroadcastsAndPromotes) {
  const std::string text =
      draft("aten.f.Tensor",
            "(Tensor self, Tensor other, *, Scalar alpha=1) -> "
            "Tensor");
  EXPECT_THAT(text, HasSubstr("  a: T[A...]\n  b: T2[B...]\n"));
  EXPECT_THAT(text, HasSubstr("type: promote(a, b)"));
  EXPECT_THAT(text, HasSubstr("E1: broadcastable(a, b)\n"));
}

TEST(Draft, SeveralOutputsAndReservedNames) {
  const std::string text =
      draft("aten.f.default",
            "(Tensor self, int[] shape, Tensor index) -> (Tensor, Tensor)");
  EXPECT_THAT(text, HasSubstr("shape_: {kind: ints, schema: shape}\n"));
  EXPECT_THAT(text, HasSubstr("index: I["));
  EXPECT_THAT(text, HasSubstr("I: [i64, i32]"));
  EXPECT_THAT(text, HasSubstr("  out1:\n"));
}

}  // namespace
}  // namespace assay::language
