// Element-wise arithmetic, elementary functions and casts.
#include <limits>

#include "compiler/lowering.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

// The dtype of functions that give floats: f32 for integers and bool.
DType float_result(DType t) { return is_float(t) ? t : DType::f32; }

// a + alpha b, of the arguments at `first` and `second`. One product and one
// sum where alpha is not 1.
NodeId add_scaled(const Call& c, Builder& b, S op, std::size_t first = 0,
                  std::size_t second = 1) {
  const DType t = c.promoted({0, 1});
  if (t == DType::boolean) {
    // alpha is a bool or an integer here: b counts only where it is not 0.
    const NodeId x = operand(c, b, first, t);
    const NodeId y = operand(c, b, second, t);
    const NodeId kept = c.number(2) != 0 ? y : b.filled(t, b.sizes(y), 0);
    return b.map(S::logical_or, {x, kept});
  }
  if (c.number(2) == 1) return pointwise(c, b, op, t, {first, second});
  const DType wide = opmath(t);
  const NodeId x = b.widened(operand(c, b, first, t));
  const NodeId y = b.widened(operand(c, b, second, t));
  const NodeId scaled = b.map(S::mul, {operand(c, b, 2, wide), y});
  return b.convert(b.map(op, {x, scaled}), t);
}

NodeId lower_add(const Call& c, Builder& b) { return add_scaled(c, b, S::add); }
NodeId lower_sub(const Call& c, Builder& b) { return add_scaled(c, b, S::sub); }
NodeId lower_rsub(const Call& c, Builder& b) {
  return add_scaled(c, b, S::sub, 1, 0);
}

NodeId lower_mul(const Call& c, Builder& b) {
  const DType t = c.promoted({0, 1});
  return pointwise(c, b, t == DType::boolean ? S::logical_and : S::mul, t,
                   {0, 1});
}

NodeId lower_div(const Call& c, Builder& b) {
  return pointwise(c, b, S::div, float_result(c.promoted({0, 1})), {0, 1});
}

