// Arithmetic on elements, selection and limits.
#include <fmt/format.h>

#include <limits>

#include "compiler/ops/pointwise.h"
#include "core/float_bits.h"
#include "kit/broadcast.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

// add, sub, rsub: self + alpha other and the like.

template <class A>
struct Scaled : A {
  Number alpha = this->number("alpha", 1);
};

template <class A>
bool alpha_fits(const A& a, Guards& g, const char* number,
                const char* boolean) {
  const DType result = a.promoted({a.self, a.other});
  const DType alpha = a.alpha.dtype();
  return g.types(number, alpha != DType::f32 || is_float(result),
                 "For integral input tensors, argument alpha must not be a "
                 "floating point number.") &&
         g.types(boolean, alpha != DType::boolean || result == DType::boolean,
                 "Boolean alpha only supported for Boolean results.");
}

bool guard_add(const Scaled<Binary>& a, Guards& g) {
  return alpha_fits(a, g, "E1", "E2") &&
         broadcast(g, "E3", a.self.sizes(), a.other.sizes()) &&
         converts(g, "E4", a.alpha, a.promoted({a.self, a.other}));
}

template <class A>
bool can_subtract(const A& a, Guards& g) {
  const Operand other = a.other;
  return g.types("E1",
                 a.self.dtype() != DType::boolean &&
                     other.dtype() != DType::boolean,
                 "Subtraction, the `-` operator, with a bool tensor is not "
                 "supported. If you are trying to invert a mask, use the `~` "
                 "or `logical_not()` operator instead.") &&
         alpha_fits(a, g, "E2", "E3");
}

bool guard_sub(const Scaled<Binary>& a, Guards& g) {
  return can_subtract(a, g) &&
         broadcast(g, "E4", a.self.sizes(), a.other.sizes()) &&
         converts(g, "E5", a.alpha, a.promoted({a.self, a.other}));
}

bool guard_add_number(const Scaled<TensorAndNumber>& a, Guards& g) {
  return alpha_fits(a, g, "E1", "E2");
}

bool guard_sub_number(const Scaled<TensorAndNumber>& a, Guards& g) {
  return can_subtract(a, g);
}

bool guard_rsub(const Scaled<TensorAndNumber>& a, Guards& g) {
  return can_subtract(a, g) &&
         converts(g, "E4", a.alpha, a.promoted({a.self, a.other}));
}

// first + alpha second, or their difference. One product and one sum where
// alpha is not 1.
NodeId add_scaled(Builder& b, S op, const Operand& first, const Operand& second,
                  const Number& alpha, DType t) {
  if (t == DType::boolean) {
    // alpha is a bool or an integer here: `second` counts where it is not 0.
    const NodeId x = converted(b, first, t);
    const NodeId y = converted(b, second, t);
    const NodeId kept = alpha.real() != 0 ? y : b.filled(t, b.sizes(y), 0);
    return b.map(S::logical_or, {x, kept});
  }
  if (alpha.real() == 1) return pointwise(b, op, t, {first, second});
  const NodeId x = computed(b, first, t);
  const NodeId y = computed(b, second, t);
  const NodeId scaled = b.map(S::mul, {converted(b, alpha, opmath(t)), y});
  return b.convert(b.map(op, {x, scaled}), t);
}

template <class A, ScalarOp kOp>
NodeId lower_scaled(const Scaled<A>& a, Builder& b) {
  return add_scaled(b, kOp, a.self, a.other, a.alpha,
                    a.promoted({a.self, a.other}));
}

NodeId lower_rsub(const Scaled<TensorAndNumber>& a, Builder& b) {
  return add_scaled(b, S::sub, a.other, a.self, a.alpha,
                    a.promoted({a.self, a.other}));
}

// Other functions of two operands.

template <class A>
NodeId lower_mul(const A& a, Builder& b) {
  const DType t = a.promoted({a.self, a.other});
  return pointwise(b, t == DType::boolean ? S::logical_and : S::mul, t,
                   {a.self, a.other});
}

