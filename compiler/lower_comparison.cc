// Comparisons, predicates and logic: results are bool.
#include <limits>

#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

template <ScalarOp kOp>
NodeId lower_compare(const Call& c, Builder& b) {
  return pointwise(c, b, kOp, c.promoted({0, 1}), {0, 1});
}

template <ScalarOp kOp>
NodeId lower_logical(const Call& c, Builder& b) {
  return pointwise(c, b, kOp, DType::boolean, {0, 1});
}

NodeId lower_not(const Call& c, Builder& b) {
  return pointwise(c, b, S::logical_not, DType::boolean, {0});
}

// No integer is NaN or infinite.
template <ScalarOp kOp>
NodeId lower_class(const Call& c, Builder& b) {
  if (!is_float(c.dtype(0))) {
    return b.filled(DType::boolean, c.sizes(0), 0);
  }
  return pointwise(c, b, kOp, c.dtype(0), {0});
}

NodeId lower_isfinite(const Call& c, Builder& b) {
  const NodeId bad = b.map(S::logical_or, {lower_class<S::isnan>(c, b),
                                           lower_class<S::isinf>(c, b)});
  return b.map(S::logical_not, {bad});
}

// One of the infinities.
template <bool kNegative>
NodeId lower_infinity(const Call& c, Builder& b) {
  if (!is_float(c.dtype(0))) {
    return b.filled(DType::boolean, c.sizes(0), 0);
  }
  const NodeId x = b.widened(c.node(0));
  const double inf = std::numeric_limits<double>::infinity();
  return b.map(S::eq, {x, b.scalar(b.dtype(x), kNegative ? -inf : inf)});
}

NodeId lower_signbit(const Call& c, Builder& b) {
  const DType t = c.dtype(0);
  if (is_float(t)) return pointwise(c, b, S::signbit, t, {0});
  if (!is_signed(t)) return b.filled(DType::boolean, c.sizes(0), 0);
  return b.map(S::lt, {c.node(0), b.integer_scalar(t, 0)});
}

constexpr std::string_view kUnary = "t self";
constexpr std::string_view kTensors = "t self, t other";
constexpr std::string_view kScalar = "t self, n other";

constexpr LoweringRow kRows[] = {
    {"aten.eq.Tensor", "eq", kTensors, guard_broadcast, lower_compare<S::eq>},
    {"aten.ne.Tensor", "ne", kTensors, guard_broadcast, lower_compare<S::ne>},
    {"aten.lt.Tensor", "lt", kTensors, guard_broadcast, lower_compare<S::lt>},
    {"aten.le.Tensor", "le", kTensors, guard_broadcast, lower_compare<S::le>},
    {"aten.gt.Tensor", "gt", kTensors, guard_broadcast, lower_compare<S::gt>},
    {"aten.ge.Tensor", "ge", kTensors, guard_broadcast, lower_compare<S::ge>},
    {"aten.eq.Scalar", "eq", kScalar, guard_none, lower_compare<S::eq>},
    {"aten.ne.Scalar", "ne", kScalar, guard_none, lower_compare<S::ne>},
    {"aten.lt.Scalar", "lt", kScalar, guard_none, lower_compare<S::lt>},
    {"aten.le.Scalar", "le", kScalar, guard_none, lower_compare<S::le>},
    {"aten.gt.Scalar", "gt", kScalar, guard_none, lower_compare<S::gt>},
    {"aten.ge.Scalar", "ge", kScalar, guard_none, lower_compare<S::ge>},
    {"aten.logical_and.default", "logical_and", kTensors, guard_broadcast,
     lower_logical<S::logical_and>},
    {"aten.logical_or.default", "logical_or", kTensors, guard_broadcast,
     lower_logical<S::logical_or>},
    {"aten.logical_xor.default", "logical_xor", kTensors, guard_broadcast,
     lower_logical<S::logical_xor>},
    {"aten.logical_not.default", "logical_not", kUnary, guard_none, lower_not},
    {"aten.isnan.default", "isnan", kUnary, guard_none, lower_class<S::isnan>},
    {"aten.isinf.default", "isinf", kUnary, guard_none, lower_class<S::isinf>},
    {"aten.isfinite.default", "isfinite", kUnary, guard_none, lower_isfinite},
    {"aten.isposinf.default", "isposinf", kUnary, guard_none,
     lower_infinity<false>},
    {"aten.isneginf.default", "isneginf", kUnary, guard_none,
     lower_infinity<true>},
    {"aten.signbit.default", "signbit", kUnary, guard_none, lower_signbit},
};

}  // namespace

std::span<const LoweringRow> comparison_rows() { return kRows; }

}  // namespace assay::compiler
