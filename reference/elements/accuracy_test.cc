// Acceptance sets of single elements, against known answers and against the
// definitions of docs/accuracy.md, evaluated naively.
#include "reference/elements/accuracy.h"

#include <gtest/gtest.h>

#include "reference/golden/admits.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

Rounding plain(DType t) {
  Rounding r;
  r.dtype = t;
  return r;
}

Tolerance ulps(DType measured, double k) {
  Tolerance t;
  t.measured = measured;
  t.ulp = k;
  t.keeps_sign = true;
  return t;
}

std::optional<Tolerance> widened(std::optional<Tolerance> t) {
  if (!t) return t;
  t->ulp *= 1 + kWider;
  t->absolute *= 1 + kWider;
  if (t->subnormal_ulp) *t->subnormal_ulp *= 1 + kWider;
  return t;
}

// Is every element of `inner` one of `outer`?
bool includes(DType t, const ElementSet& outer, const ElementSet& inner) {
  return ordinal(t, outer.lo) <= ordinal(t, inner.lo) &&
         ordinal(t, inner.hi) <= ordinal(t, outer.hi);
}

bool is_element(DType t, double x) {
  return decode_float(t, encode_float(t, x)) == x;
}

// By MPFR, whose 256 bits hold all these values exactly. The doubles may admit
// what a tolerance wider by kWider admits, but nothing where they are exact:
// around an element of a narrower format.
ElementSet set_at(DType t, double exact_value,
                  const std::optional<Tolerance>& tolerance) {
  const ElementSet d =
      admit(plain(t), Set<double>::of(exact_value), tolerance).elements;
  const PrecisionScope precision(256);
  const auto in_mpfr = [&](const std::optional<Tolerance>& with) {
    const ElementSet m =
        admit(plain(t), Set<Mp>::of(exact_value), with).elements;
    EXPECT_FALSE(m.undecided) << exact_value;
    return m;
  };
  const ElementSet m = in_mpfr(tolerance);
  if (!d.undecided) {
    EXPECT_TRUE(includes(t, d, m)) << exact_value;
    EXPECT_TRUE(includes(t, in_mpfr(widened(tolerance)), d)) << exact_value;
  }
  const bool exact_in_double =
      !tolerance || (tolerance->measured != DType::f64 &&
                     is_element(tolerance->measured, exact_value));
  if (exact_in_double) {
    EXPECT_FALSE(d.undecided) << exact_value;
    EXPECT_EQ(d.lo, m.lo) << exact_value;
    EXPECT_EQ(d.hi, m.hi) << exact_value;
  }
  return m;
}

#define EXPECT_SET(set, low, high)         \
  do {                                     \
    const ElementSet s_ = (set);           \
    EXPECT_EQ(s_.lo, std::uint64_t{low});  \
    EXPECT_EQ(s_.hi, std::uint64_t{high}); \
  } while (false)

TEST(Admit, UlpAtAPowerOfTwoIsTheUpperBinades) {
  EXPECT_SET(set_at(DType::f32, 1.0, ulps(DType::f32, 1)), 0x3f7ffffe,
             0x3f800001);
  // Below 1 the unit is half as large, above it the budget still counts so.
  EXPECT_SET(set_at(DType::f32, 1.0 - 0x1p-24, ulps(DType::f32, 1)), 0x3f7ffffe,
             0x3f800000);
  EXPECT_SET(set_at(DType::f32, -1.0, ulps(DType::f32, 1)), 0xbf800001,
             0xbf7ffffe);
}

TEST(Admit, SubnormalResultsCountInQuanta) {
  EXPECT_SET(set_at(DType::f32, 3 * 0x1p-149, ulps(DType::f32, 1)), 2, 4);
  EXPECT_SET(set_at(DType::f32, 0x1p-126, ulps(DType::f32, 1)), 0x7fffff,
             0x800001);
  // Less than a quantum: zero, or the smallest element.
  EXPECT_SET(set_at(DType::f32, 0x1p-151, ulps(DType::f32, 1)), 0, 1);
  // Zero grants no units.
  EXPECT_SET(set_at(DType::f32, 0.0, ulps(DType::f32, 2)), 0, 0);
  EXPECT_SET(set_at(DType::f32, -0.0, ulps(DType::f32, 2)), 0x80000000,
             0x80000000);
}

