// Functions of two numbers: both engines against each other and the C
// library, sets against their members, and the special values.
#include "reference/numbers/binary.h"

#include <gtest/gtest.h>

#include "reference/sets/round.h"
#include "reference/sets/set_binary.h"
#include "reference/sets/set_logic.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

constexpr int kRounds = 20'000;

std::vector<Binary> all_functions() {
  std::vector<Binary> all;
  for (int i = 0; i < kBinaryFunctions; ++i) {
    all.push_back(static_cast<Binary>(i));
  }
  return all;
}

double in_c(Binary f, double x, double y) {
  switch (f) {
    case Binary::pow:
      return std::pow(x, y);
    case Binary::atan2:
      return std::atan2(x, y);
    case Binary::hypot:
      return std::hypot(x, y);
    case Binary::fmod:
      return std::fmod(x, y);
    case Binary::remainder:
      break;
  }
  double r = std::fmod(x, y);
  if (r != 0 && (r < 0) != (y < 0)) r += y;
  return r == 0 ? std::copysign(0.0, y) : r;
}

template <class N>
bool within(const Set<N>& s, double x) {
  if (std::isnan(x)) return s.may_nan;
  if (!s.has_values) return false;
  const double lo = below(s.lo.a), hi = above(s.hi.b);
  return !precedes(x, lo) && !precedes(hi, x);
}

// With a margin for what the C library may be off by.
template <class N>
bool nearly_within(const Set<N>& s, double x) {
  if (within(s, x)) return true;
  const Outward<double> w = widened(x, -kInfinity, kInfinity);
  return within(s, w.down) || within(s, w.up) ||
         (s.has_values && below(s.lo.a) >= w.down && above(s.hi.b) <= w.up);
}

std::string call(Binary f, double x, double y) {
  std::ostringstream text;
  text << std::hexfloat << binary_name(f) << "(" << x << ", " << y << ")";
  return text.str();
}

const double kSpecial[] = {
    0.0,        -0.0,         1,         -1,        2,      -2,
    3,          -3,           0.5,       -0.5,      1.5,    -1.5,
    1e20,       7e-9,         0.1,       1e300,     -1e300, kInfinity,
    -kInfinity, std::nan(""), kSmallest, -kSmallest};

TEST(Binary, SpecialValuesAreThoseOfAnnexF) {
  const PrecisionScope precision(2200);
  for (const Binary f : all_functions()) {
    for (const double x : kSpecial) {
      for (const double y : kSpecial) {
        const double c = in_c(f, x, y);
        const Set<double> fast =
            apply(f, Set<double>::of(x), Set<double>::of(y));
        const Set<Mp> slow = apply(f, Set<Mp>::of(x), Set<Mp>::of(y));
        ASSERT_FALSE(fast.unsure || slow.unsure) << call(f, x, y);
        ASSERT_EQ(fast.may_nan, std::isnan(c)) << call(f, x, y);
        ASSERT_EQ(slow.may_nan, std::isnan(c)) << call(f, x, y);
        ASSERT_NE(fast.has_values, std::isnan(c)) << call(f, x, y);
        ASSERT_TRUE(nearly_within(fast, c)) << call(f, x, y);
        ASSERT_TRUE(nearly_within(slow, c)) << call(f, x, y);
        if (c != 0) continue;
        // An exact zero has its sign.
        if (fast.is_exact_point() && is_zero(fast.lo.a)) {
          ASSERT_EQ(sign_bit(fast.lo.a), std::signbit(c)) << call(f, x, y);
        }
      }
    }
  }
}

TEST(Binary, DoublesEncloseMpfr) {
  RandomNumbers random(31);
  const PrecisionScope precision(2400);
  for (const Binary f : all_functions()) {
    for (int i = 0; i < kRounds / 8; ++i) {
      double x = i % 3 ? random.uniform(-30, 30) : random.finite();
      double y = i % 2 ? random.uniform(-30, 30) : random.finite();
      if (i % 5 == 0) y = random.integer(-40, 40) / 2.0;
      if (i % 7 == 0) x = random.integer(-12, 12);
      if (is_undefined(f, x, y)) continue;
      const Outward<double> fast = apply(f, x, y);
      const Outward<Mp> slow = apply(f, exact<Mp>(x), exact<Mp>(y));
      ASSERT_GE(mpfr_cmp_d(slow.down.get(), fast.down), 0) << call(f, x, y);
      ASSERT_LE(mpfr_cmp_d(slow.up.get(), fast.up), 0) << call(f, x, y);
      if (fast.down == fast.up) {
        ASSERT_EQ(compare(slow.down, slow.up), 0) << call(f, x, y);
      }
      // Tight enough to decide most roundings.
      if (std::isfinite(fast.up) && std::fabs(fast.down) > 1e-300) {
        ASSERT_LE(fast.up - fast.down, std::fabs(fast.down) * 0x1p-40)
            << call(f, x, y);
      }
    }
  }
}

