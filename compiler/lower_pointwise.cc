// Element-wise arithmetic, elementary functions and casts.
#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

// The dtype of functions that give floats: f32 for integers and bool.
DType float_result(DType t) { return is_float(t) ? t : DType::f32; }

// a + alpha b. One product and one sum where alpha is not 1.
NodeId add_scaled(const Call& c, Builder& b, S op) {
  const DType t = c.promoted({0, 1});
  if (t == DType::boolean) {
    // alpha is a bool or an integer here: b counts only where it is not 0.
    const NodeId x = operand(c, b, 0, t);
    const NodeId y = operand(c, b, 1, t);
    const NodeId kept = c.number(2) != 0 ? y : b.filled(t, b.sizes(y), 0);
    return b.map(S::logical_or, {x, kept});
  }
  if (c.number(2) == 1) return pointwise(c, b, op, t, {0, 1});
  const DType wide = opmath(t);
  const NodeId x = b.widened(operand(c, b, 0, t));
  const NodeId y = b.widened(operand(c, b, 1, t));
  const NodeId scaled = b.map(S::mul, {operand(c, b, 2, wide), y});
  return b.convert(b.map(op, {x, scaled}), t);
}

NodeId lower_add(const Call& c, Builder& b) { return add_scaled(c, b, S::add); }
NodeId lower_sub(const Call& c, Builder& b) { return add_scaled(c, b, S::sub); }

NodeId lower_mul(const Call& c, Builder& b) {
  const DType t = c.promoted({0, 1});
  return pointwise(c, b, t == DType::boolean ? S::logical_and : S::mul, t,
                   {0, 1});
}

NodeId lower_div(const Call& c, Builder& b) {
  return pointwise(c, b, S::div, float_result(c.promoted({0, 1})), {0, 1});
}

template <ScalarOp kOp>
NodeId lower_promoted(const Call& c, Builder& b) {
  return pointwise(c, b, kOp, c.promoted({0, 1}), {0, 1});
}

// Same dtype in and out.
template <ScalarOp kOp>
NodeId lower_same(const Call& c, Builder& b) {
  return pointwise(c, b, kOp, c.dtype(0), {0});
}

// Integers are their own ceiling, floor and truncation.
template <ScalarOp kOp>
NodeId lower_to_integral(const Call& c, Builder& b) {
  if (!is_float(c.dtype(0))) return c.node(0);
  return lower_same<kOp>(c, b);
}

template <ScalarOp kOp>
NodeId lower_float(const Call& c, Builder& b) {
  return pointwise(c, b, kOp, float_result(c.dtype(0)), {0});
}

NodeId lower_reciprocal(const Call& c, Builder& b) {
  const DType t = float_result(c.dtype(0));
  const NodeId x = b.widened(operand(c, b, 0, t));
  return b.convert(b.map(S::div, {b.scalar(b.dtype(x), 1), x}), t);
}

NodeId lower_square(const Call& c, Builder& b) {
  return pointwise(c, b, S::mul, c.dtype(0), {0, 0});
}

NodeId lower_relu(const Call& c, Builder& b) {
  const NodeId x = b.widened(c.node(0));
  const NodeId zero = b.integer_scalar(b.dtype(x), 0);
  return b.convert(b.map(S::maximum, {x, zero}), c.dtype(0));
}

NodeId lower_silu(const Call& c, Builder& b) {
  const NodeId x = b.widened(c.node(0));
  return b.convert(b.map(S::mul, {x, b.map(S::sigmoid, {x})}), c.dtype(0));
}

NodeId lower_gelu(const Call& c, Builder& b) {
  return pointwise(c, b, c.text(1) == "tanh" ? S::gelu_tanh : S::gelu,
                   c.dtype(0), {0});
}

NodeId lower_clamp(const Call& c, Builder& b) {
  const DType t = c.promoted({0, 1, 2});
  NodeId x = b.widened(operand(c, b, 0, t));
  if (c.given(1)) x = b.map(S::maximum, {x, b.widened(operand(c, b, 1, t))});
  if (c.given(2)) x = b.map(S::minimum, {x, b.widened(operand(c, b, 2, t))});
  return b.convert(x, t);
}

NodeId lower_where(const Call& c, Builder& b) {
  const DType t = c.promoted({1, 2});
  const NodeId condition = b.convert(c.node(0), DType::boolean);
  return b.map(S::select,
               {condition, operand(c, b, 1, t), operand(c, b, 2, t)});
}

