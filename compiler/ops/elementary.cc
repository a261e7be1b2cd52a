// Elementary functions: integers and bool are taken for f32, the result is a
// float.
#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

template <ScalarOp kOp>
NodeId lower_function(const Unary& a, Builder& b) {
  return pointwise(b, kOp, float_result(a.self.dtype()), {a.self});
}

template <ScalarOp kOp>
constexpr Operation function(std::string_view aten, std::string_view spec) {
  return operation<Unary, lower_function<kOp>>(aten, spec);
}

NodeId lower_reciprocal(const Unary& a, Builder& b) {
  const DType t = float_result(a.self.dtype());
  const NodeId x = computed(b, a.self, t);
  return b.convert(b.map(S::div, {b.scalar(b.dtype(x), 1), x}), t);
}

// x times a constant.
NodeId scaled(const Unary& a, Builder& b, double factor) {
  const DType t = float_result(a.self.dtype());
  const NodeId x = computed(b, a.self, t);
  return b.convert(b.map(S::mul, {x, b.scalar(b.dtype(x), factor)}), t);
}
NodeId lower_deg2rad(const Unary& a, Builder& b) {
  return scaled(a, b, 0x1.1df46a2529d39p-6);  // pi / 180
}
NodeId lower_rad2deg(const Unary& a, Builder& b) {
  return scaled(a, b, 0x1.ca5dc1a63c1f8p+5);  // 180 / pi
}

struct Logit : Unary {
  std::optional<Number> eps = maybe_number("eps");
};

// log(x / (1 - x)); its special values come of IEEE 754 by themselves.
NodeId lower_logit(const Logit& a, Builder& b) {
  const DType t = float_result(a.self.dtype());
  NodeId x = computed(b, a.self, t);
  const DType wide = b.dtype(x);
  if (a.eps) {
    x = b.map(S::maximum, {x, b.scalar(wide, a.eps->real())});
    x = b.map(S::minimum, {x, b.scalar(wide, 1 - a.eps->real())});
  }
  const NodeId rest = b.map(S::sub, {b.scalar(wide, 1), x});
  return b.convert(b.map(S::log, {b.map(S::div, {x, rest})}), t);
}

bool guard_logaddexp(const TwoTensors& a, Guards& g) {
  return tensors_broadcast(a, g) &&
         floats_only(g, "E2", a.promoted({a.self, a.other}), "logaddexp");
}

// max(x, y) + log1p(exp(-|x - y|)), where infinities of one sign are 0 apart.
NodeId lower_logaddexp(const TwoTensors& a, Builder& b) {
  const DType t = float_result(a.promoted({a.self, a.other}));
  const NodeId x = computed(b, a.self, t);
  const NodeId y = computed(b, a.other, t);
  const NodeId gap = b.map(S::abs, {b.map(S::sub, {x, y})});
  const NodeId zero = b.scalar(b.dtype(x), 0);
  const NodeId apart = b.map(S::select, {b.map(S::eq, {x, y}), zero, gap});
  const NodeId power = b.map(S::exp, {b.map(S::neg, {apart})});
  const NodeId top = b.map(S::maximum, {x, y});
  return b.convert(b.map(S::add, {top, b.map(S::log1p, {power})}), t);
}

constexpr Operation kOperations[] = {
    function<S::exp>("aten.exp.default", "exp"),
    function<S::exp2>("aten.exp2.default", "exp2"),
    function<S::expm1>("aten.expm1.default", "expm1"),
    function<S::log>("aten.log.default", "log"),
    function<S::log2>("aten.log2.default", "log2"),
    function<S::log10>("aten.log10.default", "log10"),
    function<S::log1p>("aten.log1p.default", "log1p"),
    function<S::sqrt>("aten.sqrt.default", "sqrt"),
    function<S::rsqrt>("aten.rsqrt.default", "rsqrt"),
    function<S::sin>("aten.sin.default", "sin"),
    function<S::cos>("aten.cos.default", "cos"),
    function<S::tan>("aten.tan.default", "tan"),
    function<S::sinc>("aten.sinc.default", "sinc"),
    function<S::asin>("aten.asin.default", "asin"),
    function<S::acos>("aten.acos.default", "acos"),
    function<S::atan>("aten.atan.default", "atan"),
    function<S::sinh>("aten.sinh.default", "sinh"),
    function<S::cosh>("aten.cosh.default", "cosh"),
    function<S::tanh>("aten.tanh.default", "tanh"),
    function<S::asinh>("aten.asinh.default", "asinh"),
    function<S::acosh>("aten.acosh.default", "acosh"),
    function<S::atanh>("aten.atanh.default", "atanh"),
    function<S::erf>("aten.erf.default", "erf"),
    function<S::erfc>("aten.erfc.default", "erfc"),
    function<S::erfcx>("aten.special_erfcx.default", "special_erfcx"),
    function<S::lgamma>("aten.lgamma.default", "lgamma"),
    function<S::sigmoid>("aten.sigmoid.default", "sigmoid"),
    operation<Unary, lower_reciprocal>("aten.reciprocal.default", "reciprocal"),
    operation<Unary, lower_deg2rad>("aten.deg2rad.default", "deg2rad"),
    operation<Unary, lower_rad2deg>("aten.rad2deg.default", "rad2deg"),
    operation<Logit, lower_logit>("aten.logit.default", "logit"),
    operation<TwoTensors, lower_logaddexp, guard_logaddexp>(
        "aten.logaddexp.default", "logaddexp"),
};

}  // namespace

Family elementary() { return kOperations; }

}  // namespace assay::compiler