TEST(Binary, ExactResultsAreRecognised) {
  const auto is_exact = [](Binary f, double x, double y, double result) {
    const Outward<double> r = apply(f, x, y);
    return r.down == result && r.up == result;
  };
  EXPECT_TRUE(is_exact(Binary::pow, 3, 5, 243));
  EXPECT_TRUE(is_exact(Binary::pow, -1.5, 3, -3.375));
  EXPECT_TRUE(is_exact(Binary::pow, 2.25, 0.5, 1.5));
  EXPECT_TRUE(is_exact(Binary::pow, 8, -1, 0.125));
  EXPECT_TRUE(is_exact(Binary::hypot, 3, 4, 5));
  EXPECT_TRUE(is_exact(Binary::fmod, 1e20, 3, 1));
  EXPECT_TRUE(is_exact(Binary::remainder, -7, 3, 2));
  // 1 - 2^-60 is no double.
  const Outward<double> r = apply(Binary::remainder, -0x1p-60, 1.0);
  EXPECT_LT(r.down, 1);
  EXPECT_EQ(r.up, 1);
  const PrecisionScope precision(113);
  const Outward<Mp> cube = apply(Binary::pow, exact<Mp>(8), exact<Mp>(1.5));
  EXPECT_GT(compare(cube.up, cube.down), 0);
  const Outward<Mp> root = apply(Binary::pow, exact<Mp>(4), exact<Mp>(-1.5));
  EXPECT_EQ(compare(root.up, exact<Mp>(0.125)), 0);
  EXPECT_EQ(compare(root.down, root.up), 0);
}

struct Operand {
  double lo, hi;
  bool nan;
};

template <class N>
Set<N> set_of(const Operand& o) {
  Set<N> s = Set<N>::range(Real<N>::of(o.lo), Real<N>::of(o.hi));
  s.may_nan = o.nan;
  return s;
}

std::vector<double> members(const Operand& o) {
  std::vector<double> all = {o.lo, o.hi};
  for (const double x : {0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -1.5, 7.25,
                         o.lo / 2 + o.hi / 2, next_up(o.lo), next_down(o.hi)}) {
    if (!std::isnan(x) && !precedes(x, o.lo) && !precedes(o.hi, x)) {
      all.push_back(x);
    }
  }
  if (o.nan) all.push_back(std::nan(""));
  return all;
}

template <class N>
void check_sets(unsigned seed, int rounds) {
  RandomNumbers random(seed);
  const PrecisionScope precision(300);
  const auto pick = [&] {
    Operand o;
    o.lo = random.integer(0, 2) ? random.uniform(-4, 4) : random.any();
    if (random.integer(0, 3) == 0) o.lo = random.integer(-4, 4) / 2.0;
    o.hi = random.integer(0, 3) == 0   ? o.lo
           : random.integer(0, 1) == 0 ? o.lo + random.uniform(0, 0.25)
                                       : random.any();
    if (random.integer(0, 5) == 0) o.hi = std::fabs(o.lo);
    if (precedes(o.hi, o.lo)) std::swap(o.lo, o.hi);
    o.nan = random.integer(0, 5) == 0;
    return o;
  };
  int decided = 0;
  for (int i = 0; i < rounds; ++i) {
    const Operand a = pick(), b = pick();
    for (const Binary f : all_functions()) {
      const Set<N> r = apply(f, set_of<N>(a), set_of<N>(b));
      if (r.unsure) continue;
      ++decided;
      for (const double x : members(a)) {
        for (const double y : members(b)) {
          ASSERT_TRUE(nearly_within(r, in_c(f, x, y)))
              << call(f, x, y) << " = " << in_c(f, x, y) << " of [" << a.lo
              << ", " << a.hi << "] and [" << b.lo << ", " << b.hi << "]";
        }
      }
      if (a.lo == a.hi && b.lo == b.hi && !a.nan && !b.nan && a.lo != 0 &&
          b.lo != 0) {
        ASSERT_EQ(r.may_nan, std::isnan(in_c(f, a.lo, b.lo)));
      }
    }
  }
  EXPECT_GT(decided, rounds * kBinaryFunctions * 3 / 4);
}

TEST(SetBinary, HoldsEveryMemberResultInDouble) {
  check_sets<double>(32, kRounds);
}
TEST(SetBinary, HoldsEveryMemberResultInMpfr) {
  check_sets<Mp>(33, kRounds / 8);
}

template <class N>
Set<N> range(double lo, double hi) {
  return Set<N>::range(Real<N>::of(lo), Real<N>::of(hi));
}

