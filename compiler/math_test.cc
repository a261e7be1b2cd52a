// The math text against MPFR: errors in ulp over strided sweeps, special
// values, and the conversions against core's integer code.
#include "compiler/math.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

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

void ref_exp(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
}
void ref_log(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_log(out, out, MPFR_RNDN);
}
void ref_log2(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_log2(out, out, MPFR_RNDN);
}
void ref_erf(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_erf(out, out, MPFR_RNDN);
}
void ref_tanh(mpfr_ptr out, double x) {
  mpfr_set_d(out, x, MPFR_RNDN);
  mpfr_tanh(out, out, MPFR_RNDN);
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
// x erfc(-x / sqrt(2)) / 2
void ref_gelu(mpfr_ptr out, double x) {
  mpfr_sqrt_ui(out, 2, MPFR_RNDN);
  mpfr_d_div(out, -x, out, MPFR_RNDN);
  mpfr_erfc(out, out, MPFR_RNDN);
  mpfr_mul_d(out, out, x / 2, MPFR_RNDN);
}

struct Function {
  const char* name;
  float (*f32)(float);
  double (*f64)(double);
  Reference reference;
  double f32_ulp;  // the bound that is asserted
  double f64_ulp;
  double lo, hi;  // where the f64 sweep looks closely
};

#define ASSAY_FUNCTION(name, b32, b64, lo, hi)                        \
  Function {                                                          \
#name, [](float x) { return math::a_##name(x); },                   \
        [](double x) { return math::a_##name(x); }, ref_##name, b32, b64, \
        lo, hi \
  }

const Function kFunctions[] = {
    ASSAY_FUNCTION(exp, 0.5001, 0.8, -760, 720),
    ASSAY_FUNCTION(log, 0.5001, 0.55, 0, 4),
    ASSAY_FUNCTION(log2, 0.5001, 0.55, 0, 4),
    ASSAY_FUNCTION(erf, 0.5001, 1.3, -6.5, 6.5),
    ASSAY_FUNCTION(tanh, 0.5001, 1.5, -20, 20),
    ASSAY_FUNCTION(rsqrt, 0.5001, 0.55, 0, 4),
    ASSAY_FUNCTION(sigmoid, 0.5001, 2.5, -760, 40),
    ASSAY_FUNCTION(gelu, 0.5001, 4.0, -39, 9),
};
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
    if (std::isinf(x) && f.reference == ref_gelu) continue;
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
    if (std::isinf(x) && f.reference == ref_gelu) return;
    f.reference(exact.get(), x);
    const double e = error_in_ulp(DType::f64, f.f64(x), exact.get());
    if (e > worst) {
      worst = e;
      worst_at = x;
    }
  };
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> close(f.lo, f.hi);
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

// Four million inputs more, against libm's doubles, which are good to an ulp of
// f64: the float nearest to one is right unless it lies next to a tie.
TEST(Math, F32IsTheNearestOfLibmsDouble) {
  const struct {
    const char* name;
    float (*ours)(float);
    double (*libm)(double);
  } kPairs[] = {{"exp", math::a_exp, std::exp},
                {"log", math::a_log, std::log},
                {"log2", math::a_log2, std::log2},
                {"erf", math::a_erf, std::erf},
                {"tanh", math::a_tanh, std::tanh}};
  for (const auto& f : kPairs) {
    int different = 0;
    for (U64 bits = 0; bits < (U64{1} << 32); bits += 1021) {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      const float got = f.ours(x);
      const double exact = f.libm(x);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(got)) << f.name << " of " << x;
        continue;
      }
      const auto nearest = static_cast<float>(exact);
      different += got != nearest ? 1 : 0;
      ASSERT_LE(std::abs(ordinal(DType::f32, std::bit_cast<unsigned>(got)) -
                         ordinal(DType::f32, std::bit_cast<unsigned>(nearest))),
                1)
          << f.name << " of " << x;
    }
    EXPECT_LE(different, 2) << f.name;
  }
}

// x / (1 + exp(-2 sqrt(2/pi) (x + 0.044715 x^3))): the formula's own argument
// is rounded, so what is granted grows with |x|, as in specs/ops/gelu.yaml.
TEST(Math, GeluTanhStaysWithinTheSpecsBound) {
  Mpfr u, c;
  for (int n = -20000; n < 20000; ++n) {
    const double x = n * 0.0007;
    mpfr_const_pi(c.get(), MPFR_RNDN);
    mpfr_ui_div(c.get(), 2, c.get(), MPFR_RNDN);
    mpfr_sqrt(c.get(), c.get(), MPFR_RNDN);
    mpfr_set_d(u.get(), x, MPFR_RNDN);
    mpfr_pow_ui(u.get(), u.get(), 3, MPFR_RNDN);
    mpfr_mul_d(u.get(), u.get(), 0.044715, MPFR_RNDN);
    mpfr_add_d(u.get(), u.get(), x, MPFR_RNDN);
    mpfr_mul(u.get(), u.get(), c.get(), MPFR_RNDN);
    mpfr_mul_si(u.get(), u.get(), -2, MPFR_RNDN);
    mpfr_exp(u.get(), u.get(), MPFR_RNDN);
    mpfr_add_ui(u.get(), u.get(), 1, MPFR_RNDN);
    mpfr_d_div(u.get(), x, u.get(), MPFR_RNDN);
    const double got = math::a_gelu_tanh(x);
    const double exact = mpfr_get_d(u.get(), MPFR_RNDN);
    const double granted = std::max(4 * std::fabs(exact), 2 * std::fabs(x));
    ASSERT_LE(std::fabs(got - exact), granted * 0x1p-52) << x;
  }
}

TEST(Math, ExactWhereTheResultIs) {
  for (int k = -1074; k < 1024; ++k) {
    ASSERT_EQ(math::a_log2(std::ldexp(1.0, k)), k);
  }
  for (int k = -149; k < 128; ++k) {
    ASSERT_EQ(math::a_log2(std::ldexp(1.0f, k)), static_cast<float>(k));
  }
  EXPECT_EQ(math::a_exp(0.0), 1.0);
  EXPECT_EQ(math::a_exp(-0.0f), 1.0f);
  EXPECT_EQ(math::a_sigmoid(0.0f), 0.5f);
  for (const double zero : {0.0, -0.0}) {
    const auto x = static_cast<float>(zero);
    for (const float y : {math::a_erf(x), math::a_tanh(x), math::a_gelu(x)}) {
      EXPECT_EQ(y, 0);
      EXPECT_EQ(std::signbit(y), std::signbit(zero));
    }
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