template <class A>
NodeId lower_div(const A& a, Builder& b) {
  return pointwise(b, S::div, float_result(a.promoted({a.self, a.other})),
                   {a.self, a.other});
}

template <class A>
NodeId lower_copysign(const A& a, Builder& b) {
  const DType t = float_result(a.promoted({a.self, a.other}));
  return b.convert(
      with_sign(b, computed(b, a.self, t), computed(b, a.other, t)), t);
}

template <ScalarOp kOp>
NodeId lower_promoted(const TwoTensors& a, Builder& b) {
  return pointwise(b, kOp, a.promoted({a.self, a.other}), {a.self, a.other});
}

struct Where : Arguments {
  Operand condition = tensor("condition");
  Operand self = tensor("self");
  Operand other = tensor("other");
};

bool guard_where(const Where& a, Guards& g) {
  const DType condition = a.condition.dtype();
  Shape both;
  return g.types("E1", condition == DType::boolean || condition == DType::u8,
                 fmt::format("where expected condition to be a boolean tensor, "
                             "but got a tensor with dtype {}",
                             dtype_name(condition))) &&
         broadcast(g, "E2", a.self.sizes(), a.other.sizes()) &&
         kit::broadcast_shapes(a.self.sizes(), a.other.sizes(), &both) &&
         broadcast(g, "E3", a.condition.sizes(), both);
}

NodeId lower_where(const Where& a, Builder& b) {
  const DType t = a.promoted({a.self, a.other});
  const NodeId condition = b.convert(a.condition.node(), DType::boolean);
  return b.map(S::select,
               {condition, converted(b, a.self, t), converted(b, a.other, t)});
}

struct Clamp : Unary {
  std::optional<Number> min = maybe_number("min");
  std::optional<Number> max = maybe_number("max");
  DType result() const { return promoted({self, min, max}); }
};

bool guard_clamp(const Clamp& a, Guards& g) {
  const DType t = a.result();
  return g.shape("E1", a.min || a.max,
                 "torch.clamp: At least one of 'min' or 'max' must not be "
                 "None") &&
         g.types("E2", t != DType::boolean,
                 "clamp is not implemented for 'Bool'",
                 "NotImplementedError") &&
         converts_bounds(g, {"E3", a.min, "E4", a.max}, t);
}

NodeId lower_clamp(const Clamp& a, Builder& b) {
  const DType t = a.result();
  NodeId x = computed(b, a.self, t);
  if (a.min) x = b.map(S::maximum, {x, computed(b, *a.min, t)});
  if (a.max) x = b.map(S::minimum, {x, computed(b, *a.max, t)});
  return b.convert(x, t);
}

// Functions of one operand whose result has its dtype.

template <ScalarOp kOp>
NodeId lower_same(const Unary& a, Builder& b) {
  return pointwise(b, kOp, a.self.dtype(), {a.self});
}

NodeId lower_sign(const Unary& a, Builder& b) {
  if (a.self.dtype() == DType::boolean) return a.self.node();
  return lower_same<S::sign>(a, b);
}

NodeId lower_square(const Unary& a, Builder& b) {
  const DType t =
      a.self.dtype() == DType::boolean ? DType::i64 : a.self.dtype();
  return pointwise(b, S::mul, t, {a.self, a.self});
}

NodeId lower_positive(const Unary& a, Builder&) { return a.self.node(); }

// Integers are their own ceiling, floor and truncation.
template <ScalarOp kOp>
NodeId lower_to_integral(const Unary& a, Builder& b) {
  if (!is_float(a.self.dtype())) return a.self.node();
  return lower_same<kOp>(a, b);
}

struct NanToNum : Unary {
  std::optional<Number> nan = maybe_number("nan");
  std::optional<Number> posinf = maybe_number("posinf");
  std::optional<Number> neginf = maybe_number("neginf");
};

