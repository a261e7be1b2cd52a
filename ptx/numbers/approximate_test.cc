// The approximate instructions: the nominal value is the correctly rounded
// one (MPFR), the ends are as far from it as the ISA's bound says and no
// farther, and the special values are the tables'.
#include "ptx/numbers/approximate.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace assay::ptx {
namespace {

using Exact = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

struct Function {
  const char* name;
  Approximate id;
  Exact exact;
  double low, high;  // where arguments are taken from
};

int reciprocal(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
  return mpfr_ui_div(r, 1, x, m);
}

const Function kFunctions[] = {
    {"ex2", Approximate::ex2_f32, mpfr_exp2, -150, 130},
    {"lg2", Approximate::lg2_f32, mpfr_log2, 0, 1e38},
    {"sin", Approximate::sin_f32, mpfr_sin, -310, 310},
    {"cos", Approximate::cos_f32, mpfr_cos, -310, 310},
    {"tanh", Approximate::tanh_f32, mpfr_tanh, -10, 10},
    {"rcp", Approximate::rcp_f32, reciprocal, -1e38, 1e38},
    {"rsqrt", Approximate::rsqrt_f32, mpfr_rec_sqrt, 0, 1e38},
    {"sqrt", Approximate::sqrt_f32, mpfr_sqrt, 0, 1e38},
};

float value(Approximate f, Approximation which, float x, float y = 0) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(
      approximate(f, which, std::bit_cast<std::uint32_t>(x),
                  std::bit_cast<std::uint32_t>(y))));
}

// Half uniform, half uniform in the exponent.
std::vector<float> arguments(double low, double high) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> flat(low, high);
  std::vector<float> all;
  while (all.size() < 20'000) {
    float x = static_cast<float>(flat(random));
    if (all.size() % 2 == 0)
      x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (x == 0 || !std::isfinite(x) || x < low || x > high) continue;
    all.push_back(x);
  }
  return all;
}

// Rounded once, subnormals included.
float correctly_rounded(Exact f, float x) {
  mpfr_t a;
  mpfr_t r;
  mpfr_init2(a, 24);
  mpfr_init2(r, 24);
  mpfr_set_flt(a, x, MPFR_RNDN);
  mpfr_exp_t least = mpfr_get_emin();
  mpfr_exp_t most = mpfr_get_emax();
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  int ternary = f(r, a, MPFR_RNDN);
  ternary = mpfr_check_range(r, ternary, MPFR_RNDN);
  mpfr_subnormalize(r, ternary, MPFR_RNDN);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  float result = mpfr_get_flt(r, MPFR_RNDN);
  mpfr_clears(a, r, static_cast<mpfr_ptr>(nullptr));
  return result;
}

double precisely(Exact f, float x) {
  mpfr_t a;
  mpfr_t r;
  mpfr_init2(a, 24);
  mpfr_init2(r, 53);
  mpfr_set_flt(a, x, MPFR_RNDN);
  f(r, a, MPFR_RNDN);
  double result = mpfr_get_d(r, MPFR_RNDN);
  mpfr_clears(a, r, static_cast<mpfr_ptr>(nullptr));
  return result;
}

double ulp(double x) {
  return std::ldexp(1.0, std::max(std::ilogb(x), -126) - 23);
}

// The ISA's bound at x, as a distance from the exact value y.
double bound(Approximate f, double x, double y) {
  constexpr double kTwoPi = 6.283185307179586;
  switch (f) {
    case Approximate::lg2_f32:
      return x > 0.5 && x < 2 ? 0x1p-22 : std::fabs(y) * 0x1p-22;
    case Approximate::sin_f32:
    case Approximate::cos_f32:
      return std::fabs(x) <= kTwoPi ? std::exp2(-20.5) : std::exp2(-14.7);
    case Approximate::tanh_f32:
      return std::fabs(y) * 0x1p-11;
    case Approximate::rcp_f32:
      return ulp(y);
    case Approximate::rsqrt_f32:
      return std::fabs(y) * std::exp2(-22.9);
    default:
      return std::fabs(y) * 0x1p-23;
  }
}

TEST(Approximate, NominalIsCorrectlyRounded) {
  for (const Function& f : kFunctions)
    for (float x : arguments(f.low, f.high))
      ASSERT_EQ(value(f.id, Approximation::nominal, x),
                correctly_rounded(f.exact, x))
          << f.name << " " << std::hexfloat << x;
}

