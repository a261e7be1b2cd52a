// Functions of two numbers, and rounding to a whole number: the exact ones
// against libm, whose are exact as well, the others against MPFR.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "compiler/math/math.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

// Pairs of any bits, of numbers near one another, and all pairs of special
// ones.
template <class T, class Bits>
std::vector<std::pair<T, T>> pairs() {
  using Limits = std::numeric_limits<T>;
  std::vector<std::pair<T, T>> out;
  const T ends[] = {T(0),
                    T(1),
                    T(3),
                    T(0.5),
                    Limits::max(),
                    Limits::min(),
                    Limits::infinity(),
                    Limits::denorm_min(),
                    Limits::quiet_NaN(),
                    std::nextafter(T(1), T(2))};
  for (const T a : ends) {
    for (const T b : ends) {
      for (const T s : {a, -a}) {
        out.emplace_back(s, b);
        out.emplace_back(s, -b);
      }
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const T a = std::bit_cast<T>(static_cast<Bits>(random()));
    const T b = std::bit_cast<T>(static_cast<Bits>(random()));
    out.emplace_back(a, b);
    out.emplace_back(a, a * T(1 + static_cast<int>(random() % 64)) / T(16));
  }
  return out;
}

template <class T>
void expect_same(T got, T expected, T x, T y, const char* name) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << name << " of " << x << ", " << y;
    return;
  }
  EXPECT_EQ(got, expected) << name << " of " << x << ", " << y;
  EXPECT_EQ(std::signbit(got), std::signbit(expected))
      << name << " of " << x << ", " << y;
}

template <class T, class Bits>
void exact_ones() {
  for (const auto& [x, y] : pairs<T, Bits>()) {
    expect_same(math::a_fmod(x, y), std::fmod(x, y), x, y, "fmod");
    expect_same(math::a_nextafter(x, y), std::nextafter(x, y), x, y,
                "nextafter");
    expect_same(math::a_round_even(x), std::nearbyint(x), x, x, "round_even");
    const T r = math::a_remainder(x, y);
    const T f = std::fmod(x, y);
    const bool moved = f != 0 && (f < 0) != (y < 0);
    expect_same(r, moved ? f + y : f, x, y, "remainder");
  }
}

TEST(BinaryMath, ExactOnesAreExactInF32) { exact_ones<float, std::uint32_t>(); }
TEST(BinaryMath, ExactOnesAreExactInF64) {
  exact_ones<double, std::uint64_t>();
}

// Of all numbers of 16 bits, on the way to others: a step of the pattern, away
// from zero or towards it.
void steps(DType t, float (*ours)(float, float)) {
  const float inf = std::numeric_limits<float>::infinity();
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto x = static_cast<float>(decode_float(t, bits));
    for (const float y : {inf, -inf, 0.0f, -0.0f, 1.0f, -1.0f}) {
      const float got = ours(x, y);
      if (std::isnan(x)) {
        ASSERT_TRUE(std::isnan(got));
        continue;
      }
      unsigned expected = (y > x) == (x > 0) ? bits + 1 : bits - 1;
      if (x == 0) expected = std::signbit(y) ? 0x8001 : 1;
      if (x == y) expected = static_cast<unsigned>(encode_float(t, y));
      ASSERT_EQ(encode_float(t, got), expected) << x << " to " << y;
      ASSERT_EQ(decode_float(t, expected), got) << x << " to " << y;
    }
    ASSERT_TRUE(std::isnan(ours(x, std::nanf(""))));
  }
}
TEST(BinaryMath, StepsOfSixteenBits) {
  steps(DType::f16, math::a_nextafter_f16);
  steps(DType::bf16, math::a_nextafter_bf16);
}

// Quotients of every size, and y of few bits: where a step of the quotient
// loses what is left, the next is wrong.
TEST(BinaryMath, RemaindersOfFloatsFarApart) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000000; ++i) {
    const auto bits = [&](unsigned exponents) {
      const auto e = static_cast<std::uint32_t>(random() % exponents) << 23;
      const std::uint64_t mask = (1ul << (random() % 24)) - 1;
      return std::bit_cast<float>(e |
                                  static_cast<std::uint32_t>(random() & mask));
    };
    const float y = bits(i % 2 == 0 ? 2 : 255);
    const float x = i % 4 == 0 ? bits(255) + 0x1p120f : bits(255);
    expect_same(math::a_fmod(x, y), std::fmod(x, y), x, y, "fmod");
  }
}

