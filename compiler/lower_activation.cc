// Activations: compositions of scalar operations, computed in opmath and
// rounded once.
#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

// A formula of argument 0, in opmath of its dtype.
class Formula {
 public:
  Formula(const Call& c, Builder& b)
      : x(b.widened(c.node(0))), b_(b), type_(c.dtype(0)), wide_(b.dtype(x)) {}

  NodeId number(double v) const {
    return is_float(wide_)
               ? b_.scalar(wide_, v)
               : b_.integer_scalar(wide_, static_cast<std::int64_t>(v));
  }
  // A parameter of the operation, rounded to the dtype computed in.
  NodeId number(const Call& c, std::size_t i) const {
    return number(c.number(i));
  }
  template <class... Args>
  NodeId map(S op, Args... args) const {
    return b_.map(op, {args...});
  }
  // `below` where x <= 0 or x is NaN, else `above`.
  NodeId split(NodeId below, NodeId above) const {
    return map(S::select, map(S::gt, x, number(0)), above, below);
  }
  NodeId rounded(NodeId y) const { return b_.convert(y, type_); }

  const NodeId x;

 private:
  Builder& b_;
  DType type_, wide_;
};

NodeId clamped(const Formula& f, NodeId low, NodeId high) {
  return f.rounded(f.map(S::minimum, f.map(S::maximum, f.x, low), high));
}

NodeId lower_relu(const Call& c, Builder& b) {
  const Formula f(c, b);
  return f.rounded(f.map(S::maximum, f.x, f.number(0)));
}
NodeId lower_relu6(const Call& c, Builder& b) {
  const Formula f(c, b);
  return clamped(f, f.number(0), f.number(6));
}
// The limits are numbers of the tensor's own dtype.
NodeId lower_hardtanh(const Call& c, Builder& b) {
  const Formula f(c, b);
  const DType t = c.dtype(0);
  const auto limit = [&](std::size_t i) {
    return is_float(t) ? b.widened(b.scalar(t, c.number(i))) : f.number(c, i);
  };
  return clamped(f, limit(1), limit(2));
}
NodeId lower_leaky_relu(const Call& c, Builder& b) {
  const Formula f(c, b);
  return f.rounded(f.split(f.map(S::mul, f.x, f.number(c, 1)), f.x));
}

// Zero up to -3, `high` from 3 on, `middle` between.
NodeId hard(const Formula& f, NodeId high, NodeId middle) {
  const NodeId inner =
      f.map(S::select, f.map(S::ge, f.x, f.number(3)), high, middle);
  return f.rounded(
      f.map(S::select, f.map(S::le, f.x, f.number(-3)), f.number(0), inner));
}
NodeId lower_hardswish(const Call& c, Builder& b) {
  const Formula f(c, b);
  const NodeId sum = f.map(S::add, f.x, f.number(3));
  const NodeId product = f.map(S::mul, f.x, sum);
  return hard(f, f.x, f.map(S::div, product, f.number(6)));
}
NodeId lower_hardsigmoid(const Call& c, Builder& b) {
  const Formula f(c, b);
  const NodeId sum = f.map(S::add, f.x, f.number(3));
  return hard(f, f.number(1), f.map(S::div, sum, f.number(6)));
}

// scale * (x, or alpha * expm1(x * inner) below zero)
NodeId exponential(const Formula& f, NodeId inner, NodeId alpha, NodeId scale) {
  const NodeId below =
      f.map(S::mul, f.map(S::expm1, f.map(S::mul, f.x, inner)), alpha);
  return f.rounded(f.map(S::mul, f.split(below, f.x), scale));
}
NodeId lower_elu(const Call& c, Builder& b) {
  const Formula f(c, b);
  return exponential(f, f.number(c, 3), f.number(c, 1), f.number(c, 2));
}
NodeId lower_selu(const Call& c, Builder& b) {
  const Formula f(c, b);
  return exponential(f, f.number(1),
                     f.number(1.6732632423543772848170429916717),
                     f.number(1.0507009873554804934193349852946));
}
NodeId lower_celu(const Call& c, Builder& b) {
  const Formula f(c, b);
  const NodeId alpha = f.number(c, 1);
  const NodeId below =
      f.map(S::mul, f.map(S::expm1, f.map(S::div, f.x, alpha)), alpha);
  return f.rounded(f.split(below, f.x));
}

