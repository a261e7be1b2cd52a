#include "compiler/graph/scalar_op.h"

#include <array>

namespace assay::compiler {
namespace {

using S = ScalarOp;
using D = Domain;

constexpr std::array<ScalarOpInfo, kScalarOpCount> kTable = {{
    {S::add, "add", 2, D::number, false, "+", "", false},
    {S::sub, "sub", 2, D::number, false, "-", "", false},
    {S::mul, "mul", 2, D::number, false, "*", "", false},
    {S::div, "div", 2, D::floating, false, "/", "", true},
    {S::fma, "fma", 3, D::floating, false, "", "", false},
    {S::neg, "neg", 1, D::number, false, "", "", false},
    {S::abs, "abs", 1, D::number, false, "", "", false},
    {S::maximum, "maximum", 2, D::ordered, false, "", "", false},
    {S::minimum, "minimum", 2, D::ordered, false, "", "", false},
    {S::sign, "sign", 1, D::number, false, "", "", false},
    {S::sqrt, "sqrt", 1, D::floating, false, "", "", true},
    {S::rsqrt, "rsqrt", 1, D::floating, false, "", "rsqrt", true},
    {S::exp, "exp", 1, D::floating, false, "", "exp", true},
    {S::log, "log", 1, D::floating, false, "", "log", true},
    {S::log2, "log2", 1, D::floating, false, "", "log", true},
    {S::erf, "erf", 1, D::floating, false, "", "erf", true},
    {S::tanh, "tanh", 1, D::floating, false, "", "tanh", true},
    {S::sigmoid, "sigmoid", 1, D::floating, false, "", "sigmoid", true},
    {S::silu, "silu", 1, D::floating, false, "", "sigmoid", true},
    {S::mish, "mish", 1, D::floating, false, "", "sigmoid", true},
    {S::gelu, "gelu", 1, D::floating, false, "", "gelu", true},
    {S::gelu_tanh, "gelu_tanh", 1, D::floating, false, "", "gelu", true},
    {S::gelu_f16, "gelu_f16", 1, D::single, false, "", "gelu_f32", true},
    {S::silu_narrow, "silu_narrow", 1, D::single, false, "", "sigmoid_f32",
     true},
    {S::exp2, "exp2", 1, D::floating, false, "", "exp", true},
    {S::expm1, "expm1", 1, D::floating, false, "", "exp", true},
    {S::log10, "log10", 1, D::floating, false, "", "log", true},
    {S::log1p, "log1p", 1, D::floating, false, "", "log", true},
    {S::sin, "sin", 1, D::floating, false, "", "trig", true},
    {S::cos, "cos", 1, D::floating, false, "", "trig", true},
    {S::tan, "tan", 1, D::floating, false, "", "trig", true},
    {S::sinc, "sinc", 1, D::floating, false, "", "trig", true},
    {S::asin, "asin", 1, D::floating, false, "", "atan", true},
    {S::acos, "acos", 1, D::floating, false, "", "atan", true},
    {S::atan, "atan", 1, D::floating, false, "", "atan", true},
    {S::sinh, "sinh", 1, D::floating, false, "", "hyperbolic", true},
    {S::cosh, "cosh", 1, D::floating, false, "", "hyperbolic", true},
    {S::asinh, "asinh", 1, D::floating, false, "", "inverse_hyperbolic", true},
    {S::acosh, "acosh", 1, D::floating, false, "", "inverse_hyperbolic", true},
    {S::atanh, "atanh", 1, D::floating, false, "", "inverse_hyperbolic", true},
    {S::erfc, "erfc", 1, D::floating, false, "", "erf", true},
    {S::erfcx, "erfcx", 1, D::floating, false, "", "erf", true},
    {S::lgamma, "lgamma", 1, D::floating, false, "", "lgamma", true},
    {S::e8m0_encode, "e8m0_encode", 1, D::floating, false, "", "e8m0", false},
    {S::ceil, "ceil", 1, D::floating, false, "", "", false},
    {S::floor, "floor", 1, D::floating, false, "", "", false},
    {S::trunc, "trunc", 1, D::floating, false, "", "", false},
    {S::round_even, "round_even", 1, D::floating, false, "", "", false},
    {S::floor_div, "floor_div", 2, D::integral, false, "", "", false},
    {S::trunc_div, "trunc_div", 2, D::integral, false, "", "", false},
    {S::shift_left, "shift_left", 2, D::integral, false, "", "", false},
    {S::shift_right, "shift_right", 2, D::integral, false, "", "", false},
    {S::bit_and, "bit_and", 2, D::integral, false, "", "", false},
    {S::bit_or, "bit_or", 2, D::integral, false, "", "", false},
    {S::bit_xor, "bit_xor", 2, D::integral, false, "", "", false},
    {S::fmod, "fmod", 2, D::floating, false, "", "binary", true},
    {S::remainder, "remainder", 2, D::floating, false, "", "binary", true},
    {S::nextafter, "nextafter", 2, D::floating, false, "", "binary", false},
    {S::nextafter_f16, "nextafter_f16", 2, D::single, false, "", "half", false},
    {S::nextafter_bf16, "nextafter_bf16", 2, D::single, false, "", "half",
     false},
    {S::hypot, "hypot", 2, D::floating, false, "", "binary", true},
    {S::atan2, "atan2", 2, D::floating, false, "", "binary", true},
    {S::pow, "pow", 2, D::number, false, "", "pow", true},
    {S::bessel_i, "bessel_i", 2, D::floating, false, "", "bessel", true},
    {S::bessel_k, "bessel_k", 2, D::floating, false, "", "bessel", true},
    {S::scaled_bessel_i, "scaled_bessel_i", 2, D::floating, false, "", "bessel",
     true},
    {S::scaled_bessel_k, "scaled_bessel_k", 2, D::floating, false, "", "bessel",
     true},
    {S::bessel_j, "bessel_j", 2, D::floating, false, "", "bessel", true},
    {S::bessel_y, "bessel_y", 2, D::floating, false, "", "bessel", true},
    {S::polygamma, "polygamma", 2, D::floating, false, "", "polygamma", true},
    {S::hurwitz_zeta, "hurwitz_zeta", 2, D::floating, false, "", "zeta", true},
    {S::gamma_p, "gamma_p", 2, D::floating, false, "", "gamma_pq", true},
    {S::gamma_q, "gamma_q", 2, D::floating, false, "", "gamma_pq", true},
    {S::eq, "eq", 2, D::ordered, true, "==", "", false},
    {S::ne, "ne", 2, D::ordered, true, "!=", "", false},
    {S::lt, "lt", 2, D::ordered, true, "<", "", false},
    {S::le, "le", 2, D::ordered, true, "<=", "", false},
    {S::gt, "gt", 2, D::ordered, true, ">", "", false},
    {S::ge, "ge", 2, D::ordered, true, ">=", "", false},
    {S::isnan, "isnan", 1, D::floating, true, "", "", false},
    {S::isinf, "isinf", 1, D::floating, true, "", "", false},
    {S::signbit, "signbit", 1, D::floating, true, "", "", false},
    {S::logical_and, "logical_and", 2, D::boolean, true, "", "logic", false},
    {S::logical_or, "logical_or", 2, D::boolean, true, "", "logic", false},
    {S::logical_xor, "logical_xor", 2, D::boolean, true, "^", "", false},
    {S::logical_not, "logical_not", 1, D::boolean, true, "", "", false},
    {S::select, "select", 3, D::any, false, "", "", false},
}};

constexpr bool in_enum_order() {
  for (int i = 0; i < kScalarOpCount; ++i) {
    if (static_cast<int>(kTable[static_cast<std::size_t>(i)].op) != i) {
      return false;
    }
  }
  return true;
}
static_assert(in_enum_order());

}  // namespace

const ScalarOpInfo& info(ScalarOp op) {
  return kTable[static_cast<std::size_t>(op)];
}

DType result_of(ScalarOp op, DType t) {
  if (op == ScalarOp::e8m0_encode) return DType::u8;
  return info(op).gives_bool ? DType::boolean : t;
}

bool has_near(ScalarOp op) {
  return op == ScalarOp::sin || op == ScalarOp::cos || op == ScalarOp::tan;
}

bool accepts(Domain domain, DType t) {
  switch (domain) {
    case Domain::number:
      return is_wide_float(t) || is_integer(t);
    case Domain::floating:
      return is_wide_float(t);
    case Domain::single:
      return t == DType::f32;
    case Domain::ordered:
      return is_wide_float(t) || !is_float(t);
    case Domain::integral:
      return is_integer(t);
    case Domain::boolean:
      return t == DType::boolean;
    case Domain::any:
      return true;
  }
  return false;
}

}  // namespace assay::compiler
