// lgamma and tgamma over ranges: poles, extrema between them, and what is NaN.
#include "reference/numbers/gamma.h"

#include <gtest/gtest.h>

#include "reference/sets/set_ops.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

template <class N>
Set<N> over(Elementary f, double lo, double hi) {
  return apply(f, Set<N>::range(Real<N>::of(lo), Real<N>::of(hi)));
}

// The extrema, from Abramowitz and Stegun 6.1 and OEIS A030169, A175472:
// gamma(1.46163...) = 0.8856..., gamma(-0.50408...) = -3.5446...,
// gamma(-1.57349...) = 2.3024...
struct RangeCase {
  Elementary f;
  double lo, hi;
  double least, greatest;
  bool may_nan;
};
const RangeCase kRanges[] = {
    {Elementary::lgamma, 1, 2, std::log(0.885603194410888700), 0, false},
    {Elementary::lgamma, 0.5, 1, 0, std::log(std::sqrt(M_PI)), false},
    {Elementary::lgamma, 3, 4, std::log(2), std::log(6), false},
    {Elementary::lgamma, 0, 1.25, -0.0982718364218131614, kInfinity, false},
    {Elementary::lgamma, -0.9, -0.1, std::log(3.544643611155005), 0, false},
    {Elementary::lgamma, -1.25, 0.5, 0, kInfinity, false},
    {Elementary::lgamma, -1.75, 0.5, 0, kInfinity, false},
    {Elementary::lgamma, 1.75, kInfinity, -0.08440112102048555, kInfinity,
     false},
    {Elementary::lgamma, -kInfinity, 3, -kInfinity, kInfinity, false},
    {Elementary::tgamma, 1, 2, 0.885603194410888700, 1, false},
    {Elementary::tgamma, 0, 3, 0.885603194410888700, kInfinity, false},
    {Elementary::tgamma, 3, kInfinity, 2, kInfinity, false},
    {Elementary::tgamma, -0.75, -0.25, 0, -3.544643611155005, false},
    {Elementary::tgamma, -0.5, -0.0, -kInfinity, -2 * std::sqrt(M_PI), false},
    {Elementary::tgamma, -1.75, -1.25, 2.302407258339680, 0, false},
    {Elementary::tgamma, -0.0, 0.0, -kInfinity, kInfinity, false},
    {Elementary::tgamma, -1.5, 2, -kInfinity, kInfinity, true},
    {Elementary::tgamma, -kInfinity, -1e10, -kInfinity, kInfinity, true},
};

template <class N>
void check_ranges() {
  for (RangeCase c : kRanges) {
    // Zero stands for "as at the ends".
    const double ends[] = {
        c.f == Elementary::lgamma ? std::lgamma(c.lo) : std::tgamma(c.lo),
        c.f == Elementary::lgamma ? std::lgamma(c.hi) : std::tgamma(c.hi)};
    if (c.least == 0) c.least = std::min(ends[0], ends[1]);
    if (c.greatest == 0) c.greatest = std::max(ends[0], ends[1]);
    if (c.lo == -1.75 && c.f == Elementary::lgamma) {
      c.least = std::min(c.least, std::log(2.302407258339680));
    }
    const Set<N> r = over<N>(c.f, c.lo, c.hi);
    const std::string what = std::string(elementary_name(c.f)) + " of " +
                             std::to_string(c.lo) + " to " +
                             std::to_string(c.hi);
    EXPECT_FALSE(r.unsure) << what;
    EXPECT_EQ(r.may_nan, c.may_nan) << what;
    const auto next_to = [&](const N& x, double expected) {
      if (std::isinf(expected)) {
        EXPECT_EQ(below(x), expected) << what;
      } else {
        EXPECT_NEAR(below(x), expected, 1e-11) << what;
      }
    };
    next_to(r.lo.a, c.least);
    next_to(r.lo.b, c.least);
    next_to(r.hi.a, c.greatest);
    next_to(r.hi.b, c.greatest);
  }
}

TEST(Gamma, RangesEndAtExtremaAndPolesInDouble) {
  const PrecisionScope precision(113);
  check_ranges<double>();
}
TEST(Gamma, RangesEndAtExtremaAndPolesInMpfr) {
  const PrecisionScope precision(113);
  check_ranges<Mp>();
}

TEST(Gamma, RangesHoldTheirMembers) {
  RandomNumbers random(21);
  const PrecisionScope precision(113);
  for (int i = 0; i < 800; ++i) {
    double lo = random.uniform(-9, 5);
    double hi = lo + random.uniform(0, i % 3 == 0 ? 4 : 0.75);
    if (i % 5 == 0) lo = std::floor(lo);
    for (const auto f : {Elementary::lgamma, Elementary::tgamma}) {
      const Set<Mp> r = over<Mp>(f, lo, hi);
      for (int k = 0; k <= 8; ++k) {
        const double x = k == 8 ? hi : lo + (hi - lo) * k / 8;
        if (f == Elementary::tgamma && gamma_is_nan(x, x)) {
          ASSERT_TRUE(r.may_nan) << x;
          continue;
        }
        const Outward<Mp> y = apply(f, exact<Mp>(x));
        ASSERT_TRUE(!precedes(y.up, r.lo.a) && !precedes(r.hi.b, y.down))
            << elementary_name(f) << "(" << x << ") of " << lo << " to " << hi;
      }
    }
  }
}

TEST(Gamma, MorePrecisionNarrowsTheExtremum) {
  for (const int bits : {113, 256, 1024}) {
    const PrecisionScope precision(bits);
    const Set<Mp> r = over<Mp>(Elementary::lgamma, -2.9, -2.1);
    const Mp width = sum(r.lo.b, negated(r.lo.a)).up;
    EXPECT_LT(exponent(width), 16 - bits);
  }
}

TEST(Gamma, PolesAreKnownOnPoints) {
  EXPECT_FALSE(apply(Elementary::tgamma, Set<double>::of(-3.0)).has_values);
  EXPECT_FALSE(
      apply(Elementary::tgamma, Set<double>::of(-kInfinity)).has_values);
  const Set<double> pole = apply(Elementary::lgamma, Set<double>::of(-3.0));
  EXPECT_TRUE(pole.is_exact_point() && pole.lo.a == kInfinity);
  // An enclosure that may or may not be the pole.
  EXPECT_TRUE(
      apply(Elementary::tgamma, Set<double>::of(Real<double>{-3, next_up(-3)}))
          .unsure);
}

// Far below zero every binade of doubles has its poles close together.
TEST(Gamma, FarRangesAreBoundedWithoutASearch) {
  const PrecisionScope precision(113);
  for (const double lo : {-1e12 - 0.5, -0x1p51 - 0.5, -1e300}) {
    const Set<Mp> r = over<Mp>(Elementary::lgamma, lo, 1);
    EXPECT_EQ(above(r.hi.b), kInfinity);
    EXPECT_LT(below(r.lo.a), lo);
  }
  EXPECT_EQ(over<double>(Elementary::tgamma, -0x1p51 - 0.5, 1).lo.a,
            -kInfinity);
}

}  // namespace
}  // namespace assay::reference