TEST(Admit, SubnormalResultsMayHaveTheirOwnBudget) {
  Tolerance t = ulps(DType::f32, 1);
  t.subnormal_ulp = 3;
  EXPECT_SET(set_at(DType::f32, 9 * 0x1p-149, t), 6, 12);
  EXPECT_SET(set_at(DType::f32, 0x1p-126, t), 0x7fffff, 0x800001);
  EXPECT_SET(set_at(DType::f32, -0x1p-126, t), 0x80800001, 0x807fffff);
  EXPECT_SET(set_at(DType::f32, 0x1p-126 - 0x1p-149, t), 0x7ffffc, 0x800002);
  // A set that reaches the normal numbers from below has both budgets.
  const auto across = Set<double>::range(Real<double>::of(0x1p-126 - 0x1p-149),
                                         Real<double>::of(0x1p-126));
  EXPECT_SET(admit(plain(DType::f32), across, t).elements, 0x7ffffc, 0x800003);
  t.subnormal_ulp = 0;
  t.ulp = 6;
  EXPECT_SET(admit(plain(DType::f32), across, t).elements, 0x7ffffa, 0x800006);
}

// The infimum of r - tolerance(r) over the members of a set lies at an end or
// where the tolerance jumps.
TEST(Tolerance, ReachesAsFarAsFromAnyMember) {
  RandomNumbers random(22);
  const FloatFormat f = float_format(DType::f16);
  const double quantum = ulp_at(f, f.emin);
  int jumps = 0;
  for (int i = 0; i < 20000; ++i) {
    Tolerance t;
    t.measured = DType::f16;
    t.ulp = random.integer(0, 16) / 2.0;
    if (i % 2) t.subnormal_ulp = random.integer(0, 16) / 2.0;
    if (i % 5 == 0) t.absolute = quantum * random.integer(0, 12);
    // Near a jump, on either side of it.
    double lo = std::ldexp(random.integer(0, 1) ? 1 : -1,
                           random.integer(f.emin, f.emin + 3)) +
                random.uniform(-20, 20) * quantum;
    double hi = i % 3 ? lo + random.uniform(0, 40) * quantum : lo;
    if (i % 7 == 0) lo = std::copysign(std::ldexp(1.0, std::ilogb(lo)), lo);
    if (i % 11 == 0) hi = std::copysign(std::ldexp(1.0, std::ilogb(hi)), hi);
    if (hi < lo) std::swap(lo, hi);
    std::vector<double> members = {lo, hi};
    for (int e = f.emin - 1; e <= f.emin + 5; ++e) {
      const double p = std::ldexp(1.0, e);
      for (const double x : {p, next_up(p), next_down(p)}) {
        for (const double r : {x, -x}) {
          if (lo < r && r < hi) members.push_back(r);
        }
      }
    }
    double expected = kInfinity;
    for (const double r : members) {
      const int e = r == 0 ? f.emin : std::max(std::ilogb(r), f.emin);
      const bool tiny = std::fabs(r) < std::ldexp(1.0, f.emin);
      const double units = tiny && t.subnormal_ulp ? *t.subnormal_ulp : t.ulp;
      expected =
          std::min(expected, r - std::max(t.absolute, units * ulp_at(f, e)));
    }
    const Real<double> low =
        lowest_within(t, Real<double>::of(lo), Real<double>::of(hi));
    const Real<double> high =
        highest_within(t, Real<double>::of(-hi), Real<double>::of(-lo));
    // Within two neighbours in double: those that stand for a jump.
    const double slack = 0x1p-51 * std::ldexp(1.0, f.emin + 5);
    ASSERT_NEAR(low.a, expected, slack) << lo << " " << hi << " " << i;
    ASSERT_NEAR(low.b, expected, slack) << lo << " " << hi << " " << i;
    ASSERT_EQ(high.a, -low.b);
    ASSERT_EQ(high.b, -low.a);
    const double at_lo =
        below((Real<double>::of(lo) - tolerance_at(t, Real<double>::of(lo))).a);
    if (at_lo - expected > slack) ++jumps;
  }
  EXPECT_GT(jumps, 100);
}