TEST(Approximate, EndsAreAsFarAsTheBound) {
  for (const Function& f : kFunctions) {
    if (f.id == Approximate::ex2_f32) continue;  // see below
    for (float x : arguments(f.low, f.high)) {
      double y = precisely(f.exact, x);
      if (std::fabs(y) > 0x1p127 || std::fabs(y) < 0x1p-120) continue;
      double most = bound(f.id, x, y);
      double low = value(f.id, Approximation::lowest, x);
      double high = value(f.id, Approximation::highest, x);
      // Within the bound (a double's rounding of slack), and one step more
      // would not be.
      double slack = std::fabs(y) * 0x1p-50;
      ASSERT_LE(y - low, most + slack) << f.name << " " << x;
      ASSERT_LE(high - y, most + slack) << f.name << " " << x;
      ASSERT_GE(y - low, most - 1.01 * ulp(low) - slack) << f.name << " " << x;
      ASSERT_GE(high - y, most - 1.01 * ulp(high) - slack)
          << f.name << " " << x;
    }
  }
}

TEST(Approximate, ExponentialIsTwoStepsFromTheRoundedResult) {
  for (float x : arguments(-120, 120)) {
    float middle = value(Approximate::ex2_f32, Approximation::nominal, x);
    float low = value(Approximate::ex2_f32, Approximation::lowest, x);
    float high = value(Approximate::ex2_f32, Approximation::highest, x);
    auto up = [](float y) { return std::nextafter(y, HUGE_VALF); };
    ASSERT_EQ(up(up(low)), middle) << x;
    ASSERT_EQ(up(up(middle)), high) << x;
  }
}

TEST(Approximate, SpecialValues) {
  float inf = HUGE_VALF;
  float nan = std::nanf("");
  for (Approximation w : {Approximation::nominal, Approximation::lowest,
                          Approximation::highest}) {
    auto is = [&](Approximate f, float x, float want) {
      float got = value(f, w, x);
      EXPECT_TRUE(std::isnan(want)
                      ? std::isnan(got)
                      : got == want && std::signbit(got) == std::signbit(want))
          << static_cast<int>(f) << " " << x << " " << got;
    };
    is(Approximate::ex2_f32, -inf, 0.0F);
    is(Approximate::ex2_f32, inf, inf);
    is(Approximate::lg2_f32, -inf, nan);
    is(Approximate::lg2_f32, -1, nan);
    is(Approximate::lg2_f32, -0.0F, -inf);
    is(Approximate::lg2_f32, 0.0F, -inf);
    is(Approximate::lg2_f32, inf, inf);
    is(Approximate::sin_f32, inf, nan);
    is(Approximate::sin_f32, -0.0F, -0.0F);
    is(Approximate::cos_f32, -inf, nan);
    is(Approximate::cos_f32, -0.0F, 1);
    is(Approximate::tanh_f32, -inf, -1);
    is(Approximate::tanh_f32, -0.0F, -0.0F);
    is(Approximate::tanh_f32, 0x1p-140F, 0x1p-140F);
    is(Approximate::rcp_f32, -inf, -0.0F);
    is(Approximate::rcp_f32, -0.0F, -inf);
    is(Approximate::rcp_f32, 0.0F, inf);
    is(Approximate::rsqrt_f32, -1, nan);
    is(Approximate::rsqrt_f32, -0.0F, -inf);
    is(Approximate::rsqrt_f32, inf, 0.0F);
    is(Approximate::sqrt_f32, -inf, nan);
    is(Approximate::sqrt_f32, -0.0F, -0.0F);
    is(Approximate::sqrt_f32, inf, inf);
    for (const Function& f : kFunctions) is(f.id, nan, nan);
  }
}

TEST(Approximate, Division) {
  auto div = [](bool full, Approximation w, float a, float b) {
    return value(full ? Approximate::div_full_f32 : Approximate::div_f32, w, a,
                 b);
  };
  auto nominal = Approximation::nominal;
  EXPECT_EQ(div(true, nominal, 1, 3), 1.0F / 3);
  // Above 2^126 the plain one gives zeros, and NaN of infinities.
  EXPECT_EQ(div(false, nominal, 0x1p127F, 0x1.8p126F), 0);
  EXPECT_TRUE(std::signbit(div(false, nominal, -1, 0x1.8p126F)));
  EXPECT_TRUE(std::isnan(div(false, nominal, HUGE_VALF, 0x1.8p126F)));
  EXPECT_EQ(div(true, nominal, 0x1.8p127F, 0x1.8p126F), 2);
  EXPECT_EQ(div(true, nominal, 1, 0), HUGE_VALF);
  EXPECT_TRUE(std::isnan(div(true, nominal, 0, 0)));
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    float a = std::ldexp(static_cast<float>(random() % 1'000'000 + 1),
                         static_cast<int>(random() % 60) - 30);
    float b = std::ldexp(static_cast<float>(random() % 1'000'000 + 1),
                         static_cast<int>(random() % 60) - 30);
    double y = static_cast<double>(a) / b;
    ASSERT_EQ(div(true, nominal, a, b), a / b);
    for (bool full : {false, true}) {
      double low = div(full, Approximation::lowest, a, b);
      double high = div(full, Approximation::highest, a, b);
      ASSERT_LE(y - low, 2 * ulp(y));
      ASSERT_LE(high - y, 2 * ulp(y));
      ASSERT_GT(y - low, ulp(y));
      ASSERT_GT(high - y, ulp(y));
    }
  }
}

