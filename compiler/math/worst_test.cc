// Every float of the stretches where f32 functions err most, which strides
// over all floats rarely meet: exhaustive sweeps found them. Against libm's
// doubles. And exp where it is known to be below 1, against exp.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "compiler/math/math.h"

namespace assay::compiler {
namespace {

double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double silu(double x) { return x * sigmoid(x); }
double gelu(double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); }

struct Stretch {
  const char* name;
  float (*ours)(float);
  double (*libm)(double);
  float middle;
  double ulp;
};

constexpr Stretch kStretches[] = {
    {"exp", math::a_exp, std::exp, -5.849156F, 1.0},
    {"log", math::a_log, std::log, 2.689642F, 1.0},
    {"log2", math::a_log2, std::log2, 1.34023F, 1.0},
    {"log2", math::a_log2, std::log2, 1.3578F, 1.0},
    {"log10", math::a_log10, std::log10, 1.32393F, 1.0},
    {"expm1", math::a_expm1, std::expm1, 0.370403F, 1.0},
    {"log1p", math::a_log1p, std::log1p, 0.361122F, 1.0},
    {"sigmoid", math::a_sigmoid, sigmoid, -5.22653F, 1.0},
    {"silu", math::a_silu, silu, -90.4562F, 1.0},
    {"gelu", math::a_gelu, gelu, -12.9903F, 2.0},
    {"gelu", math::a_gelu, gelu, -1.39417F, 2.0},
    {"gelu", math::a_gelu, gelu, -0.8065F, 2.0},
    {"gelu", math::a_gelu, gelu, -0.798264F, 2.0},
};

TEST(MathWhereItErrsMost, StaysWithinTheBound) {
  for (const Stretch& s : kStretches) {
    const auto middle = std::bit_cast<std::uint32_t>(s.middle);
    for (std::uint32_t i = 0; i < 1 << 18; ++i) {
      const auto x = std::bit_cast<float>(middle - (1 << 17) + i);
      const double exact = s.libm(x);
      const int e = std::max(std::ilogb(exact), -126);
      const double error = std::fabs(s.ours(x) - exact);
      ASSERT_LE(std::ldexp(error, 23 - e), s.ulp) << s.name << " of " << x;
    }
  }
}

TEST(Math, ExpBelowZeroIsExp) {
  for (std::uint32_t b = 0x80000000u; b < 0xffc00001u; b += 1021) {
    const float x = math::a_float(b);
    if (x != x) break;
    ASSERT_EQ(math::a_bits(math::a_exp_below(x)), math::a_bits(math::a_exp(x)))
        << x;
  }
  for (const float x : {0.0f, -0.0f, -104.0f, -HUGE_VALF, -87.33655f}) {
    ASSERT_EQ(math::a_bits(math::a_exp_below(x)), math::a_bits(math::a_exp(x)))
        << x;
  }
  EXPECT_TRUE(std::isnan(math::a_exp_below(std::nanf(""))));
}

}  // namespace
}  // namespace assay::compiler