TEST(Admit, OverflowCountsInfinityAtTheNextPowerOfTwo) {
  const double largest = 0x1.fffffep127;
  const std::uint64_t infinity = 0x7f800000;
  // Rounding alone: the midpoint beyond the largest element is the border.
  EXPECT_SET(set_at(DType::f32, 0x1.ffffffp127, std::nullopt), infinity,
             infinity);
  EXPECT_SET(set_at(DType::f32, 0x1.fffffefffffffp127, std::nullopt),
             0x7f7fffff, 0x7f7fffff);
  EXPECT_SET(set_at(DType::f32, largest, ulps(DType::f32, 1)), 0x7f7ffffe,
             infinity);
  EXPECT_SET(set_at(DType::f32, largest - 0x1p104, ulps(DType::f32, 1)),
             0x7f7ffffd, 0x7f7fffff);
  EXPECT_SET(set_at(DType::f32, largest - 0x1p104, ulps(DType::f32, 2)),
             0x7f7ffffc, infinity);
  // Beyond, finite elements are right as far as the tolerance reaches back.
  EXPECT_SET(set_at(DType::f32, 0x1p128 + 0x1.8p104, ulps(DType::f32, 3)),
             0x7f7fffff, infinity);
  EXPECT_SET(set_at(DType::f32, 0x1p128 + 0x1.8p104, ulps(DType::f32, 2)),
             infinity, infinity);
  EXPECT_SET(set_at(DType::f32, 1e300, ulps(DType::f32, 1e6)), infinity,
             infinity);
  EXPECT_SET(set_at(DType::f32, -1e300, ulps(DType::f32, 1e6)), 0xff800000,
             0xff800000);
  // An exact infinity is no large number.
  EXPECT_SET(set_at(DType::f32, kInfinity, ulps(DType::f32, 4)), infinity,
             infinity);
  // Results below the last binade never reach infinity.
  EXPECT_SET(set_at(DType::f32, 0x1.fffffep126, ulps(DType::f32, 0x1p25)), 0,
             0x7f7fffff);
}

// A range cuts a tolerance before it is rounded, and never an exact value.
TEST(Admit, ARangeEndsTheTolerance) {
  Tolerance t = ulps(DType::f32, 2);
  t.range = {-1, 1};
  const std::uint64_t one = 0x3f800000;
  EXPECT_SET(set_at(DType::f32, 1 - 0x1p-30, t), one - 2, one);
  EXPECT_SET(set_at(DType::f32, -1 + 0x1p-30, t), 0xbf800000, 0xbf7ffffe);
  EXPECT_SET(set_at(DType::f32, 0.75, t), 0x3f3ffffe, 0x3f400002);
  EXPECT_SET(set_at(DType::f32, 1.5, t), 0x3fbffffe, 0x3fc00000);
  // The end is rounded as the value is: pi / 2 lies below its f32.
  t.range = {-1.5707963267948966, 1.5707963267948966};
  EXPECT_SET(set_at(DType::f32, 1.57079632, t), 0x3fc90fd9, 0x3fc90fdb);
  // Measured in f32, a result in f16.
  t.range = {0, 1};
  t.ulp = 0x1p14;
  EXPECT_SET(set_at(DType::f16, 1 - 0x1p-12, t), 0x3bfe, 0x3c00);
  // What a consumer sees in flight ends there too.
  const Admitted<double> a =
      admit(plain(DType::f32), Set<double>::of(1 - 0x1p-30), std::optional(t));
  EXPECT_EQ(above(a.in_flight.hi.b), 1);
}

