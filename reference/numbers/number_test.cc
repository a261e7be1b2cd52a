// The fast engine's primitives against MPFR: what they enclose, and that they
// are exact exactly where the result is a double.
#include <gtest/gtest.h>

#include "reference/numbers/gamma.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

constexpr int kRounds = 200'000;
constexpr int kExactBits = 4500;  // sums and products of doubles are exact

// `fast` encloses the number in `slow`, tightly, and is a point where the
// result is a double (tiny results, which lose their residual, aside).
void expect_encloses(const Outward<double>& fast, const Outward<Mp>& slow,
                     double x, double y) {
  ASSERT_LE(mpfr_cmp_d(slow.down.get(), fast.down) < 0, false)
      << x << " " << y << ": " << fast.down << " is above the result";
  ASSERT_LE(mpfr_cmp_d(slow.up.get(), fast.up) > 0, false)
      << x << " " << y << ": " << fast.up << " is below the result";
  const double nearest = mpfr_get_d(slow.down.get(), MPFR_RNDN);
  const bool is_double = compare(slow.down, slow.up) == 0 &&
                         mpfr_cmp_d(slow.down.get(), nearest) == 0;
  const bool tiny = std::fabs(nearest) < 0x1p-900 || std::fabs(x) < 0x1p-900;
  if (is_double && !tiny) {
    ASSERT_EQ(fast.down, fast.up) << x << " " << y;
  }
  if (!is_double) {
    ASSERT_LT(fast.down, fast.up) << x << " " << y;
    // Outward by one neighbour, two where no residual is to be had.
    ASSERT_GE(next_up(next_up(fast.down)), fast.up);
  }
}

TEST(NumberDouble, ArithmeticEnclosesTheExactResult) {
  RandomNumbers random(1);
  const PrecisionScope precision(kExactBits);
  for (int i = 0; i < kRounds / 10; ++i) {
    const double x = random.finite();
    const double y = random.finite();
    expect_encloses(sum(x, y), sum(exact<Mp>(x), exact<Mp>(y)), x, y);
    expect_encloses(product(x, y), product(exact<Mp>(x), exact<Mp>(y)), x, y);
    if (x != 0 || y != 0) {
      expect_encloses(quotient(x, y), quotient(exact<Mp>(x), exact<Mp>(y)), x,
                      y);
    }
    const double magnitude = std::fabs(x);
    expect_encloses(root(magnitude), root(exact<Mp>(magnitude)), magnitude, 0);
  }
}

TEST(NumberDouble, ZeroSignsAreThoseOfIeee) {
  RandomNumbers random(2);
  const PrecisionScope precision(kExactBits);
  const auto same = [](double a, double b) {
    return a == b && std::signbit(a) == std::signbit(b);
  };
  for (const double x : {0.0, -0.0, 1.0, -1.0, 3.5}) {
    for (const double y : {0.0, -0.0, 1.0, -1.0, -3.5}) {
      const Outward<Mp> s = sum(exact<Mp>(x), exact<Mp>(y));
      EXPECT_TRUE(same(below(s.down), x + y)) << x << " + " << y;
      EXPECT_TRUE(same(sum(x, y).down, x + y)) << x << " + " << y;
      const Outward<Mp> p = product(exact<Mp>(x), exact<Mp>(y));
      EXPECT_TRUE(same(below(p.down), x * y)) << x << " * " << y;
      if (x == 0 && y == 0) continue;
      const Outward<Mp> q = quotient(exact<Mp>(x), exact<Mp>(y));
      EXPECT_TRUE(same(below(q.down), quotient(x, y).down)) << x << "/" << y;
    }
  }
}

TEST(NumberDouble, IntegersAreEnclosed) {
  RandomNumbers random(3);
  for (int i = 0; i < kRounds; ++i) {
    std::int64_t n = static_cast<std::int64_t>(random.integer(0, 1 << 30))
                     << random.integer(0, 33);
    n += random.integer(-70, 70);
    if (i % 2) n = -n;
    if (i == 0) n = std::numeric_limits<std::int64_t>::max();
    if (i == 1) n = std::numeric_limits<std::int64_t>::min();
    const Outward<double> d = enclose_integer<double>(n);
    const Mp e = enclose_integer<Mp>(n).down;
    ASSERT_LE(d.down, above(e));
    ASSERT_GE(mpfr_cmp_d(e.get(), d.down), 0) << n;
    ASSERT_LE(mpfr_cmp_d(e.get(), d.up), 0) << n;
    ASSERT_EQ(low_64_bits(e), static_cast<std::uint64_t>(n));
    if (d.down == d.up) {
      ASSERT_EQ(low_64_bits(d.down), static_cast<std::uint64_t>(n));
    }
  }
}

