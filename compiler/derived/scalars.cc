#include "compiler/derived/scalars.h"

#include "compiler/derived/unsupported.h"

namespace assay::compiler {

std::optional<ScalarOp> scalar_of(language::Elementary f) {
  using E = language::Elementary;
  switch (f) {
    case E::exp:
      return ScalarOp::exp;
    case E::exp2:
      return ScalarOp::exp2;
    case E::expm1:
      return ScalarOp::expm1;
    case E::log:
      return ScalarOp::log;
    case E::log2:
      return ScalarOp::log2;
    case E::log10:
      return ScalarOp::log10;
    case E::log1p:
      return ScalarOp::log1p;
    case E::sqrt:
      return ScalarOp::sqrt;
    case E::sinh:
      return ScalarOp::sinh;
    case E::cosh:
      return ScalarOp::cosh;
    case E::tanh:
      return ScalarOp::tanh;
    case E::asinh:
      return ScalarOp::asinh;
    case E::acosh:
      return ScalarOp::acosh;
    case E::atanh:
      return ScalarOp::atanh;
    case E::asin:
      return ScalarOp::asin;
    case E::acos:
      return ScalarOp::acos;
    case E::atan:
      return ScalarOp::atan;
    case E::erf:
      return ScalarOp::erf;
    case E::erfc:
      return ScalarOp::erfc;
    case E::lgamma:
      return ScalarOp::lgamma;
    case E::sin:
      return ScalarOp::sin;
    case E::cos:
      return ScalarOp::cos;
    case E::tan:
      return ScalarOp::tan;
    default:
      return std::nullopt;
  }
}

ScalarOp scalar_of(language::Comparison c) {
  using C = language::Comparison;
  switch (c) {
    case C::eq:
      return ScalarOp::eq;
    case C::ne:
      return ScalarOp::ne;
    case C::lt:
      return ScalarOp::lt;
    case C::le:
      return ScalarOp::le;
    case C::gt:
      return ScalarOp::gt;
    case C::ge:
      break;
  }
  return ScalarOp::ge;
}

ScalarOp scalar_of(language::Binary f) {
  using B = language::Binary;
  switch (f) {
    case B::fmod:
      return ScalarOp::fmod;
    case B::remainder:
      return ScalarOp::remainder;
    case B::hypot:
      return ScalarOp::hypot;
    case B::atan2:
      return ScalarOp::atan2;
    case B::pow:
      break;
  }
  return ScalarOp::pow;
}

// Both in the order of suite/language/functions/special.h, Bessel's first.
ScalarOp special_of(language::SpecialFunction f, std::optional<double> order) {
  const bool bessel = f < language::SpecialFunction::polygamma;
  if (bessel && order != 0.0 && order != 1.0) {
    throw Unsupported{"Bessel functions of orders above 1"};
  }
  constexpr int kFirst = static_cast<int>(ScalarOp::bessel_i);
  static_assert(static_cast<int>(ScalarOp::gamma_q) - kFirst ==
                static_cast<int>(language::SpecialFunction::gamma_q));
  return static_cast<ScalarOp>(kFirst + static_cast<int>(f));
}

ScalarOp nextafter_of(DType t) {
  if (t == DType::f16) return ScalarOp::nextafter_f16;
  return t == DType::bf16 ? ScalarOp::nextafter_bf16 : ScalarOp::nextafter;
}

ScalarOp scalar_of(language::Bitwise f) {
  using B = language::Bitwise;
  if (f == B::conjunction) return ScalarOp::bit_and;
  return f == B::disjunction ? ScalarOp::bit_or : ScalarOp::bit_xor;
}

ScalarOp scalar_of(language::ValueNode::Op rounding) {
  using Op = language::ValueNode::Op;
  if (rounding == Op::floor) return ScalarOp::floor;
  if (rounding == Op::ceil) return ScalarOp::ceil;
  return rounding == Op::trunc ? ScalarOp::trunc : ScalarOp::round_even;
}

}  // namespace assay::compiler