// All sixteen-bit inputs, against the function in double and the bound.
TEST(Approximate, HalvesStayWithinTheirBounds) {
  for (bool brain : {false, true}) {
    auto decode = [&](std::uint64_t b) -> double {
      auto bits = static_cast<std::uint32_t>(b);
      if (brain) return std::bit_cast<float>(bits << 16);
      int exponent = static_cast<int>((bits >> 10) & 31U);
      double fraction = bits & 0x3ffU;
      double x = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                 : exponent == 0 ? fraction * 0x1p-24
                                 : std::ldexp(1024 + fraction, exponent - 25);
      return (bits & 0x8000U) != 0 ? -x : x;
    };
    for (std::uint64_t b = 0; b < 0x10000; ++b) {
      double x = decode(b);
      if (!std::isfinite(x)) continue;
      auto get = [&](Approximate h, Approximate g, Approximation w) {
        return decode(approximate(brain ? g : h, w, b));
      };
      double most = brain ? 0x1p-8 : std::exp2(-10.987);
      double low = get(Approximate::tanh_f16, Approximate::tanh_bf16,
                       Approximation::lowest);
      double high = get(Approximate::tanh_f16, Approximate::tanh_bf16,
                        Approximation::highest);
      double middle = get(Approximate::tanh_f16, Approximate::tanh_bf16,
                          Approximation::nominal);
      ASSERT_TRUE(low <= middle && middle <= high) << x;
      ASSERT_TRUE(std::tanh(x) - low <= most && high - std::tanh(x) <= most)
          << x;
      double y = std::exp2(x);
      low = get(Approximate::ex2_f16, Approximate::ex2_bf16,
                Approximation::lowest);
      high = get(Approximate::ex2_f16, Approximate::ex2_bf16,
                 Approximation::highest);
      middle = get(Approximate::ex2_f16, Approximate::ex2_bf16,
                   Approximation::nominal);
      ASSERT_TRUE(low <= middle && middle <= high) << x;
      if (y > (brain ? 1e-37 : 1e-4) && y < (brain ? 1e38 : 60000)) {
        double relative = brain ? 0x1p-7 : std::exp2(-9.9);
        ASSERT_LE(y - low, y * relative * (1 + 1e-12)) << x;
        ASSERT_LE(high - y, y * relative * (1 + 1e-12)) << x;
      }
    }
  }
}

TEST(Approximate, GrossDoubles) {
  auto get = [](Approximate f, double x) {
    return approximate(f, Approximation::nominal,
                       std::bit_cast<std::uint64_t>(x));
  };
  EXPECT_EQ(get(Approximate::rcp_f64, 2), 0x3fe0000000000000ULL);
  EXPECT_EQ(get(Approximate::rcp_f64, 3), 0x3fd5555500000000ULL);
  EXPECT_EQ(get(Approximate::rcp_f64, 0x1p-1040), 0x7ff0000000000000ULL);
  EXPECT_EQ(get(Approximate::rcp_f64, std::nan("")), 0x7fffffff00000000ULL);
  EXPECT_EQ(get(Approximate::rcp_f64, -HUGE_VAL), 0x8000000000000000ULL);
  EXPECT_EQ(get(Approximate::rsqrt_ftz_f64, 4), 0x3fe0000000000000ULL);
  EXPECT_EQ(get(Approximate::rsqrt_ftz_f64, -1), 0x7fffffff00000000ULL);
  EXPECT_EQ(get(Approximate::rsqrt_ftz_f64, -0.0), 0xfff0000000000000ULL);
  EXPECT_EQ(get(Approximate::rsqrt_f64, 4), 0x3fe0000000000000ULL);
  EXPECT_NE(approximate(Approximate::rcp_f64, Approximation::lowest,
                        std::bit_cast<std::uint64_t>(3.0)),
            approximate(Approximate::rcp_f64, Approximation::highest,
                        std::bit_cast<std::uint64_t>(3.0)));
}

}  // namespace
}  // namespace assay::ptx