NodeId lower_silu(const Call& c, Builder& b) {
  const Formula f(c, b);
  return f.rounded(f.map(S::mul, f.x, f.map(S::sigmoid, f.x)));
}
NodeId lower_gelu(const Call& c, Builder& b) {
  return pointwise(c, b, c.text(1) == "tanh" ? S::gelu_tanh : S::gelu,
                   c.dtype(0), {0});
}
NodeId lower_mish(const Call& c, Builder& b) {
  const Formula f(c, b);
  const NodeId softplus = f.map(S::log1p, f.map(S::exp, f.x));
  return f.rounded(f.map(S::mul, f.x, f.map(S::tanh, softplus)));
}
NodeId lower_softplus(const Call& c, Builder& b) {
  const Formula f(c, b);
  const NodeId beta = f.number(c, 1);
  const NodeId product = f.map(S::mul, f.x, beta);
  const NodeId soft =
      f.map(S::div, f.map(S::log1p, f.map(S::exp, product)), beta);
  const NodeId linear = f.map(S::gt, product, f.number(c, 2));
  return f.rounded(f.map(S::select, linear, f.x, soft));
}
// min(x, 0) - log1p(exp(-|x|)): exp never overflows.
NodeId lower_log_sigmoid(const Call& c, Builder& b) {
  const Formula f(c, b);
  const NodeId power = f.map(S::exp, f.map(S::neg, f.map(S::abs, f.x)));
  const NodeId low = f.map(S::minimum, f.x, f.number(0));
  return f.rounded(f.map(S::sub, low, f.map(S::log1p, power)));
}

const char* negative_limit(const Call& c) {
  const bool negative = c.number(1) < 0 || c.number(2) < 0;
  return c.dtype(0) == DType::u8 && negative
             ? "negative limits of an unsigned type"
             : nullptr;
}

constexpr std::string_view kUnary = "t self";

constexpr LoweringRow kRows[] = {
    {"aten.relu.default", "relu", kUnary, guard_no_bool, lower_relu},
    {"aten.relu6.default", "relu6", kUnary, guard_no_bool, lower_relu6},
    {"aten.hardtanh.default", "hardtanh", "t self, n min_val=-1, n max_val=1",
     guard_no_bool, lower_hardtanh, negative_limit},
    {"aten.leaky_relu.default", "leaky_relu", "t self, n negative_slope=0.01",
     guard_float, lower_leaky_relu},
    {"aten.hardswish.default", "hardswish", kUnary, guard_float,
     lower_hardswish},
    {"aten.hardsigmoid.default", "hardsigmoid", kUnary, guard_float,
     lower_hardsigmoid},
    {"aten.elu.default", "elu", "t self, n alpha=1, n scale=1, n input_scale=1",
     guard_float, lower_elu},
    {"aten.selu.default", "selu", kUnary, guard_float, lower_selu},
    {"aten.celu.default", "celu", "t self, n alpha=1", guard_celu, lower_celu},
    {"aten.silu.default", "silu", kUnary, guard_float, lower_silu},
    {"aten.gelu.default", "gelu", "t self, s approximate=\"none\"", guard_gelu,
     lower_gelu},
    {"aten.mish.default", "mish", kUnary, guard_float, lower_mish},
    {"aten.softplus.default", "softplus", "t self, n beta=1, n threshold=20",
     guard_float, lower_softplus},
    {"aten.log_sigmoid.default", "log_sigmoid", kUnary, guard_float,
     lower_log_sigmoid},
};

}  // namespace

std::span<const LoweringRow> activation_rows() { return kRows; }

}  // namespace assay::compiler