TEST(Admit, DoublesNearOverflowEscalate) {
  const auto d =
      admit(plain(DType::f64), Set<double>::of(kLargest), ulps(DType::f64, 1));
  EXPECT_TRUE(d.elements.undecided);
  EXPECT_SET(set_at(DType::f64, kLargest, ulps(DType::f64, 1)),
             0x7feffffffffffffe, 0x7ff0000000000000);
}

TEST(Admit, ABudgetMeasuredInAWiderFormatIsRoundedOnce) {
  // f16 has 11 bits: 1 + 2^-11 is a tie, to even.
  EXPECT_SET(set_at(DType::f16, 1 + 0x1p-11, std::nullopt), 0x3c00, 0x3c00);
  EXPECT_SET(set_at(DType::f16, 1 + 0x1p-11, ulps(DType::f32, 1)), 0x3c00,
             0x3c01);
  EXPECT_SET(set_at(DType::f16, 1 + 0x1p-11 + 0x1p-20, ulps(DType::f32, 1)),
             0x3c01, 0x3c01);
  EXPECT_SET(set_at(DType::f16, 65519.0, ulps(DType::f32, 1)), 0x7bff, 0x7bff);
  EXPECT_SET(set_at(DType::f16, 65520.0, ulps(DType::f32, 1)), 0x7bff, 0x7c00);
  EXPECT_SET(set_at(DType::bf16, 0x1.ffp127, std::nullopt), 0x7f80, 0x7f80);
}

TEST(Admit, ABinadeThatBeginsInsideASetWidensIt) {
  const auto set = Set<double>::range(Real<double>::of(1 - 0x1p-30),
                                      Real<double>::of(1 + 0x1p-30));
  const ElementSet e =
      admit(plain(DType::f32), set, ulps(DType::f32, 1)).elements;
  // From 1 itself: 1 - 2^-23; from 1 - 2^-30 alone it would be one element.
  EXPECT_SET(e, 0x3f7ffffe, 0x3f800001);
}

TEST(Admit, OpenEndsDecideWhatNoPrecisionCan) {
  // erf(1e30) = 1 - 10^-(10^59): less than 1, so its unit is 2^-24.
  const PrecisionScope precision(113);
  const Set<Mp> r = apply(Elementary::erf, Set<Mp>::of(1e30));
  const auto at = [](const auto& set, double k) {
    const ElementSet e =
        admit(plain(DType::f32), set, ulps(DType::f32, k)).elements;
    EXPECT_FALSE(e.undecided);
    return e;
  };
  EXPECT_SET(at(r, 1.5), 0x3f7fffff, 0x3f800000);
  // Two units of 2^-24 end just below 1 + 2^-23, which kWider takes in. Units
  // of 1's own binade, 2^-23, would admit one element more on either side.
  EXPECT_SET(at(r, 2), 0x3f7ffffe, 0x3f800001);
  // In double as well.
  const Set<double> d = apply(Elementary::erf, Set<double>::of(30.0));
  EXPECT_SET(at(d, 1.5), 0x3f7fffff, 0x3f800000);
  EXPECT_SET(at(d, 2), 0x3f7ffffe, 0x3f800001);
}

TEST(Admit, ATolerancesEndIsSettledWithinAPartOfIt) {
  // The upper end is 1.25 + 2^-23, an element, or up to `doubt` less.
  const auto at = [](double doubt) {
    const auto set = Set<double>::of(Real<double>{1.25 - doubt, 1.25});
    return admit(plain(DType::f32), set, ulps(DType::f32, 1)).elements;
  };
  EXPECT_FALSE(at(0x1p-23 * kWider).undecided);
  EXPECT_SET(at(0x1p-23 * kWider), 0x3f9fffff, 0x3fa00001);
  EXPECT_TRUE(at(0x1p-23 * 1.01 * kWider).undecided);
  EXPECT_LE(kWider, 0x1p-16);
}

