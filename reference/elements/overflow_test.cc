// What rounds to more than a format's largest element.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "reference/elements/accuracy.h"
#include "reference/golden/admits.h"

namespace assay::reference {
namespace {

using Policy = std::optional<Overflow>;

ElementSet cast_to(DType t, double lo, double hi, Policy overflow) {
  Rounding r;
  r.dtype = t;
  r.is_cast = true;
  r.overflow = overflow;
  const Set<double> s =
      lo == hi ? Set<double>::of(lo)
               : Set<double>::range(Real<double>::of(lo), Real<double>::of(hi));
  return admit<double>(r, s, std::nullopt).elements;
}

TEST(Overflow, OfOneValue) {
  const DType t = DType::f8e4m3fn;
  for (const double x : {464.5, 1e9, double{INFINITY}}) {
    EXPECT_FALSE(cast_to(t, x, x, Overflow::standard).has_values);
    EXPECT_TRUE(cast_to(t, x, x, Overflow::standard).nan);
    const ElementSet saturated = cast_to(t, -x, -x, Overflow::saturate);
    EXPECT_FALSE(saturated.nan);
    EXPECT_EQ(saturated.lo, 0xfeu);
    EXPECT_EQ(saturated.hi, 0xfeu);
    const ElementSet any = cast_to(t, x, x, std::nullopt);
    EXPECT_TRUE(any.nan && any.has_values);
    EXPECT_EQ(any.lo, 0x7eu);
    EXPECT_EQ(any.hi, 0x7eu);
    EXPECT_EQ(cast_to(t, x, x, Overflow::saturate_finite).nan, std::isinf(x));
  }
  const ElementSet tie = cast_to(t, 464, 464, Overflow::standard);
  EXPECT_FALSE(tie.nan);
  EXPECT_EQ(tie.hi, 0x7eu);
  // With infinities, "any" reaches from the largest number to them.
  const ElementSet wide = cast_to(DType::f8e5m2, 1e9, 1e9, std::nullopt);
  EXPECT_EQ(wide.lo, 0x7bu);
  EXPECT_EQ(wide.hi, 0x7cu);
}

TEST(Overflow, OfARange) {
  const ElementSet e = cast_to(DType::f8e4m3fnuz, 201, 300, Overflow::standard);
  EXPECT_TRUE(e.nan && e.has_values && !e.undecided);
  EXPECT_EQ(decode_float(DType::f8e4m3fnuz, e.lo), 208.0);
  EXPECT_EQ(decode_float(DType::f8e4m3fnuz, e.hi), 240.0);
  EXPECT_FALSE(admits(e, DType::f8e4m3fnuz, 0x00));
  EXPECT_TRUE(admits(e, DType::f8e4m3fnuz, 0x80));
}

// A format without a negative zero: the element below zero is a number.
TEST(Overflow, ZerosOfFnuz) {
  const ElementSet e =
      cast_to(DType::f8e4m3fnuz, -0.0, -0.0, Overflow::standard);
  EXPECT_TRUE(admits(e, DType::f8e4m3fnuz, 0x00));
  EXPECT_FALSE(admits(e, DType::f8e4m3fnuz, 0x81));
  EXPECT_FALSE(admits(e, DType::f8e4m3fnuz, 0x80));
}

}  // namespace
}  // namespace assay::reference
