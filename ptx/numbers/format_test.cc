// Rounding into formats against core's encoder (another implementation) and
// against MPFR-free definitions of the narrow formats: the nearest of all
// elements, found by looking at every one.
#include "ptx/numbers/format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/float_bits.h"

namespace assay::ptx {
namespace {

// All finite elements of a format, with their values.
struct Element {
  std::uint32_t bits;
  double value;
};
std::vector<Element> finite_elements(Format f, std::uint32_t count) {
  std::vector<Element> all;
  for (std::uint32_t b = 0; b < count; ++b) {
    double v = widen(f, b);
    if (std::isfinite(v)) all.push_back({b, v});
  }
  return all;
}

// By looking at every element: the finite number nearest to `x` that has its
// sign, the even code of two.
std::uint32_t slowly(const std::vector<Element>& all, double x) {
  const Element* best = nullptr;
  auto distance = [&](const Element& e) { return std::fabs(e.value - x); };
  for (const Element& e : all) {
    if (std::signbit(e.value) != std::signbit(x)) continue;
    if (best == nullptr || distance(e) < distance(*best) ||
        (distance(e) == distance(*best) && (e.bits & 1U) == 0))
      best = &e;
  }
  return best->bits;
}

struct Narrow {
  Format format;
  std::uint32_t codes;
};

TEST(Narrow, IsTheNearestOfAllElements) {
  for (Narrow n : {Narrow{Format::e4m3, 256}, Narrow{Format::e5m2, 256},
                   Narrow{Format::e2m1, 16}, Narrow{Format::e2m3, 64},
                   Narrow{Format::e3m2, 64}}) {
    auto all = finite_elements(n.format, n.codes);
    // Every f16 is an input: all midpoints and their neighbours are there.
    for (std::uint32_t h = 0; h < 0x10000; ++h) {
      double x = widen(Format::f16, h);
      if (std::isnan(x) || std::isinf(x)) continue;
      EXPECT_EQ(narrow(x, {n.format, RoundTo::nearest_even, true, false}),
                slowly(all, x))
          << static_cast<int>(n.format) << " " << x;
    }
  }
}

TEST(Narrow, SaturatesAndKeepsNan) {
  auto rn = [](double x, Format f, bool sat, bool relu = false) {
    return narrow(x, {f, RoundTo::nearest_even, sat, relu});
  };
  double nan = std::nan("");
  EXPECT_EQ(rn(HUGE_VAL, Format::e4m3, true), 0x7eU);
  EXPECT_EQ(rn(-1e9, Format::e4m3, true), 0xfeU);
  EXPECT_EQ(rn(nan, Format::e4m3, true), 0x7fU);
  EXPECT_EQ(rn(HUGE_VAL, Format::e5m2, true), 0x7bU);
  EXPECT_EQ(rn(HUGE_VAL, Format::e5m2, false), 0x7cU);
  EXPECT_EQ(rn(nan, Format::e2m1, true), 0x7U);
  EXPECT_EQ(rn(nan, Format::e2m3, true), 0x1fU);
  EXPECT_EQ(rn(-3.0, Format::e3m2, true, true), 0U);
  EXPECT_EQ(rn(65520.0, Format::f16, false), 0x7c00U);
  EXPECT_EQ(rn(65519.9, Format::f16, false), 0x7bffU);
  EXPECT_EQ(rn(65520.0, Format::f16, true), 0x7bffU);
  EXPECT_EQ(rn(-0.0, Format::bf16, false), 0x8000U);
  EXPECT_EQ(narrow(1e9, {Format::f16, RoundTo::zero}), 0x7bffU);
  EXPECT_EQ(narrow(-1e9, {Format::f16, RoundTo::up}), 0xfbffU);
  EXPECT_EQ(narrow(1e9, {Format::f16, RoundTo::up}), 0x7c00U);
}

// The format of the founding case: a power of two, rounded up or down.
TEST(Narrow, ExponentsOfAllSingles) {
  // Steps of a prime number visit every exponent and many fractions.
  for (std::uint64_t b = 0; b < 0x80000000ULL; b += 65'521) {
    double x = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    for (bool up : {false, true}) {
      for (bool sat : {false, true}) {
        std::uint32_t got = narrow(
            x, {Format::ue8m0, up ? RoundTo::up : RoundTo::zero, sat, false});
        std::uint32_t want = 0;
        if (std::isnan(x)) {
          want = 0xff;
        } else {
          // The exponent field, plus one where a fraction is rounded up.
          auto bits = static_cast<std::uint32_t>(b);
          want = bits >> 23;
          bool inexact = (bits & 0x7fffffU) != 0;
          // Below 2^-126 the unit is 2^-127, which is half a normal's.
          if (want == 0) inexact = up && bits > 0x400000U;
          if (up && inexact) ++want;
          if (want >= 0xff) want = sat ? 0xfe : 0xff;
        }
        ASSERT_EQ(got, want) << x << (up ? " up" : " down");
        ASSERT_EQ(got,
                  narrow(-x, {Format::ue8m0, up ? RoundTo::up : RoundTo::zero,
                              sat, false}));
      }
    }
  }
}

TEST(Narrow, AgreesWithCoreInEveryRounding) {
  struct Pair {
    RoundTo ours;
    RoundingMode core;
  };
  std::mt19937_64 random(1);
  for (Pair m : {Pair{RoundTo::nearest_even, RoundingMode::nearest_even},
                 Pair{RoundTo::nearest_away, RoundingMode::nearest_away},
                 Pair{RoundTo::zero, RoundingMode::toward_zero},
                 Pair{RoundTo::down, RoundingMode::down},
                 Pair{RoundTo::up, RoundingMode::up}}) {
    for (int i = 0; i < 200'000; ++i) {
      // Exponents from below the least subnormal to beyond the largest.
      double x = std::ldexp(static_cast<double>(random() >> 11),
                            static_cast<int>(random() % 330) - 220);
      if (i % 3 == 0) x = static_cast<float>(x);
      if (i % 7 == 0) x = widen(Format::f16, random() & 0x7bffU) * 1.5;
      if ((random() & 1U) != 0) x = -x;
      ASSERT_EQ(narrow(x, {Format::f16, m.ours}),
                encode_float(DType::f16, x, m.core))
          << std::hexfloat << x;
      ASSERT_EQ(narrow(x, {Format::bf16, m.ours}),
                encode_float(DType::bf16, x, m.core))
          << std::hexfloat << x;
    }
  }
}

TEST(Widen, IsWhatCoreDecodes) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    auto same = [&](double got, double want) {
      EXPECT_TRUE(std::isnan(want)
                      ? std::isnan(got)
                      : got == want && std::signbit(got) == std::signbit(want))
          << b;
    };
    same(widen(Format::f16, b), decode_float(DType::f16, b));
    same(widen(Format::bf16, b), decode_float(DType::bf16, b));
    if (b > 0xff) continue;
    same(widen(Format::e4m3, b), decode_float(DType::f8e4m3fn, b));
    same(widen(Format::e5m2, b), decode_float(DType::f8e5m2, b));
    same(widen(Format::ue8m0, b), decode_float(DType::f8e8m0fnu, b));
  }
}