TEST(Admit, InFlightSetsKeepWhatTheProfileAllows) {
  const auto exact_values = Set<double>::of(1 + 0x1p-12);
  Rounding r = plain(DType::f16);
  const auto fused = admit(r, exact_values, std::nullopt).in_flight;
  EXPECT_EQ(fused.lo.a, 1.0);          // what rounding gives
  EXPECT_EQ(fused.hi.b, 1 + 0x1p-12);  // what was kept
  r.numerics = Numerics::strict;
  const auto strict = admit(r, exact_values, std::nullopt).in_flight;
  EXPECT_TRUE(strict.is_exact_point());
  EXPECT_EQ(strict.lo.a, 1.0);
  r.numerics = Numerics::fused;
  r.is_cast = true;
  EXPECT_TRUE(admit(r, exact_values, std::nullopt).in_flight.is_exact_point());
}

TEST(Admit, MorePrecisionIsNotMoreRange) {
  const auto beyond = Set<double>::of(1e39);
  EXPECT_EQ(admit(plain(DType::f32), beyond, std::nullopt).in_flight.lo.a,
            kInfinity);
  const auto half = Set<double>::of(1e5);
  const auto flight = admit(plain(DType::f16), half, std::nullopt).in_flight;
  EXPECT_EQ(flight.lo.a, 1e5);
  EXPECT_EQ(flight.hi.b, kInfinity);
}

TEST(Admit, EitherZero) {
  Rounding r = plain(DType::f32);
  r.any_zero_sign = true;
  const ElementSet e = admit(r, Set<double>::of(0.0), std::nullopt).elements;
  EXPECT_TRUE(admits(e, DType::f32, 0));
  EXPECT_TRUE(admits(e, DType::f32, 0x80000000));
  EXPECT_FALSE(admits(e, DType::f32, 1));
  const ElementSet plus = set_at(DType::f32, 0.0, std::nullopt);
  EXPECT_FALSE(admits(plus, DType::f32, 0x80000000));
}

// Later operations see the sign that a zero may have, whatever the bound.
TEST(Admit, EitherZeroIsInFlight) {
  Tolerance none;
  none.measured = DType::f32;
  for (const auto& tolerance :
       {std::optional<Tolerance>(), std::optional<Tolerance>(none)}) {
    for (const double zero : {0.0, -0.0}) {
      Rounding r = plain(DType::f32);
      const auto values = Set<double>::of(zero);
      const auto one = admit(r, values, tolerance).in_flight;
      EXPECT_TRUE(one.is_exact_point());
      EXPECT_EQ(std::signbit(one.lo.a), std::signbit(zero));
      r.any_zero_sign = true;
      const auto either = admit(r, values, tolerance).in_flight;
      EXPECT_TRUE(std::signbit(either.lo.a));
      EXPECT_FALSE(std::signbit(either.hi.b));
    }
  }
}

TEST(Admit, IntegersWrapOrAreUnspecified) {
  const auto at = [](DType t, double x, OutOfRange policy) {
    Rounding r = plain(t);
    r.out_of_range = policy;
    return admit(r, Set<double>::of(x), std::nullopt).elements;
  };
  EXPECT_EQ(at(DType::u8, 300, OutOfRange::wraps).lo, 44u);
  EXPECT_EQ(at(DType::u8, -1, OutOfRange::wraps).lo, 255u);
  EXPECT_EQ(at(DType::i8, 200, OutOfRange::wraps).lo, 0xc8u);
  EXPECT_EQ(at(DType::i32, 0x1p31, OutOfRange::wraps).lo, 0x80000000u);
  EXPECT_EQ(at(DType::i64, 0x1p64 + 0x1p20, OutOfRange::wraps).lo, 0x100000u);
  EXPECT_EQ(at(DType::i32, -3.7, OutOfRange::unspecified).lo, 0xfffffffdu);
  EXPECT_TRUE(at(DType::i32, 3e9, OutOfRange::unspecified).unspecified);
  EXPECT_TRUE(at(DType::u8, std::nan(""), OutOfRange::wraps).unspecified);
  EXPECT_EQ(at(DType::boolean, std::nan(""), OutOfRange::wraps).lo, 1u);
  EXPECT_EQ(at(DType::boolean, -0.0, OutOfRange::wraps).lo, 0u);
}

