// The math text against MPFR: errors in ulp over strided sweeps, special
// values, and the conversions against core's integer code.
#include "compiler/math/math.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "core/float_bits.h"

namespace assay::compiler {
namespace {

using U64 = std::uint64_t;

class Mpfr {
 public:
  Mpfr() { mpfr_init2(v_, 200); }
  ~Mpfr() { mpfr_clear(v_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  mpfr_ptr get() { return v_; }

 private:
  mpfr_t v_;
};

// |got - exact| in units in the last place of `exact` in format `t`.
double error_in_ulp(DType t, double got, mpfr_ptr exact) {
  if (mpfr_nan_p(exact) != 0) {
    return std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  }
  const FloatFormat f = float_format(t);
  // What rounds to infinity or comes out infinite is compared as a class.
  Mpfr difference;
  const double nearest = mpfr_get_d(exact, MPFR_RNDN);
  const double as_element = decode_float(t, encode_float(t, nearest));
  if (std::isinf(got) || std::isinf(as_element)) {
    return got == as_element ? 0 : std::numeric_limits<double>::infinity();
  }
  mpfr_d_sub(difference.get(), got, exact, MPFR_RNDN);
  mpfr_abs(difference.get(), difference.get(), MPFR_RNDN);
  if (mpfr_zero_p(difference.get()) != 0) return 0;
  const long exponent = mpfr_zero_p(exact) != 0
                            ? f.emin
                            : std::max<long>(mpfr_get_exp(exact) - 1, f.emin);
  mpfr_mul_2si(difference.get(), difference.get(), f.precision - 1 - exponent,
               MPFR_RNDN);
  return mpfr_get_d(difference.get(), MPFR_RNDU);
}

using Reference = void (*)(mpfr_ptr out, double x);

// The reference for a function that MPFR has.
template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void ref(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  kFunction(out, out, MPFR_RNDN);
}

void ref_rsqrt(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  if (x == 0 && std::signbit(x)) {
    mpfr_set_inf(out, -1);  // 1 / sqrt(-0) by IEEE 754
  } else {
    mpfr_rec_sqrt(out, out, MPFR_RNDN);
  }
}
void ref_sigmoid(mpfr_ptr out, double x) {
  mpfr_set_d(out, -x, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  mpfr_ui_div(out, 1, out, MPFR_RNDN);
}
void ref_silu(mpfr_ptr out, double x) {
  ref_sigmoid(out, x);
  mpfr_mul_d(out, out, x, MPFR_RNDN);
}
void ref_mish(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_log1p(out, out, MPFR_RNDN);
  mpfr_tanh(out, out, MPFR_RNDN);
  mpfr_mul_d(out, out, x, MPFR_RNDN);
}
void ref_lgamma(mpfr_ptr out, double x) {
  int sign = 0;
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_lgamma(out, &sign, out, MPFR_RNDN);
}
// exp(x^2) erfc(x); where that would leave MPFR's exponents, what is within
// 2^-56 of it: (1 - 1 / (2 x^2)) / (x sqrt(pi)).
void ref_erfcx(mpfr_ptr out, double x) {
  Mpfr square;
  mpfr_set_d(square.get(), x, MPFR_RNDN);
  if (x > 0x1p14) {
    mpfr_const_pi(out, MPFR_RNDN);
    mpfr_rec_sqrt(out, out, MPFR_RNDN);
    mpfr_div(out, out, square.get(), MPFR_RNDN);
    mpfr_mul_d(out, out, 1 - 0.5 / x / x, MPFR_RNDN);
    return;
  }
  mpfr_erfc(out, square.get(), MPFR_RNDN);
  mpfr_sqr(square.get(), square.get(), MPFR_RNDN);
  mpfr_exp(square.get(), square.get(), MPFR_RNDN);
  mpfr_mul(out, out, square.get(), MPFR_RNDN);
}
// x erfc(-x / sqrt(2)) / 2
void ref_gelu(mpfr_ptr out, double x) {
  mpfr_sqrt_ui(out, 2, MPFR_RNDN);
  mpfr_d_div(out, -x, out, MPFR_RNDN);
  mpfr_erfc(out, out, MPFR_RNDN);
  mpfr_mul_d(out, out, x / 2, MPFR_RNDN);
}

// sin(pi x) / (pi x), x taken modulo 2 first, which is exact.
void ref_sinc(mpfr_ptr out, double x) {
  Mpfr turn, pi;
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_set_d(turn.get(), std::fmod(x, 2.0), MPFR_RNDN);
  mpfr_mul(turn.get(), turn.get(), pi.get(), MPFR_RNDN);
  mpfr_sin(turn.get(), turn.get(), MPFR_RNDN);
  if (std::fmod(x, 1.0) == 0) mpfr_set_zero(turn.get(), 1);
  mpfr_mul_d(pi.get(), pi.get(), x, MPFR_RNDN);
  mpfr_div(out, turn.get(), pi.get(), MPFR_RNDN);
  if (x == 0) mpfr_set_ui(out, 1, MPFR_RNDN);
}

struct Function {
  const char* name;
  float (*f32)(float);
  double (*f64)(double);
  Reference reference;
  double f32_ulp;  // the bound that is asserted
  double f64_ulp;
  double lo, hi;  // where the f64 sweep looks closely

  // x times what is 0 at -infinity: no spec says what comes of it.
  bool is_undefined(double x) const {
    const bool gated =
        reference == ref_gelu || reference == ref_silu || reference == ref_mish;
    return gated && std::isinf(x);
  }
};

#define ASSAY_FUNCTION(name, reference, b32, b64, lo, hi)           \
  Function {                                                        \
#name, [](float x) { return math::a_##name(x); },                 \
        [](double x) { return math::a_##name(x); }, reference, b32, b64, \
        lo, hi \
  }
#define ASSAY_MPFR(name, b32, b64, lo, hi) \
  ASSAY_FUNCTION(name, ref<mpfr_##name>, b32, b64, lo, hi)

const Function kFunctions[] = {
    ASSAY_MPFR(exp, 0.95, 0.8, -760, 720),
    ASSAY_MPFR(exp2, 0.9, 0.8, -1080, 1030),
    ASSAY_MPFR(expm1, 0.9, 1.0, -45, 720),
    ASSAY_MPFR(log, 0.95, 0.55, 0, 4),
    ASSAY_MPFR(log2, 0.95, 0.55, 0, 4),
    ASSAY_MPFR(log10, 0.9, 0.55, 0, 4),
    ASSAY_MPFR(log1p, 0.9, 0.8, -1, 4),
    ASSAY_MPFR(sin, 0.76, 0.7, -100, 100),
    ASSAY_MPFR(cos, 0.76, 0.7, -100, 100),
    ASSAY_MPFR(tan, 0.89, 2.0, -100, 100),
    ASSAY_FUNCTION(sinc, ref_sinc, 0.51, 2.6, -100, 100),
    ASSAY_MPFR(asin, 0.7, 0.7, -1, 1),
    ASSAY_MPFR(acos, 0.7, 0.7, -1, 1),
    ASSAY_MPFR(atan, 0.9, 0.7, -4, 4),
    ASSAY_MPFR(sinh, 1.7, 2.0, -712, 712),
    ASSAY_MPFR(cosh, 1.3, 2.0, -712, 712),
    ASSAY_MPFR(asinh, 0.5001, 0.7, -4, 4),
    ASSAY_MPFR(acosh, 0.5001, 0.7, 1, 5),
    ASSAY_MPFR(atanh, 0.5001, 0.7, -1, 1),
    ASSAY_MPFR(erf, 1.0, 1.3, -6.5, 6.5),
    ASSAY_MPFR(erfc, 2.0, 4.0, -6.5, 28),
    ASSAY_MPFR(tanh, 1.0, 1.5, -20, 20),
    ASSAY_FUNCTION(rsqrt, ref_rsqrt, 0.51, 0.55, 0, 4),
    ASSAY_FUNCTION(sigmoid, ref_sigmoid, 0.95, 2.5, -760, 40),
    ASSAY_FUNCTION(silu, ref_silu, 0.95, 3.5, -700, 40),
    ASSAY_FUNCTION(mish, ref_mish, 0.81, 5.0, -700, 40),
    ASSAY_FUNCTION(gelu, ref_gelu, 2.0, 4.0, -39, 9),
    ASSAY_FUNCTION(erfcx, ref_erfcx, 0.7, 4.0, -27, 60),
    ASSAY_FUNCTION(lgamma, ref_lgamma, 2.0, 4.5, 0, 40),
};
#undef ASSAY_MPFR
#undef ASSAY_FUNCTION

class MathSweep : public ::testing::TestWithParam<Function> {};

TEST_P(MathSweep, F32StaysWithinItsBound) {
  const Function& f = GetParam();
  Mpfr exact;
  double worst = 0;
  float worst_at = 0;
  // A stride that is odd visits signs, exponents and fractions alike.
  for (U64 bits = 0; bits < (U64{1} << 32); bits += 65539) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (f.is_undefined(x)) continue;
    f.reference(exact.get(), x);
    const double e = error_in_ulp(DType::f32, f.f32(x), exact.get());
    if (e > worst) {
      worst = e;
      worst_at = x;
    }
  }
  EXPECT_LE(worst, f.f32_ulp) << f.name << " at " << worst_at;
  std::printf("%s: worst %.4f ulp at %a\n", f.name, worst,
              static_cast<double>(worst_at));
}

TEST_P(MathSweep, F64StaysWithinItsBound) {
  const Function& f = GetParam();
  Mpfr exact;
  double worst = 0;
  double worst_at = 0;
  const auto look = [&](double x) {
    if (f.is_undefined(x)) return;
    f.reference(exact.get(), x);
    const double e = error_in_ulp(DType::f64, f.f64(x), exact.get());
    if (e > worst) {
      worst = e;
      worst_at = x;
    }
  };
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> close(f.lo, f.hi);
  const double largest = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::min();
  const double least = std::numeric_limits<double>::denorm_min();
  for (const double end : {largest, largest / 2, tiny, tiny / 2, least, 0.0,
                           std::numeric_limits<double>::infinity()}) {
    for (const double x : {end, std::nextafter(end, 1.0)}) {
      look(x);
      look(-x);
    }
  }
  for (int i = 0; i < 6000; ++i) {
    look(std::bit_cast<double>(random()));
    look(close(random));
    look(close(random) * 0.01);
    look(1 + close(random) * 1e-6);
  }
  EXPECT_LE(worst, f.f64_ulp) << f.name << " at " << worst_at;
  std::printf("%s: worst %.4f ulp at %a\n", f.name, worst,
              static_cast<double>(worst_at));
}

INSTANTIATE_TEST_SUITE_P(All, MathSweep, ::testing::ValuesIn(kFunctions),
                         [](const auto& i) { return i.param.name; });

// A million inputs more, against libm's doubles, which are good to an ulp or
// two of f64: bounds, NaN, infinities and the sign of zeros.
TEST(Math, F32StaysNextToLibmsDouble) {
  const struct {
    const char* name;
    float (*ours)(float);
    double (*libm)(double);
    double ulp;
  } kPairs[] = {{"exp", math::a_exp, std::exp, 0.95},
                {"exp2", math::a_exp2, std::exp2, 0.9},
                {"expm1", math::a_expm1, std::expm1, 0.9},
                {"log", math::a_log, std::log, 0.95},
                {"log2", math::a_log2, std::log2, 0.95},
                {"log10", math::a_log10, std::log10, 0.9},
                {"log1p", math::a_log1p, std::log1p, 0.9},
                {"sin", math::a_sin, std::sin, 0.76},
                {"cos", math::a_cos, std::cos, 0.76},
                {"tan", math::a_tan, std::tan, 0.89},
                {"asin", math::a_asin, std::asin, 0.7},
                {"acos", math::a_acos, std::acos, 0.7},
                {"atan", math::a_atan, std::atan, 0.9},
                {"sinh", math::a_sinh, std::sinh, 1.7},
                {"cosh", math::a_cosh, std::cosh, 1.3},
                {"tanh", math::a_tanh, std::tanh, 1.0},
                {"asinh", math::a_asinh, std::asinh, 0.5001},
                {"acosh", math::a_acosh, std::acosh, 0.5001},
                {"atanh", math::a_atanh, std::atanh, 0.5001},
                {"erf", math::a_erf, std::erf, 1.0},
                {"erfc", math::a_erfc, std::erfc, 2.0}};
  for (const auto& f : kPairs) {
    for (U64 bits = 0; bits < (U64{1} << 32); bits += 4093) {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      const float got = f.ours(x);
      const double exact = f.libm(x);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(got)) << f.name << " of " << x;
        continue;
      }
      const auto nearest = static_cast<float>(exact);
      if (std::isinf(got) || std::isinf(nearest)) {
        ASSERT_EQ(got, nearest) << f.name << " of " << x;
        continue;
      }
      const int e = std::max(exact == 0 ? -126 : std::ilogb(exact), -126);
      ASSERT_LE(std::ldexp(std::fabs(got - exact), 23 - e), f.ulp)
          << f.name << " of " << x;
      ASSERT_EQ(std::signbit(got), std::signbit(exact))
          << f.name << " of " << x;
    }
  }
}

// Next to where one formula gives way to another, and at the ends of the range,
// what rises never falls by more than a last place.
TEST(Math, F32RisesOverItsJoints) {
  const struct {
    const char* name;
    float (*ours)(float);
    std::vector<float> joints;
  } kRising[] = {
      {"exp", math::a_exp, {-104.0f, -87.33655f, 0.0f, 0.34657359f, 88.72283f}},
      {"exp2", math::a_exp2, {-150.0f, -126.0f, 0.5f, 127.99999f}},
      {"expm1", math::a_expm1, {-18.0f, -0x1p-25f, 0x1p-25f, 88.72283f}},
      {"log", math::a_log, {0x1p-126f, 0x1.555556p-1f, 1.0f, 0x1.555556p+0f}},
      {"log1p", math::a_log1p, {-1.0f, -0x1p-25f, 0x1p-25f, 0x1.555556p-2f}},
      {"tanh", math::a_tanh, {-1.0f, 1.0f, 9.010914f, 10.0f}},
      {"erf", math::a_erf, {-1.0f, 1.0f, 3.8325069f, 4.0f}},
      {"sigmoid", math::a_sigmoid, {-130.0f, -103.97208f, 0.0f, 17.0f}},
      {"sinh", math::a_sinh, {-1.0f, 1.0f, 89.41598f}},
      {"atan", math::a_atan, {0.41421357f, 2.4142137f, 0x1p60f}},
      {"asinh", math::a_asinh, {0.4f, 0x1p64f}},
      {"atanh", math::a_atanh, {0.2f, 0.99999994f}},
      {"asin", math::a_asin, {-0.5f, 0.5f, 1.0f}},
      {"acosh", math::a_acosh, {1.0f, 1.08f}},
  };
  for (const auto& f : kRising) {
    for (const float joint : f.joints) {
      float x = joint;
      for (int i = 0; i < 2000; ++i) x = std::nextafter(x, -HUGE_VALF);
      float before = f.ours(x);
      int falls = 0;
      for (int i = 0; i < 4000; ++i) {
        x = std::nextafter(x, HUGE_VALF);
        const float y = f.ours(x);
        falls += y < std::nextafter(before, -HUGE_VALF) ? 1 : 0;
        before = y;
      }
      EXPECT_EQ(falls, 0) << f.name << " at " << joint;
    }
  }
}

// x / (1 + exp(-2 sqrt(2/pi) (x + 0.044715 x^3)))
void ref_gelu_tanh(mpfr_ptr out, double x) {
  Mpfr cube, c;
  mpfr_const_pi(c.get(), MPFR_RNDN);
  mpfr_ui_div(c.get(), 8, c.get(), MPFR_RNDN);
  mpfr_sqrt(c.get(), c.get(), MPFR_RNDN);
  mpfr_set_d(cube.get(), x, MPFR_RNDN);
  mpfr_pow_ui(cube.get(), cube.get(), 3, MPFR_RNDN);
  mpfr_mul_d(cube.get(), cube.get(), 0.044715, MPFR_RNDN);
  mpfr_add_d(cube.get(), cube.get(), x, MPFR_RNDN);
  mpfr_mul(out, cube.get(), c.get(), MPFR_RNDN);
  mpfr_neg(out, out, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  mpfr_d_div(out, x, out, MPFR_RNDN);
}

// Every f16 and every bf16, rounded as the result is: what f32 errs by, 5 ulp
// at most, tells next to ties alone.
TEST(Math, SixteenBitsAreRoundedOnce) {
  const struct {
    const char* name;
    float (*ours)(float);
    Reference reference;
    bool f16_alone = false;
  } kActivations[] = {
      {"gelu", math::a_gelu, ref_gelu},
      {"gelu_f16", math::a_gelu_f16, ref_gelu, true},
      {"gelu_tanh", math::a_gelu_tanh, ref_gelu_tanh},
      {"silu", math::a_silu, ref_silu},
      {"silu_narrow", math::a_silu_narrow, ref_silu},
      {"sigmoid", math::a_sigmoid, ref_sigmoid},
  };
  Mpfr exact;
  for (const auto& f : kActivations) {
    for (const DType t : {DType::f16, DType::bf16}) {
      if (f.f16_alone && t != DType::f16) continue;
      for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const double x = decode_float(t, bits);
        const bool gated = f.reference != ref_sigmoid;
        if (gated && std::isinf(x) && x < 0) continue;  // no spec says
        const float y = f.ours(static_cast<float>(x));
        const auto rounded =
            t == DType::f16 ? math::a_to_f16(y) : math::a_to_bf16(y);
        f.reference(exact.get(), x);
        const double got = decode_float(t, rounded);
        ASSERT_LE(error_in_ulp(t, got, exact.get()),
                  0.5 + (t == DType::f16 ? 5 * 0x1p-13 : 5 * 0x1p-16))
            << f.name << " of " << dtype_name(t) << " " << x;
        if (gated && !std::isnan(x)) {
          ASSERT_EQ(std::signbit(got), std::signbit(x)) << f.name << x;
        }
      }
    }
  }
}

// x / (1 + exp(-2 sqrt(2/pi) (x + 0.044715 x^3))): the formula's own argument
// is rounded in double, so what is granted grows with |x|, as gelu's spec has
// it (specs/ops/pointwise/activation/gelu.yaml). In f32 it is a sum of two.
TEST(Math, GeluTanhStaysWithinTheSpecsBound) {
  Mpfr u;
  for (int n = -20000; n < 20000; ++n) {
    const double x = n * 0.0007;
    ref_gelu_tanh(u.get(), x);
    const double got = math::a_gelu_tanh(x);
    const double exact = mpfr_get_d(u.get(), MPFR_RNDN);
    const double granted = std::max(4 * std::fabs(exact), 2 * std::fabs(x));
    ASSERT_LE(std::fabs(got - exact), granted * 0x1p-52) << x;
    const auto narrow = static_cast<float>(x);
    ref_gelu_tanh(u.get(), narrow);
    ASSERT_LE(error_in_ulp(DType::f32, math::a_gelu_tanh(narrow), u.get()), 1)
        << x;
  }
}

TEST(Math, ExactWhereTheResultIs) {
  for (int k = -1074; k < 1024; ++k) {
    ASSERT_EQ(math::a_log2(std::ldexp(1.0, k)), k);
  }
  for (int k = -149; k < 128; ++k) {
    ASSERT_EQ(math::a_log2(std::ldexp(1.0f, k)), static_cast<float>(k));
  }
  for (int k = -1074; k < 1024; ++k) {
    ASSERT_EQ(math::a_exp2(static_cast<double>(k)), std::ldexp(1.0, k));
  }
  EXPECT_EQ(math::a_exp(0.0), 1.0);
  EXPECT_EQ(math::a_exp(-0.0f), 1.0f);
  EXPECT_EQ(math::a_sigmoid(0.0f), 0.5f);
  for (const double zero : {0.0, -0.0}) {
    const auto x = static_cast<float>(zero);
    for (const float y :
         {math::a_silu(x), math::a_mish(x), math::a_gelu_tanh(x),
          math::a_erf(x), math::a_tanh(x), math::a_gelu(x), math::a_expm1(x),
          math::a_log1p(x), math::a_sin(x), math::a_tan(x), math::a_asin(x),
          math::a_atan(x), math::a_sinh(x), math::a_asinh(x),
          math::a_atanh(x)}) {
      EXPECT_EQ(y, 0);
      EXPECT_EQ(std::signbit(y), std::signbit(zero));
    }
  }
}

// What ISO C, annex F.10 gives without tolerance, beyond zeros.
TEST(Math, SpecialValues) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double zero : {0.0, -0.0}) {
    EXPECT_EQ(math::a_exp2(zero), 1);
    EXPECT_EQ(math::a_cos(zero), 1);
    EXPECT_EQ(math::a_cosh(zero), 1);
    EXPECT_EQ(math::a_log10(zero), -inf);
  }
  EXPECT_EQ(math::a_expm1(-inf), -1);
  EXPECT_EQ(math::a_log1p(-1.0), -inf);
  EXPECT_EQ(math::a_sinh(-inf), -inf);
  EXPECT_EQ(math::a_cosh(-inf), inf);
  EXPECT_EQ(math::a_asinh(-inf), -inf);
  EXPECT_EQ(math::a_acosh(inf), inf);
  EXPECT_EQ(math::a_atanh(-1.0), -inf);
  EXPECT_EQ(math::a_erfc(inf), 0);
  EXPECT_EQ(math::a_erfc(-inf), 2);
  for (const double y :
       {math::a_log10(1.0), math::a_acos(1.0), math::a_acosh(1.0)}) {
    EXPECT_EQ(y, 0);
    EXPECT_FALSE(std::signbit(y));
  }
  for (const double y :
       {math::a_log10(-1.0), math::a_log1p(-1.5), math::a_acosh(0.5),
        math::a_acosh(-inf), math::a_atanh(1.5), math::a_asin(-1.5),
        math::a_acos(inf), math::a_sin(inf), math::a_cos(-inf),
        math::a_tan(inf), math::a_sinc(inf)}) {
    EXPECT_TRUE(std::isnan(y));
  }
}

// Where an argument's reduction cancels: next to multiples of pi / 2 at every
// magnitude, and the double that is nearest of all to one.
TEST(Math, AnglesNextToMultiplesOfAQuarterTurn) {
  std::mt19937_64 random(4);
  Mpfr turn, x, exact;
  mpfr_set_prec(turn.get(), 1300);
  mpfr_set_prec(x.get(), 1300);
  mpfr_const_pi(turn.get(), MPFR_RNDN);
  const auto look = [&](double v) {
    ref<mpfr_sin>(exact.get(), v);
    EXPECT_LE(error_in_ulp(DType::f64, math::a_sin(v), exact.get()), 0.8) << v;
    ref<mpfr_cos>(exact.get(), v);
    EXPECT_LE(error_in_ulp(DType::f64, math::a_cos(v), exact.get()), 0.8) << v;
    ref<mpfr_tan>(exact.get(), v);
    EXPECT_LE(error_in_ulp(DType::f64, math::a_tan(v), exact.get()), 2.0) << v;
  };
  look(0x1.6ac5b262ca1ffp+849);
  look(-0x1.6ac5b262ca1ffp+849);
  for (int i = 0; i < 20000; ++i) {
    // An odd or even multiple below 2^53, times a power of two.
    mpfr_mul_d(x.get(), turn.get(),
               static_cast<double>(random() >> (11 + random() % 53)),
               MPFR_RNDN);
    mpfr_mul_2si(x.get(), x.get(), static_cast<long>(random() % 900) - 1,
                 MPFR_RNDN);
    look(mpfr_get_d(x.get(), MPFR_RNDN));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Half, NarrowingFromF32IsExhaustivelyRight) {
  // Every f32 whose low bits can matter: all upper halves, and the lower
  // halves around the ties.
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low :
         {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu, 0x2000u, 0x3000u, 0x5000u,
          0x7fffu, 0x8000u, 0x8001u, 0xf000u, 0xffffu}) {
      const float x = std::bit_cast<float>(high << 16 | low);
      ASSERT_EQ(math::a_to_f16(x), encode_float(DType::f16, x)) << x;
      ASSERT_EQ(math::a_to_bf16(x), encode_float(DType::bf16, x)) << x;
    }
  }
}

TEST(Half, WideningIsExhaustivelyExact) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto h = static_cast<unsigned short>(bits);
    for (const DType t : {DType::f16, DType::bf16}) {
      const double expected = decode_float(t, bits);
      const float got =
          t == DType::f16 ? math::a_from_f16(h) : math::a_from_bf16(h);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got));
        continue;
      }
      ASSERT_EQ(static_cast<double>(got), expected);
      ASSERT_EQ(std::signbit(got), std::signbit(expected));
      ASSERT_EQ(t == DType::f16 ? math::a_to_f16(got) : math::a_to_bf16(got),
                bits);
    }
  }
}