TEST(Tf32, KeepsTenBits) {
  EXPECT_EQ(narrow(1 + 0x1p-11, {Format::tf32, RoundTo::nearest_even}),
            0x3f800000U);
  EXPECT_EQ(narrow(1 + 0x1p-11, {Format::tf32, RoundTo::nearest_away}),
            0x3f802000U);
  EXPECT_EQ(narrow(-1 - 0x1.8p-10, {Format::tf32, RoundTo::zero}), 0xbf802000U);
  EXPECT_EQ(narrow(0x1.fffffep127, {Format::tf32}), 0x7f800000U);
  EXPECT_EQ(narrow(0x1.fffffep127, {Format::tf32, RoundTo::zero}), 0x7f7fe000U);
}

TEST(ToInteger, ClampsAndTurnsNanIntoWhatTheIsaSays) {
  auto get = [](double x, unsigned bits, bool is_s, bool f64,
                RoundTo mode = RoundTo::zero) {
    return to_integer(x, {bits, is_s, mode, f64});
  };
  double nan = std::nan("");
  EXPECT_EQ(get(nan, 32, true, false), 0U);
  EXPECT_EQ(get(nan, 8, false, false), 0U);
  EXPECT_EQ(get(nan, 64, true, false), 0x8000000000000000ULL);
  EXPECT_EQ(get(nan, 64, false, false), 0x8000000000000000ULL);
  EXPECT_EQ(get(nan, 32, false, true), 0x80000000ULL);
  EXPECT_EQ(get(1e30, 32, true, false), 0x7fffffffU);
  EXPECT_EQ(get(-1e30, 32, true, false), ~0x7fffffffULL);
  EXPECT_EQ(get(-1, 32, false, false), 0U);
  EXPECT_EQ(get(300, 8, false, false), 255U);
  EXPECT_EQ(get(1e30, 64, false, false), ~0ULL);
  EXPECT_EQ(get(0x1.fffffep62, 64, true, false), 0x7fffff8000000000ULL);
  EXPECT_EQ(get(2.5, 32, true, false, RoundTo::nearest_even), 2U);
  EXPECT_EQ(get(-2.5, 32, true, false, RoundTo::down), ~2ULL);
  EXPECT_EQ(get(2.1, 32, true, false, RoundTo::up), 3U);
}

TEST(OddDouble, IsExactOrOdd) {
  EXPECT_EQ(odd_double(5, true), -5.0);
  EXPECT_EQ(odd_double((1ULL << 60) + 1, false), 0x1.0000000000001p60);
  EXPECT_EQ(odd_double(~0ULL, false), 0x1.fffffffffffffp63);
}

}  // namespace
}  // namespace assay::ptx