// E(got, r) <= k by the book, in exact arithmetic.
bool admitted_by_definition(DType t, std::uint64_t bits, double r, double k) {
  const PrecisionScope precision(2000);
  const FloatFormat f = float_format(t);
  if (is_nan_bits(t, bits)) return false;
  const double beyond = std::ldexp(1.0, f.emax + 1);
  const double got = decode_float(t, bits);
  const std::uint64_t rounded = encode_float(t, r);
  if (bits == rounded) return true;
  if (std::signbit(got) != std::signbit(r)) return false;
  if (std::isinf(got)) {
    if (std::fabs(r) < std::ldexp(1.0, f.emax)) return false;
  }
  const double x = std::isinf(got) ? std::copysign(beyond, got) : got;
  if (r == 0) return got == 0;
  // Infinity stands at 2^(emax+1), and is right wherever |r| lies beyond.
  if (std::isinf(got) && std::fabs(r) >= beyond) return true;
  const int e = std::ilogb(r);
  const double ulp =
      std::ldexp(1.0, std::clamp(e, f.emin, f.emax) - f.precision + 1);
  const Mp distance = sum(exact<Mp>(x), exact<Mp>(-r)).down;
  const Mp budget = product(exact<Mp>(k), exact<Mp>(ulp)).down;
  return compare(distance, budget) <= 0 &&
         compare(negated(distance), budget) <= 0;
}

TEST(Admit, AgreesWithTheDefinitionAroundRandomValues) {
  RandomNumbers random(21);
  for (const DType t : {DType::f32, DType::f16, DType::bf16}) {
    const FloatFormat f = float_format(t);
    for (int i = 0; i < 4000; ++i) {
      double r = random.scaled(f.emin - f.precision - 2, f.emax + 3);
      if (i % 13 == 0) r = 0;
      // Next to where infinity stands.
      if (i % 17 == 0) {
        r = std::ldexp(
            1 + random.integer(-9, 9) * std::ldexp(1.0, -f.precision),
            f.emax + 1);
      }
      if (i % 3 == 0) r = decode_float(t, nearest_bits(t, r));
      if (r != 0 && i % 7 == 0) r = std::ldexp(1.0, std::ilogb(r));
      if (r != 0 && i % 11 == 0) {
        r = next_down(std::ldexp(1.0, std::ilogb(r)));
      }
      if (std::isinf(r)) continue;
      const double ks[] = {0.5, 1, 1.5, 2, 2.5, 4, 7.25};
      const double k = ks[random.integer(0, 6)];
      const ElementSet e = set_at(t, r, ulps(t, k));
      const std::int64_t here = ordinal(t, encode_float(t, r));
      const std::int64_t last =
          static_cast<std::int64_t>(positive_infinity_bits(t));
      for (std::int64_t p = here - 20; p <= here + 20; ++p) {
        if (p > last || p < -last - 1) continue;
        const std::uint64_t bits = from_ordinal(t, p);
        ASSERT_EQ(admits(e, t, bits), admitted_by_definition(t, bits, r, k))
            << dtype_name(t) << " " << std::hexfloat << r << " within " << k
            << ": " << decode_float(t, bits);
      }
    }
  }
}