NodeId lower_copysign(const Call& c, Builder& b) {
  const DType t = float_result(c.promoted({0, 1}));
  const NodeId size = b.map(S::abs, {b.widened(operand(c, b, 0, t))});
  const NodeId sign = b.map(S::signbit, {b.widened(operand(c, b, 1, t))});
  const NodeId flipped = b.map(S::neg, {size});
  return b.convert(b.map(S::select, {sign, flipped, size}), t);
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

NodeId lower_sign(const Call& c, Builder& b) {
  if (c.dtype(0) == DType::boolean) return c.node(0);
  return lower_same<S::sign>(c, b);
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
  const DType t = c.dtype(0) == DType::boolean ? DType::i64 : c.dtype(0);
  return pointwise(c, b, S::mul, t, {0, 0});
}

// x times a constant.
NodeId scaled(const Call& c, Builder& b, double factor) {
  const DType t = float_result(c.dtype(0));
  const NodeId x = b.widened(operand(c, b, 0, t));
  return b.convert(b.map(S::mul, {x, b.scalar(b.dtype(x), factor)}), t);
}
NodeId lower_deg2rad(const Call& c, Builder& b) {
  return scaled(c, b, 0x1.1df46a2529d39p-6);  // pi / 180
}
NodeId lower_rad2deg(const Call& c, Builder& b) {
  return scaled(c, b, 0x1.ca5dc1a63c1f8p+5);  // 180 / pi
}

// log(x / (1 - x)); its special values come of IEEE 754 by themselves.
NodeId lower_logit(const Call& c, Builder& b) {
  const DType t = float_result(c.dtype(0));
  NodeId x = b.widened(operand(c, b, 0, t));
  const DType wide = b.dtype(x);
  if (c.given(1)) {
    x = b.map(S::maximum, {x, b.scalar(wide, c.number(1))});
    x = b.map(S::minimum, {x, b.scalar(wide, 1 - c.number(1))});
  }
  const NodeId rest = b.map(S::sub, {b.scalar(wide, 1), x});
  return b.convert(b.map(S::log, {b.map(S::div, {x, rest})}), t);
}

NodeId lower_nan_to_num(const Call& c, Builder& b) {
  const DType t = c.dtype(0);
  if (!is_float(t)) return c.node(0);
  const NodeId x = b.widened(c.node(0));
  // In t first, since the largest number of the type is meant.
  const auto number = [&](std::size_t i, double otherwise) {
    return b.widened(b.scalar(t, c.given(i) ? c.number(i) : otherwise));
  };
  const double inf = std::numeric_limits<double>::infinity();
  const double largest = decode_float(t, largest_bits(t));
  const NodeId nan = number(1, 0);
  const NodeId top = number(2, largest);
  const NodeId bottom = number(3, -largest);
  const auto equal = [&](double v) {
    return b.map(S::eq, {x, b.scalar(b.dtype(x), v)});
  };
  const NodeId low = b.map(S::select, {equal(-inf), bottom, x});
  const NodeId high = b.map(S::select, {equal(inf), top, low});
  return b.convert(b.map(S::select, {b.map(S::isnan, {x}), nan, high}), t);
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

NodeId lower_zeros_like(const Call& c, Builder& b) {
  const DType t = c.given(1) ? c.dtype_arg(1) : c.dtype(0);
  return b.filled(t, b.sizes(c.node(0)), 0);
}

NodeId lower_identity(const Call& c, Builder&) { return c.node(0); }

template <ScalarOp kOp>
constexpr LoweringRow float_row(std::string_view aten, const char* spec) {
  return {aten, spec, "t self", guard_none, lower_float<kOp>};
}

constexpr std::string_view kUnary = "t self";
constexpr std::string_view kBinary = "tn self, tn other";
constexpr std::string_view kScaled = "tn self, tn other, n alpha=1";

constexpr LoweringRow kRows[] = {
    {"aten.add.Tensor", "add", kScaled, guard_add, lower_add},
    {"aten.add.Scalar", "add", kScaled, guard_add, lower_add},
    {"aten.sub.Tensor", "sub", kScaled, guard_sub, lower_sub},
    {"aten.sub.Scalar", "sub", kScaled, guard_sub, lower_sub},
    {"aten.rsub.Scalar", "rsub", "t self, n other, n alpha=1", guard_sub,
     lower_rsub},
    {"aten.mul.Tensor", "mul", kBinary, guard_broadcast, lower_mul},
    {"aten.mul.Scalar", "mul", kBinary, guard_broadcast, lower_mul},
    {"aten.div.Tensor", "div", kBinary, guard_broadcast, lower_div},
    {"aten.div.Scalar", "div", kBinary, guard_broadcast, lower_div},
    {"aten.copysign.Tensor", "copysign", "t self, t other", guard_broadcast,
     lower_copysign},
    {"aten.copysign.Scalar", "copysign_scalar", "t self, n other", guard_none,
     lower_copysign},
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
    {"aten.sign.default", "sign", kUnary, guard_none, lower_sign},
    {"aten.square.default", "square", kUnary, guard_none, lower_square},
    {"aten.positive.default", "positive", kUnary, guard_no_bool,
     lower_identity},
    {"aten.nan_to_num.default", "nan_to_num",
     "t self, n? nan=none, n? posinf=none, n? neginf=none", guard_none,
     lower_nan_to_num},
    {"aten.ceil.default", "ceil", kUnary, guard_no_bool_kernel,
     lower_to_integral<S::ceil>},
    {"aten.floor.default", "floor", kUnary, guard_no_bool_kernel,
     lower_to_integral<S::floor>},
    {"aten.trunc.default", "trunc", kUnary, guard_no_bool_kernel,
     lower_to_integral<S::trunc>},

    float_row<S::exp>("aten.exp.default", "exp"),
    float_row<S::exp2>("aten.exp2.default", "exp2"),
    float_row<S::expm1>("aten.expm1.default", "expm1"),
    float_row<S::log>("aten.log.default", "log"),
    float_row<S::log2>("aten.log2.default", "log2"),
    float_row<S::log10>("aten.log10.default", "log10"),
    float_row<S::log1p>("aten.log1p.default", "log1p"),
    float_row<S::sqrt>("aten.sqrt.default", "sqrt"),
    float_row<S::rsqrt>("aten.rsqrt.default", "rsqrt"),
    float_row<S::sin>("aten.sin.default", "sin"),
    float_row<S::cos>("aten.cos.default", "cos"),
    float_row<S::tan>("aten.tan.default", "tan"),
    float_row<S::sinc>("aten.sinc.default", "sinc"),
    float_row<S::asin>("aten.asin.default", "asin"),
    float_row<S::acos>("aten.acos.default", "acos"),
    float_row<S::atan>("aten.atan.default", "atan"),
    float_row<S::sinh>("aten.sinh.default", "sinh"),
    float_row<S::cosh>("aten.cosh.default", "cosh"),
    float_row<S::tanh>("aten.tanh.default", "tanh"),
    float_row<S::asinh>("aten.asinh.default", "asinh"),
    float_row<S::acosh>("aten.acosh.default", "acosh"),
    float_row<S::atanh>("aten.atanh.default", "atanh"),
    float_row<S::erf>("aten.erf.default", "erf"),
    float_row<S::erfc>("aten.erfc.default", "erfc"),
    float_row<S::sigmoid>("aten.sigmoid.default", "sigmoid"),
    {"aten.reciprocal.default", "reciprocal", kUnary, guard_none,
     lower_reciprocal},
    {"aten.deg2rad.default", "deg2rad", kUnary, guard_none, lower_deg2rad},
    {"aten.rad2deg.default", "rad2deg", kUnary, guard_none, lower_rad2deg},
    {"aten.logit.default", "logit", "t self, n? eps=none", guard_none,
     lower_logit},

    {"aten._to_copy.default", "_to_copy", "t self, d? dtype=none", guard_none,
     lower_cast},
    {"aten.to.dtype", "to",
     "t self, d dtype, b non_blocking=false, b copy=false", guard_none,
     lower_cast},
    {"aten.zeros_like.default", "zeros_like", "t self, d? dtype=none",
     guard_none, lower_zeros_like},
    {"aten.clone.default", "clone", kUnary, guard_none, lower_identity},
    {"aten.alias.default", "alias", kUnary, guard_none, lower_identity},
    {"aten.detach.default", "detach", kUnary, guard_none, lower_identity},
};

}  // namespace

std::span<const LoweringRow> pointwise_rows() { return kRows; }

}  // namespace assay::compiler
