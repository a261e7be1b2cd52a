// Functions computed by a formula or library that is not good enough.
#include <sleef.h>

#include <cmath>
#include <limits>

#include "core/float_bits.h"
#include "harness/faults/elements.h"

namespace assay::harness::faults {
namespace {

// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: an
// absolute error of 1.5e-7, whatever the result.
float erf_7_1_26(float x) {
  const float a = std::fabs(x);
  const float t = 1 / (1 + 0.3275911F * a);
  const float p = ((((1.061405429F * t - 1.453152027F) * t + 1.421413741F) * t -
                    0.284496736F) *
                       t +
                   0.254829592F) *
                  t;
  return std::copysign(1 - p * std::exp(-a * a), x);
}

// Clamped before the call, as vector code does, by instructions that return
// the other operand where one is NaN.
float exp_of_clamped(float x) {
  return std::exp(std::fmin(std::fmax(x, -150.0F), 89.0F));
}

// One subtraction of the nearest multiple of 2 pi, rounded to f32.
float sin_of_short_reduction(float x) {
  constexpr float kTwoPi = 6.2831855F;
  return std::sin(x - kTwoPi * std::nearbyint(x / kTwoPi));
}

// SLEEF's functions of 3.5 ulp in place of those of 1. (Its sine and
// cosine are better than they are called, and within the bound; so is its
// tangent, whose 3.5 ulp are fewer than the 4.5 that tan grants.)
float log_u35(float x) { return Sleef_logf_u35(x); }

float log2_u35(float x) { return Sleef_log2f_u35(x); }

float sinh_u35(float x) { return Sleef_sinhf_u35(x); }

float log1p_of_sum(float x) { return std::log(1 + x); }

float expm1_of_difference(float x) { return std::exp(x) - 1; }

float tanh_of_quotient(float x) {
  const float e = std::exp(2 * x);
  return (e - 1) / (e + 1);
}

// x times the reciprocal root, each rounded.
float sqrt_of_rsqrt(float x) {
  if (x == 0 || std::isinf(x)) return std::sqrt(x);
  return x * static_cast<float>(1 / std::sqrt(static_cast<double>(x)));
}

// One place too low where the root is a power of two, right elsewhere.
float sqrt_off_at_powers_of_two(float x) {
  const float root = std::sqrt(x);
  int exponent = 0;
  if (!std::isfinite(root) || std::frexp(root, &exponent) != 0.5F) return root;
  return std::nextafter(root, 0.0F);
}

float gelu_of_tanh(float x) {
  const float u = 0.7978845608F * (x + 0.044715F * x * x * x);
  return 0.5F * x * (1 + std::tanh(u));
}

double of_f32(float x) { return static_cast<double>(x); }

double hypot_of_squares(const Element& e) {
  const auto a = static_cast<float>(e.number(0));
  const auto b = static_cast<float>(e.number(1));
  return of_f32(std::sqrt(a * a + b * b));
}

double pow_of_logarithm(const Element& e) {
  const auto a = static_cast<float>(e.number(0));
  const auto b = static_cast<float>(e.number(1));
  return of_f32(std::exp(b * std::log(a)));
}

double quotient_by_reciprocal(const Element& e) {
  const auto a = static_cast<float>(e.number(0));
  const auto b = static_cast<float>(e.number(1));
  return of_f32(a * (1 / b));
}

}  // namespace

std::vector<Fault> elementary_faults() {
  return {
      {.name = "LogOfSleefU35",
       .spec = "log",
       .clauses = {"log/A1"},
       .outputs = each_f32(log_u35)},
      {.name = "Log2OfSleefU35",
       .spec = "log2",
       .clauses = {"log2/A1"},
       .outputs = each_f32(log2_u35)},
      {.name = "SinhOfSleefU35",
       .spec = "sinh",
       .clauses = {"sinh/A1"},
       .outputs = each_f32(sinh_u35)},
      {.name = "SinOfShortReduction",
       .spec = "sin",
       .clauses = {"sin/A1"},
       .outputs = each_f32(sin_of_short_reduction)},
      {.name = "ErfOfAbramowitzStegun",
       .spec = "erf",
       .clauses = {"erf/A1"},
       .outputs = each_f32(erf_7_1_26)},
      {.name = "ExpLosesNan",
       .spec = "exp",
       .clauses = {"exp/A1"},
       .outputs = each_f32(exp_of_clamped)},
      {.name = "Log1pOfSum",
       .spec = "log1p",
       .clauses = {"log1p/A1"},
       .outputs = each_f32(log1p_of_sum)},
      {.name = "Expm1OfDifference",
       .spec = "expm1",
       .clauses = {"expm1/A1"},
       .outputs = each_f32(expm1_of_difference)},
      {.name = "TanhOfQuotient",
       .spec = "tanh",
       .clauses = {"tanh/A1", "tanh/S1"},
       .outputs = each_f32(tanh_of_quotient)},
      {.name = "SqrtOfReciprocalRoot",
       .spec = "sqrt",
       .clauses = {"sqrt/A1"},
       .outputs = each_f32(sqrt_of_rsqrt)},
      {.name = "SqrtOffAtPowersOfTwo",
       .spec = "sqrt",
       .clauses = {"sqrt/A1"},
       .outputs = each_f32(sqrt_off_at_powers_of_two)},
      {.name = "GeluOfTanh",
       .spec = "gelu",
       .cases = {"B*", "C1/*"},
       .clauses = {"gelu/A1"},
       .outputs = each_f32(gelu_of_tanh)},
      {.name = "HypotOfSquares",
       .spec = "hypot",
       .cases = {"*/f32/*"},
       .clauses = {"hypot/A1"},
       .outputs = each(hypot_of_squares)},
      {.name = "PowOfLogarithm",
       .spec = "pow",
       .cases = {"*/f32/*"},
       .clauses = {"pow/A2", "pow/S1"},
       .outputs = each(pow_of_logarithm)},
      {.name = "DivByReciprocal",
       .spec = "div",
       .cases = {"*/f32/*"},
       .clauses = {"div/A1"},
       .outputs = each(quotient_by_reciprocal)},
  };
}

}  // namespace assay::harness::faults