using Reference = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// Both rounded to T, and so whole units apart: 0 is right.
template <class T, class Bits>
std::int64_t worst_of(T (*ours)(T, T), Reference reference) {
  mpfr_t a, b, exact;
  mpfr_inits2(200, a, b, exact, nullptr);
  std::int64_t worst = 0;
  for (const auto& [x, y] : pairs<T, Bits>()) {
    mpfr_set_d(a, static_cast<double>(x), MPFR_RNDN);
    mpfr_set_d(b, static_cast<double>(y), MPFR_RNDN);
    reference(exact, a, b, MPFR_RNDN);
    const T got = ours(x, y);
    if (mpfr_nan_p(exact) != 0) {
      EXPECT_TRUE(std::isnan(got)) << x << ", " << y;
      continue;
    }
    const T nearest = sizeof(T) == 4
                          ? static_cast<T>(mpfr_get_flt(exact, MPFR_RNDN))
                          : static_cast<T>(mpfr_get_d(exact, MPFR_RNDN));
    if (std::isinf(nearest) || std::isinf(got)) {
      EXPECT_EQ(got, nearest) << x << ", " << y;
      continue;
    }
    EXPECT_EQ(std::signbit(got), std::signbit(nearest)) << x << ", " << y;
    const auto ordinal_of = [](T v) {
      return static_cast<std::int64_t>(std::bit_cast<Bits>(std::fabs(v)));
    };
    const std::int64_t distance = ordinal_of(got) - ordinal_of(nearest);
    worst = std::max(worst, std::abs(distance));
  }
  mpfr_clears(a, b, exact, nullptr);
  return worst;
}

// Powers that are neither 0 nor infinite: most pairs of bits give those.
TEST(BinaryMath, PowersOfAllSizes) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-1074, 1024);
  std::uniform_real_distribution<double> log_base(-300, 300);
  mpfr_t a, b, exact;
  mpfr_inits2(300, a, b, exact, nullptr);
  for (int i = 0; i < 20000; ++i) {
    const double x =
        i % 2 == 0 ? std::exp2(log_base(random)) : 1 + log_base(random) * 1e-5;
    const double y = exponent(random) / std::log2(x);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    mpfr_pow(exact, a, b, MPFR_RNDN);
    const auto bits = [](double v) {
      return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(v));
    };
    const double nearest = mpfr_get_d(exact, MPFR_RNDN);
    EXPECT_LE(std::abs(bits(math::a_pow(x, y)) - bits(nearest)), 1)
        << x << " to the " << y;
  }
  mpfr_clears(a, b, exact, nullptr);
}

TEST(BinaryMath, WholePowersWrap) {
  EXPECT_EQ(math::a_pow(math::a_i64{3}, math::a_i64{4}), 81);
  EXPECT_EQ(math::a_pow(math::a_i64{-2}, math::a_i64{63}), INT64_MIN);
  EXPECT_EQ(math::a_pow(math::a_i64{2}, math::a_i64{64}), 0);
  EXPECT_EQ(math::a_pow(math::a_i64{0}, math::a_i64{0}), 1);
  EXPECT_EQ(math::a_pow(math::a_i64{-1}, math::a_i64{-3}), -1);
  EXPECT_EQ(math::a_pow(math::a_i64{7}, math::a_i64{-1}), 0);
}

TEST(BinaryMath, OthersAreWithinAUnitOfTheNearest) {
  EXPECT_LE((worst_of<float, std::uint32_t>(math::a_hypot, mpfr_hypot)), 1);
  EXPECT_LE((worst_of<double, std::uint64_t>(math::a_hypot, mpfr_hypot)), 1);
  EXPECT_LE((worst_of<float, std::uint32_t>(math::a_atan2, mpfr_atan2)), 1);
  EXPECT_LE((worst_of<double, std::uint64_t>(math::a_atan2, mpfr_atan2)), 2);
  EXPECT_LE((worst_of<float, std::uint32_t>(math::a_pow, mpfr_pow)), 1);
  EXPECT_LE((worst_of<double, std::uint64_t>(math::a_pow, mpfr_pow)), 1);
}

}  // namespace
}  // namespace assay::compiler