NodeId lower_cast(const Call& c, Builder& b) {
  return c.given(1) ? b.convert(c.node(0), c.dtype_arg(1)) : c.node(0);
}

NodeId lower_identity(const Call& c, Builder&) { return c.node(0); }

constexpr std::string_view kUnary = "t self";
constexpr std::string_view kBinary = "tn self, tn other";
constexpr std::string_view kScaled = "tn self, tn other, n alpha=1";

constexpr LoweringRow kRows[] = {
    {"aten.add.Tensor", "add", kScaled, guard_add, lower_add},
    {"aten.add.Scalar", "add", kScaled, guard_add, lower_add},
    {"aten.sub.Tensor", "sub", kScaled, guard_sub, lower_sub},
    {"aten.sub.Scalar", "sub", kScaled, guard_sub, lower_sub},
    {"aten.mul.Tensor", "mul", kBinary, guard_broadcast, lower_mul},
    {"aten.mul.Scalar", "mul", kBinary, guard_broadcast, lower_mul},
    {"aten.div.Tensor", "div", kBinary, guard_broadcast, lower_div},
    {"aten.div.Scalar", "div", kBinary, guard_broadcast, lower_div},
    {"aten.maximum.default", "maximum", "t self, t other", guard_broadcast,
     lower_promoted<S::maximum>},
    {"aten.minimum.default", "minimum", "t self, t other", guard_broadcast,
     lower_promoted<S::minimum>},
    {"aten.where.self", "where", "t condition, t self, t other", guard_where,
     lower_where},
    {"aten.clamp.default", "clamp", "t self, n? min=none, n? max=none",
     guard_clamp, lower_clamp},

    {"aten.neg.default", "neg", kUnary, guard_no_bool, lower_same<S::neg>},
    {"aten.abs.default", "abs", kUnary, guard_no_bool_kernel,
     lower_same<S::abs>},
    {"aten.sign.default", "sign", kUnary, guard_no_bool, lower_same<S::sign>},
    {"aten.square.default", "square", kUnary, guard_no_bool, lower_square},
    {"aten.ceil.default", "ceil", kUnary, guard_no_bool_kernel,
     lower_to_integral<S::ceil>},
    {"aten.floor.default", "floor", kUnary, guard_no_bool_kernel,
     lower_to_integral<S::floor>},
    {"aten.trunc.default", "trunc", kUnary, guard_no_bool_kernel,
     lower_to_integral<S::trunc>},
    {"aten.relu.default", "relu", kUnary, guard_no_bool, lower_relu},

    {"aten.exp.default", "exp", kUnary, guard_none, lower_float<S::exp>},
    {"aten.log.default", "log", kUnary, guard_none, lower_float<S::log>},
    {"aten.log2.default", "log2", kUnary, guard_none, lower_float<S::log2>},
    {"aten.sqrt.default", "sqrt", kUnary, guard_none, lower_float<S::sqrt>},
    {"aten.rsqrt.default", "rsqrt", kUnary, guard_none, lower_float<S::rsqrt>},
    {"aten.reciprocal.default", "reciprocal", kUnary, guard_none,
     lower_reciprocal},
    {"aten.erf.default", "erf", kUnary, guard_none, lower_float<S::erf>},
    {"aten.tanh.default", "tanh", kUnary, guard_none, lower_float<S::tanh>},
    {"aten.sigmoid.default", "sigmoid", kUnary, guard_none,
     lower_float<S::sigmoid>},
    {"aten.silu.default", "silu", kUnary, guard_float, lower_silu},
    {"aten.gelu.default", "gelu", "t self, s approximate=\"none\"", guard_gelu,
     lower_gelu},

    {"aten._to_copy.default", "_to_copy", "t self, d? dtype=none", guard_none,
     lower_cast},
    {"aten.to.dtype", "to",
     "t self, d dtype, b non_blocking=false, b copy=false", guard_none,
     lower_cast},
    {"aten.clone.default", "clone", kUnary, guard_none, lower_identity},
    {"aten.alias.default", "alias", kUnary, guard_none, lower_identity},
    {"aten.detach.default", "detach", kUnary, guard_none, lower_identity},
};

}  // namespace

std::span<const LoweringRow> pointwise_rows() { return kRows; }

}  // namespace assay::compiler