TEST(SetBinary, RangesAreNoWiderThanNeeded) {
  const auto ends = [](const Set<double>& s) {
    EXPECT_FALSE(s.unsure || s.may_nan);
    return std::pair(s.lo.a, s.hi.b);
  };
  using Pair = std::pair<double, double>;
  const auto two = Set<double>::of(2.0);
  EXPECT_EQ(ends(apply(Binary::pow, range<double>(-3, 2), two)), Pair(0, 9));
  EXPECT_EQ(ends(apply(Binary::fmod, range<double>(4.25, 4.75), two)),
            Pair(0.25, 0.75));
  EXPECT_EQ(ends(apply(Binary::remainder, range<double>(-0.75, -0.25), two)),
            Pair(1.25, 1.75));
  EXPECT_EQ(ends(apply(Binary::remainder, range<double>(1.5, 2.5), two)).second,
            2);
  EXPECT_EQ(
      ends(apply(Binary::hypot, range<double>(-3, 1), Set<double>::of(4))),
      Pair(4, 5));
  const Set<double> across =
      apply(Binary::atan2, range<double>(-1, 1), Set<double>::of(-1));
  EXPECT_GT(across.hi.a, 3.14159);
  EXPECT_LT(apply(Binary::atan2, range<double>(-1, 1), two).hi.b, 0.464);
}

TEST(SetBinary, NanIsNotAlwaysHandedOn) {
  const auto nan = Set<double>::only_nan();
  const auto is_one = [](const Set<double>& s) {
    return s.is_exact_point() && s.has_values && !s.may_nan && s.lo.a == 1;
  };
  EXPECT_TRUE(is_one(apply(Binary::pow, Set<double>::of(1.0), nan)));
  EXPECT_TRUE(is_one(apply(Binary::pow, nan, Set<double>::of(-0.0))));
  EXPECT_FALSE(apply(Binary::pow, nan, nan).has_values);
  const auto far = Set<double>::of(-kInfinity);
  EXPECT_EQ(apply(Binary::hypot, nan, far).lo.a, kInfinity);
  EXPECT_FALSE(apply(Binary::hypot, nan, far).may_nan);
  EXPECT_TRUE(apply(Binary::hypot, nan, Set<double>::of(1.0)).may_nan);
}

TEST(SetBinary, AnUndecidedQuotientWaitsForPrecision) {
  // An enclosure around 2 says nothing about 2 modulo 1.
  const auto two =
      Set<double>::of(Real<double>{next_down(2), next_up(2), true, true});
  EXPECT_TRUE(apply(Binary::fmod, two, Set<double>::of(1.0)).unsure);
  EXPECT_FALSE(apply(Binary::fmod, two, Set<double>::of(0.75)).unsure);
}

TEST(SetBinary, ElementsAfter) {
  const auto after = [](DType t, double x, double y) {
    const Set<Mp> r = element_after(t, Set<Mp>::of(x), Set<Mp>::of(y));
    EXPECT_TRUE(r.is_exact_point() && !r.unsure);
    return below(r.lo.a);
  };
  const PrecisionScope precision(113);
  EXPECT_EQ(after(DType::f16, 1, 2), 1 + 0x1p-10);
  EXPECT_EQ(after(DType::bf16, 1, -2), 1 - 0x1p-8);
  EXPECT_EQ(after(DType::f64, 0, 1), kSmallest);
  EXPECT_EQ(after(DType::f16, 65504, kInfinity), kInfinity);
  EXPECT_TRUE(std::signbit(after(DType::f32, -0x1p-149, 0)));
  EXPECT_TRUE(std::signbit(after(DType::f32, 0.0, -0.0)));
  EXPECT_TRUE(
      element_after(DType::f16, Set<Mp>::of(1.0 + 0x1p-20), Set<Mp>::of(2.0))
          .unsure);
  const Set<double> both =
      element_after(DType::f32, range<double>(1, 2), Set<double>::of(1.5));
  EXPECT_EQ(both.lo.a, 1 - 0x1p-24);
  EXPECT_EQ(both.hi.b, 2 + 0x1p-22);
}

TEST(SetBinary, BitsOfIntegers) {
  const auto of = [](std::int64_t n) { return Set<Mp>::of_integer(n); };
  const PrecisionScope precision(113);
  const std::int64_t big = (std::int64_t{1} << 62) + 5;
  const auto bits = [](const Set<Mp>& s) {
    return static_cast<std::int64_t>(low_64_bits(s.lo.a));
  };
  EXPECT_EQ(bits(bitwise(Bitwise::conjunction, of(big), of(-2))), big - 1);
  EXPECT_EQ(bits(bitwise(Bitwise::disjunction, of(-8), of(3))), -5);
  EXPECT_EQ(bits(bitwise(Bitwise::difference, of(-1), of(5))), -6);
  EXPECT_TRUE(bitwise(Bitwise::difference, range<Mp>(1, 2), of(5)).unspecified);
  // Those of u64 stay without sign.
  const std::uint64_t top = std::uint64_t{3} << 62;
  const auto u = [](std::uint64_t n) {
    return Set<Mp>::of_element(DType::u64, n);
  };
  const auto is = [](const Set<Mp>& s, std::uint64_t n) {
    return mpfr_cmp_ui(s.lo.a.get(), n) == 0;
  };
  EXPECT_TRUE(is(bitwise(Bitwise::conjunction, u(top), u(top + 1)), top));
  EXPECT_TRUE(is(bitwise(Bitwise::disjunction, u(top), u(5)), top + 5));
  EXPECT_TRUE(is(bitwise(Bitwise::difference, u(top + 7), u(5)), top + 2));
}

}  // namespace
}  // namespace assay::reference