TEST(NumberDouble, UnsignedIntegersAreEnclosed) {
  std::mt19937_64 engine(3);
  for (int i = 0; i < kRounds; ++i) {
    std::uint64_t n = engine() >> engine() % 64;
    if (i < 200) n = std::numeric_limits<std::uint64_t>::max() - 16 * i;
    if (i >= 200 && i < 400) n = (std::uint64_t{1} << 63) + 16 * (i - 300);
    const Outward<double> d = enclose_unsigned<double>(n);
    const Mp e = enclose_unsigned<Mp>(n).down;
    ASSERT_EQ(mpfr_cmp_ui(e.get(), n), 0);
    ASSERT_GE(mpfr_cmp_d(e.get(), d.down), 0) << n;
    ASSERT_LE(mpfr_cmp_d(e.get(), d.up), 0) << n;
    ASSERT_EQ(d.down == d.up, mpfr_cmp_d(e.get(), d.down) == 0) << n;
    ASSERT_LE(d.up, next_up(d.down)) << n;
    ASSERT_EQ(low_64_bits(e), n);
    if (d.down == d.up) {
      ASSERT_EQ(low_64_bits(d.down), n);
    }
  }
}

TEST(Elementary, DoublesEncloseMpfr) {
  RandomNumbers random(4);
  const PrecisionScope precision(200);
  for (int n = 0; n < kElementaryFunctions; ++n) {
    const auto f = static_cast<Elementary>(n);
    const Domain d = domain(f);
    for (int i = 0; i < kRounds / 40; ++i) {
      double x = i % 3 ? random.uniform(-30, 30) : random.finite();
      if (i % 7 == 0) x = std::ldexp(1.0, random.integer(-60, 60));
      if (i % 7 == 1) x = random.integer(-40, 1100);
      if (i % 7 == 2) x = std::pow(random.integer(-9, 10), 3);
      if (i % 7 == 3 && std::fabs(x) > 1) x = 1 / x;
      x = std::clamp(x, d.least, d.greatest);
      if (f == Elementary::tgamma && gamma_is_nan(x, x)) continue;
      const Outward<double> fast = apply(f, x);
      const Outward<Mp> slow = apply(f, exact<Mp>(x));
      ASSERT_LE(mpfr_cmp_d(slow.down.get(), fast.down) < 0, false)
          << elementary_name(f) << "(" << x << ")";
      ASSERT_LE(mpfr_cmp_d(slow.up.get(), fast.up) > 0, false)
          << elementary_name(f) << "(" << x << ")";
      // A result that MPFR knows to be a double is a point here too; one that
      // is not must not be taken for one.
      const double d_value = mpfr_get_d(slow.down.get(), MPFR_RNDN);
      const bool is_double = compare(slow.down, slow.up) == 0 &&
                             mpfr_cmp_d(slow.down.get(), d_value) == 0;
      ASSERT_EQ(is_double, fast.down == fast.up)
          << elementary_name(f) << "(" << x << ")";
    }
  }
}

TEST(Elementary, LimitsAndZeros) {
  const auto at = [](Elementary f, double x) { return apply(f, x).down; };
  EXPECT_EQ(at(Elementary::exp, -kInfinity), 0);
  EXPECT_EQ(at(Elementary::exp, kInfinity), kInfinity);
  EXPECT_EQ(at(Elementary::log2, -0.0), -kInfinity);
  EXPECT_EQ(at(Elementary::exp10, -kInfinity), 0);
  EXPECT_EQ(at(Elementary::exp10, 22), 1e22);
  EXPECT_EQ(at(Elementary::erfc, kInfinity), 0);
  EXPECT_EQ(at(Elementary::erfc, -kInfinity), 2);
  EXPECT_TRUE(std::signbit(at(Elementary::erf, -0.0)));
  EXPECT_TRUE(std::signbit(at(Elementary::sqrt, -0.0)));
  EXPECT_EQ(at(Elementary::lgamma, -0.0), kInfinity);
  EXPECT_EQ(at(Elementary::lgamma, -kInfinity), kInfinity);
  EXPECT_FALSE(std::signbit(at(Elementary::lgamma, 1)));
  EXPECT_EQ(at(Elementary::tgamma, -0.0), -kInfinity);
  EXPECT_EQ(at(Elementary::tgamma, 23), 1124000727777607680000.0);
  const PrecisionScope precision(113);
  for (const double x : {-0.0, -3.0, -kInfinity, 2.0}) {
    const Mp y = apply(Elementary::lgamma, exact<Mp>(x)).down;
    EXPECT_EQ(below(y), x == 2 ? 0 : kInfinity) << x;
    EXPECT_FALSE(sign_bit(y)) << x;
  }
  EXPECT_EQ(below(apply(Elementary::tgamma, exact<Mp>(-0.0)).down), -kInfinity);
  EXPECT_TRUE(sign_bit(apply(Elementary::tanh, exact<Mp>(-0.0)).down));
  EXPECT_TRUE(is_inf(apply(Elementary::log, exact<Mp>(-0.0)).down));
}

}  // namespace
}  // namespace assay::reference