NodeId lower_nan_to_num(const NanToNum& a, Builder& b) {
  const DType t = a.self.dtype();
  if (!is_float(t)) return a.self.node();
  const NodeId x = b.widened(a.self.node());
  // In t first, since the largest number of the type is meant.
  const auto number = [&](const std::optional<Number>& n, double otherwise) {
    return b.widened(b.scalar(t, n ? n->real() : otherwise));
  };
  const double inf = std::numeric_limits<double>::infinity();
  const double largest = decode_float(t, largest_bits(t));
  const NodeId nan = number(a.nan, 0);
  const NodeId top = number(a.posinf, largest);
  const NodeId bottom = number(a.neginf, -largest);
  const auto equal = [&](double v) {
    return b.map(S::eq, {x, b.scalar(b.dtype(x), v)});
  };
  const NodeId low = b.map(S::select, {equal(-inf), bottom, x});
  const NodeId high = b.map(S::select, {equal(inf), top, low});
  return b.convert(b.map(S::select, {b.map(S::isnan, {x}), nan, high}), t);
}

constexpr Operation kOperations[] = {
    operation<Scaled<Binary>, lower_scaled<Binary, S::add>, guard_add>(
        "aten.add.Tensor", "add"),
    operation<Scaled<TensorAndNumber>, lower_scaled<TensorAndNumber, S::add>,
              guard_add_number>("aten.add.Scalar", "add_scalar"),
    operation<Scaled<Binary>, lower_scaled<Binary, S::sub>, guard_sub>(
        "aten.sub.Tensor", "sub"),
    operation<Scaled<TensorAndNumber>, lower_scaled<TensorAndNumber, S::sub>,
              guard_sub_number>("aten.sub.Scalar", "sub_scalar"),
    operation<Scaled<TensorAndNumber>, lower_rsub, guard_rsub>(
        "aten.rsub.Scalar", "rsub"),
    operation<Binary, lower_mul<Binary>, can_broadcast>("aten.mul.Tensor",
                                                        "mul"),
    operation<TensorAndNumber, lower_mul<TensorAndNumber>>("aten.mul.Scalar",
                                                           "mul_scalar"),
    operation<Binary, lower_div<Binary>, can_broadcast>("aten.div.Tensor",
                                                        "div"),
    operation<TensorAndNumber, lower_div<TensorAndNumber>>("aten.div.Scalar",
                                                           "div_scalar"),
    operation<TwoTensors, lower_copysign<TwoTensors>, tensors_broadcast>(
        "aten.copysign.Tensor", "copysign"),
    operation<TensorAndNumber, lower_copysign<TensorAndNumber>>(
        "aten.copysign.Scalar", "copysign_scalar"),
    operation<TwoTensors, lower_promoted<S::maximum>, tensors_broadcast>(
        "aten.maximum.default", "maximum"),
    operation<TwoTensors, lower_promoted<S::minimum>, tensors_broadcast>(
        "aten.minimum.default", "minimum"),
    operation<Where, lower_where, guard_where>("aten.where.self", "where"),
    operation<Clamp, lower_clamp, guard_clamp>("aten.clamp.default", "clamp"),

    operation<Unary, lower_same<S::neg>, not_bool>("aten.neg.default", "neg"),
    operation<Unary, lower_same<S::abs>, kernel_not_bool>("aten.abs.default",
                                                          "abs"),
    operation<Unary, lower_sign>("aten.sign.default", "sign"),
    operation<Unary, lower_square>("aten.square.default", "square"),
    operation<Unary, lower_positive, not_bool>("aten.positive.default",
                                               "positive"),
    operation<NanToNum, lower_nan_to_num>("aten.nan_to_num.default",
                                          "nan_to_num"),
    operation<Unary, lower_to_integral<S::ceil>, kernel_not_bool>(
        "aten.ceil.default", "ceil"),
    operation<Unary, lower_to_integral<S::floor>, kernel_not_bool>(
        "aten.floor.default", "floor"),
    operation<Unary, lower_to_integral<S::trunc>, kernel_not_bool>(
        "aten.trunc.default", "trunc"),
};

}  // namespace

Family arithmetic() { return kOperations; }

}  // namespace assay::compiler
