// The scalar operations of both IR levels: one table that the verifier, the
// interpreter and the renderer share. They act on f64, f32, integers and bool;
// f16 and bf16 are widened before and rounded after, in nodes of their own.
#ifndef ASSAY_COMPILER_GRAPH_SCALAR_OP_H_
#define ASSAY_COMPILER_GRAPH_SCALAR_OP_H_

#include <cstdint>
#include <string_view>

#include "core/dtype.h"

namespace assay::compiler {

enum class ScalarOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  fma,  // rounded once; no other operation may become it
  neg,
  abs,
  maximum,  // NaN if either is, +0 above -0
  minimum,
  sign,
  sqrt,
  rsqrt,
  exp,
  log,
  log2,
  erf,
  tanh,
  sigmoid,
  silu,  // x sigmoid(x)
  mish,  // x tanh(ln(1 + exp(x)))
  gelu,
  gelu_tanh,
  gelu_f16,     // of f32, for a result that is rounded to f16
  silu_narrow,  // of f32, for a result that is rounded to f16 or bf16
  exp2,
  expm1,
  log10,
  log1p,
  sin,
  cos,
  tan,
  sinc,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  erfc,
  erfcx,  // exp(x^2) erfc(x)
  lgamma,
  e8m0_encode,  // to u8; see compiler/math/e8m0.inc
  ceil,
  floor,
  trunc,
  round_even,  // to the nearest integer, ties to even
  floor_div,   // of integers, as trunc_div; by zero they give zero
  trunc_div,
  shift_left,   // of integers, by any number of places: zero beyond the width
  shift_right,  // of integers; the sign moves in
  bit_and,
  bit_or,
  bit_xor,
  fmod,       // of the sign of the first
  remainder,  // of the sign of the second
  nextafter,
  nextafter_f16,  // of numbers of that type
  nextafter_bf16,
  hypot,
  atan2,
  pow,  // of integers modulo 2^n
  // Of an order or parameter and a number: suite/language/functions/special.h.
  bessel_i,
  bessel_k,
  scaled_bessel_i,
  scaled_bessel_k,
  bessel_j,
  bessel_y,
  polygamma,
  hurwitz_zeta,
  gamma_p,
  gamma_q,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  isnan,
  isinf,
  signbit,
  logical_and,
  logical_or,
  logical_xor,
  logical_not,
  select,  // (bool, T, T): the second where the first holds, else the third
};

inline constexpr int kScalarOpCount = static_cast<int>(ScalarOp::select) + 1;

// What the operands may be. All have the same dtype, except those of select.
enum class Domain : std::uint8_t {
  number,    // f64, f32, integers
  floating,  // f64, f32
  single,    // f32
  ordered,   // f64, f32, integers, bool
  integral,  // integers
  boolean,
  any,  // every dtype, f16 and bf16 too: values are moved, not computed
};

struct ScalarOpInfo {
  ScalarOp op;
  std::string_view name;
  int arity;
  Domain domain;
  bool gives_bool;
  // C++ infix operator for floats and bool, or empty: a_NAME(...) is called.
  std::string_view infix;
  // The file of compiler/math that holds a_NAME, or empty.
  std::string_view math;
  // Too costly to recompute for a second reader.
  bool costly;
};

const ScalarOpInfo& info(ScalarOp op);

bool accepts(Domain domain, DType t);

// The dtype of the result, for operands of dtype `t`.
DType result_of(ScalarOp op, DType t);

// Whether a_near_NAME(x) has, in fewer steps, what a_NAME(x) has, wherever
// a_far(x) does not say that x is far.
bool has_near(ScalarOp op);

// The floats that are computed in.
inline bool is_wide_float(DType t) {
  return t == DType::f64 || t == DType::f32;
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_SCALAR_OP_H_
