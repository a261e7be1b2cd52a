// Comparisons, predicates and logic: results are bool.
#include <limits>

#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

template <class A, ScalarOp kOp>
NodeId lower_compare(const A& a, Builder& b) {
  return pointwise(b, kOp, a.promoted({a.self, a.other}), {a.self, a.other});
}

template <ScalarOp kOp>
constexpr Operation with_tensor(std::string_view aten, std::string_view spec) {
  return operation<TwoTensors, lower_compare<TwoTensors, kOp>,
                   tensors_broadcast>(aten, spec);
}

template <ScalarOp kOp>
constexpr Operation with_number(std::string_view aten, std::string_view spec) {
  return operation<TensorAndNumber, lower_compare<TensorAndNumber, kOp>>(aten,
                                                                         spec);
}

template <ScalarOp kOp>
NodeId lower_logical(const TwoTensors& a, Builder& b) {
  return pointwise(b, kOp, DType::boolean, {a.self, a.other});
}

template <ScalarOp kOp>
constexpr Operation logical(std::string_view aten, std::string_view spec) {
  return operation<TwoTensors, lower_logical<kOp>, tensors_broadcast>(aten,
                                                                      spec);
}

NodeId lower_not(const Unary& a, Builder& b) {
  return pointwise(b, S::logical_not, DType::boolean, {a.self});
}

NodeId never(const Unary& a, Builder& b) {
  return b.filled(DType::boolean, a.self.sizes(), 0);
}

// No integer is NaN or infinite.
template <ScalarOp kOp>
NodeId lower_class(const Unary& a, Builder& b) {
  if (!is_float(a.self.dtype())) return never(a, b);
  return pointwise(b, kOp, a.self.dtype(), {a.self});
}

NodeId lower_isfinite(const Unary& a, Builder& b) {
  const NodeId bad = b.map(S::logical_or, {lower_class<S::isnan>(a, b),
                                           lower_class<S::isinf>(a, b)});
  return b.map(S::logical_not, {bad});
}

// One of the infinities.
template <bool kNegative>
NodeId lower_infinity(const Unary& a, Builder& b) {
  if (!is_float(a.self.dtype())) return never(a, b);
  const NodeId x = b.widened(a.self.node());
  const double inf = std::numeric_limits<double>::infinity();
  return b.map(S::eq, {x, b.scalar(b.dtype(x), kNegative ? -inf : inf)});
}

NodeId lower_signbit(const Unary& a, Builder& b) {
  const DType t = a.self.dtype();
  if (is_float(t)) return pointwise(b, S::signbit, t, {a.self});
  if (!is_signed(t)) return never(a, b);
  return b.map(S::lt, {a.self.node(), b.integer_scalar(t, 0)});
}

constexpr Operation kOperations[] = {
    with_tensor<S::eq>("aten.eq.Tensor", "eq"),
    with_tensor<S::ne>("aten.ne.Tensor", "ne"),
    with_tensor<S::lt>("aten.lt.Tensor", "lt"),
    with_tensor<S::le>("aten.le.Tensor", "le"),
    with_tensor<S::gt>("aten.gt.Tensor", "gt"),
    with_tensor<S::ge>("aten.ge.Tensor", "ge"),
    with_number<S::eq>("aten.eq.Scalar", "eq_scalar"),
    with_number<S::ne>("aten.ne.Scalar", "ne_scalar"),
    with_number<S::lt>("aten.lt.Scalar", "lt_scalar"),
    with_number<S::le>("aten.le.Scalar", "le_scalar"),
    with_number<S::gt>("aten.gt.Scalar", "gt_scalar"),
    with_number<S::ge>("aten.ge.Scalar", "ge_scalar"),
    logical<S::logical_and>("aten.logical_and.default", "logical_and"),
    logical<S::logical_or>("aten.logical_or.default", "logical_or"),
    logical<S::logical_xor>("aten.logical_xor.default", "logical_xor"),
    operation<Unary, lower_not>("aten.logical_not.default", "logical_not"),
    operation<Unary, lower_class<S::isnan>>("aten.isnan.default", "isnan"),
    operation<Unary, lower_class<S::isinf>>("aten.isinf.default", "isinf"),
    operation<Unary, lower_isfinite>("aten.isfinite.default", "isfinite"),
    operation<Unary, lower_infinity<false>>("aten.isposinf.default",
                                            "isposinf"),
    operation<Unary, lower_infinity<true>>("aten.isneginf.default", "isneginf"),
    operation<Unary, lower_signbit>("aten.signbit.default", "signbit"),
};

}  // namespace

Family comparison() { return kOperations; }

}  // namespace assay::compiler