TEST(Round, MprfRoundsOnceToEveryFormat) {
  // Around every f16 and bf16 element and every midpoint of two.
  const PrecisionScope precision(200);
  const Mp tiny = exact<Mp>(0x1p-1000);
  for (const DType t : {DType::f16, DType::bf16}) {
    const std::uint64_t infinity = positive_infinity_bits(t);
    for (std::uint64_t b = 0; b < infinity; ++b) {
      const double x = decode_float(t, b);
      const double above_x = b + 1 == infinity
                                 ? std::ldexp(1.0, float_format(t).emax + 1)
                                 : decode_float(t, b + 1);
      const double middle = x / 2 + above_x / 2;
      ASSERT_EQ(nearest_bits(t, exact<Mp>(x)), b);
      const std::uint64_t even = b % 2 ? b + 1 : b;
      ASSERT_EQ(nearest_bits(t, exact<Mp>(middle)), even);
      ASSERT_EQ(nearest_bits(t, middle), even);
      const PrecisionScope wide(1300);
      const Mp over = sum(exact<Mp>(middle), tiny).down;
      const Mp under = sum(exact<Mp>(middle), negated(tiny)).down;
      ASSERT_EQ(nearest_bits(t, over), b + 1);
      ASSERT_EQ(nearest_bits(t, under), b);
      ASSERT_EQ(bits_at_or_above(t, under), b + 1);
      ASSERT_EQ(bits_at_or_below(t, over), b);
      ASSERT_EQ(bits_at_or_above(t, exact<Mp>(x)), b);
      ASSERT_EQ(bits_at_or_below(t, exact<Mp>(x)), b);
    }
  }
}

TEST(Round, EveryFloatOfSixteenBitsSurvivesConversion) {
  for (const DType t : {DType::f16, DType::bf16}) {
    for (std::uint64_t b = 0; b < 65536; ++b) {
      const Set<double> s = Set<double>::of(decode_float(t, b));
      const Set<double> r = convert(t, s, OutOfRange::unspecified);
      if (is_nan_bits(t, b)) {
        ASSERT_FALSE(r.has_values);
        continue;
      }
      ASSERT_EQ(encode_float(t, r.lo.a), b);
      ASSERT_TRUE(r.is_exact_point());
    }
  }
}

TEST(Round, DoubleSubnormalsAreRoundedOnce) {
  const PrecisionScope precision(2200);
  const Mp half_quantum = exact<Mp>(0x1p-1074);
  const Mp odd = sum(exact<Mp>(3 * 0x1p-1074), exact<Mp>(0x1p-1074)).down;
  EXPECT_EQ(nearest_bits(DType::f64, odd), 4u);
  const Mp tie = quotient(exact<Mp>(5 * 0x1p-1074), exact<Mp>(2)).down;
  EXPECT_EQ(nearest_bits(DType::f64, tie), 2u);
  const Mp above_tie =
      sum(tie, quotient(half_quantum, exact<Mp>(0x1p100)).down).down;
  EXPECT_EQ(nearest_bits(DType::f64, above_tie), 3u);
}

TEST(Round, Representation) {
  EXPECT_TRUE(represents(DType::f32, DType::f16));
  EXPECT_TRUE(represents(DType::f32, DType::bf16));
  EXPECT_FALSE(represents(DType::f16, DType::bf16));
  EXPECT_FALSE(represents(DType::bf16, DType::f16));
  EXPECT_TRUE(represents(DType::f16, DType::u8));
  EXPECT_TRUE(represents(DType::bf16, DType::u8));
  EXPECT_FALSE(represents(DType::f16, DType::i16));
  EXPECT_TRUE(represents(DType::f64, DType::i32));
  EXPECT_FALSE(represents(DType::f64, DType::i64));
  EXPECT_FALSE(represents(DType::u8, DType::i8));
  EXPECT_TRUE(represents(DType::i16, DType::u8));
  EXPECT_TRUE(represents(DType::f16, DType::f8e5m2));
  EXPECT_TRUE(represents(DType::bf16, DType::f8e8m0fnu));
  // All numbers, but not the infinities and the negative zero.
  EXPECT_FALSE(represents(DType::f8e5m2fnuz, DType::f8e5m2));
  EXPECT_FALSE(represents(DType::f8e8m0fnu, DType::boolean));
}

}  // namespace
}  // namespace assay::reference