// Ties and their neighbours a last place of f64 away: through f32 they would
// be rounded twice.
TEST(Half, NarrowingFromF64RoundsOnce) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000000; ++i) {
    U64 bits = random();
    if (i % 2 == 0) {
      const double tie =
          std::ldexp(static_cast<double>(random() % 8192 * 2 + 1),
                     static_cast<int>(random() % 60) - 50);
      bits = std::bit_cast<U64>(tie) + random() % 3 - 1;
    }
    const double x = std::bit_cast<double>(bits);
    ASSERT_EQ(math::a_to_f16(x), encode_float(DType::f16, x)) << x;
    ASSERT_EQ(math::a_to_bf16(x), encode_float(DType::bf16, x)) << x;
  }
}

TEST(Half, NarrowingFromI64RoundsOnce) {
  std::mt19937_64 random(3);
  Mpfr exact;
  for (int i = 0; i < 200000; ++i) {
    long v = static_cast<long>(random()) >> (random() % 64);
    if (i % 4 == 0) {
      v = (static_cast<long>(random() % 1024 * 2 + 1) << (random() % 52)) +
          static_cast<long>(random() % 3) - 1;
    }
    // bf16 has 8 bits: MPFR at that precision is one rounding.
    mpfr_set_prec(exact.get(), 8);
    mpfr_set_si(exact.get(), v, MPFR_RNDN);
    ASSERT_EQ(math::a_to_bf16(v),
              encode_float(DType::bf16, mpfr_get_d(exact.get(), MPFR_RNDN)))
        << v;
    ASSERT_EQ(math::a_to_f16(v),
              encode_float(DType::f16, static_cast<double>(v)))
        << v;
  }
}

}  // namespace
}  // namespace assay::compiler
