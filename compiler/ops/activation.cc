// Activations: compositions of scalar operations, computed in opmath and
// rounded once.
#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

using S = ScalarOp;

// A formula of self, in opmath of its dtype.
class Formula {
 public:
  Formula(const Unary& a, Builder& b)
      : x(b.widened(a.self.node())),
        b_(b),
        type_(a.self.dtype()),
        wide_(b.dtype(x)) {}

  // A number rounded to the dtype computed in.
  NodeId number(const Number& v) const {
    return is_float(wide_) ? b_.scalar(wide_, v.real())
                           : b_.integer_scalar(wide_, v.integer());
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

// Limits.

NodeId clamped(const Formula& f, NodeId low, NodeId high) {
  return f.rounded(f.map(S::minimum, f.map(S::maximum, f.x, low), high));
}

NodeId lower_relu(const Unary& a, Builder& b) {
  const Formula f(a, b);
  return f.rounded(f.map(S::maximum, f.x, f.number(0)));
}

NodeId lower_relu6(const Unary& a, Builder& b) {
  const Formula f(a, b);
  return clamped(f, f.number(0), f.number(6));
}

struct Hardtanh : Unary {
  Number min_val = number("min_val", -1);
  Number max_val = number("max_val", 1);
};

const char* negative_limit(const Hardtanh& a) {
  const bool negative = a.min_val.real() < 0 || a.max_val.real() < 0;
  return a.self.dtype() == DType::u8 && negative
             ? "negative limits of an unsigned type"
             : nullptr;
}

bool guard_hardtanh(const Hardtanh& a, Guards& g) {
  return not_bool(a, g) &&
         converts_bounds(g, {"E2", a.min_val, "E3", a.max_val}, a.self.dtype());
}

// The limits are numbers of the tensor's own dtype.
NodeId lower_hardtanh(const Hardtanh& a, Builder& b) {
  const Formula f(a, b);
  const DType t = a.self.dtype();
  const auto limit = [&](const Number& n) {
    return is_float(t) ? b.widened(b.scalar(t, n.real())) : f.number(n);
  };
  return clamped(f, limit(a.min_val), limit(a.max_val));
}

struct LeakyRelu : Unary {
  Number negative_slope = number("negative_slope", 0.01);
};

bool guard_leaky_relu(const LeakyRelu& a, Guards& g) {
  return is_floating(a, g) &&
         converts(g, "E2", a.negative_slope, a.self.dtype());
}

NodeId lower_leaky_relu(const LeakyRelu& a, Builder& b) {
  const Formula f(a, b);
  return f.rounded(
      f.split(f.map(S::mul, f.x, f.number(a.negative_slope)), f.x));
}

// Zero up to -3, `high` from 3 on, `middle` between.
NodeId hard(const Formula& f, NodeId high, NodeId middle) {
  const NodeId inner =
      f.map(S::select, f.map(S::ge, f.x, f.number(3)), high, middle);
  return f.rounded(
      f.map(S::select, f.map(S::le, f.x, f.number(-3)), f.number(0), inner));
}

NodeId lower_hardswish(const Unary& a, Builder& b) {
  const Formula f(a, b);
  const NodeId sum = f.map(S::add, f.x, f.number(3));
  const NodeId product = f.map(S::mul, f.x, sum);
  return hard(f, f.x, f.map(S::div, product, f.number(6)));
}

NodeId lower_hardsigmoid(const Unary& a, Builder& b) {
  const Formula f(a, b);
  const NodeId sum = f.map(S::add, f.x, f.number(3));
  return hard(f, f.number(1), f.map(S::div, sum, f.number(6)));
}

// Exponentials below zero.

// scale * (x, or alpha * expm1(x * inner) below zero)
NodeId exponential(const Formula& f, NodeId inner, NodeId alpha, NodeId scale) {
  const NodeId below =
      f.map(S::mul, f.map(S::expm1, f.map(S::mul, f.x, inner)), alpha);
  return f.rounded(f.map(S::mul, f.split(below, f.x), scale));
}

struct Elu : Unary {
  Number alpha = number("alpha", 1);
  Number scale = number("scale", 1);
  Number input_scale = number("input_scale", 1);
};

bool guard_elu(const Elu& a, Guards& g) {
  const DType t = a.self.dtype();
  return is_floating(a, g) && converts(g, "E2", a.alpha, t) &&
         converts(g, "E3", a.scale, t) && converts(g, "E4", a.input_scale, t);
}

NodeId lower_elu(const Elu& a, Builder& b) {
  const Formula f(a, b);
  return exponential(f, f.number(a.input_scale), f.number(a.alpha),
                     f.number(a.scale));
}

NodeId lower_selu(const Unary& a, Builder& b) {
  const Formula f(a, b);
  return exponential(f, f.number(1),
                     f.number(1.6732632423543772848170429916717),
                     f.number(1.0507009873554804934193349852946));
}

struct Celu : Unary {
  Number alpha = number("alpha", 1);
};

bool guard_celu(const Celu& a, Guards& g) {
  return g.shape("E1", a.alpha.real() != 0, "alpha cannot be 0 for CELU") &&
         floats_only(g, "E2", a.self.dtype(), "celu") &&
         converts(g, "E3", a.alpha, a.self.dtype());
}

NodeId lower_celu(const Celu& a, Builder& b) {
  const Formula f(a, b);
  const NodeId alpha = f.number(a.alpha);
  const NodeId below =
      f.map(S::mul, f.map(S::expm1, f.map(S::div, f.x, alpha)), alpha);
  return f.rounded(f.split(below, f.x));
}

// Smooth ones.

NodeId lower_silu(const Unary& a, Builder& b) {
  const Formula f(a, b);
  const DType t = a.self.dtype();
  const bool narrow = t == DType::f16 || t == DType::bf16;
  return f.rounded(f.map(narrow ? S::silu_narrow : S::silu, f.x));
}

struct Gelu : Unary {
  std::string approximate = text("approximate", "none");
};

bool guard_gelu(const Gelu& a, Guards& g) {
  return g.shape("E1", a.approximate == "none" || a.approximate == "tanh",
                 "approximate argument must be either none or tanh.") &&
         floats_only(g, "E2", a.self.dtype(), "gelu");
}

NodeId lower_gelu(const Gelu& a, Builder& b) {
  const DType t = a.self.dtype();
  if (a.approximate == "tanh") return pointwise(b, S::gelu_tanh, t, {a.self});
  return pointwise(b, t == DType::f16 ? S::gelu_f16 : S::gelu, t, {a.self});
}

NodeId lower_mish(const Unary& a, Builder& b) {
  const Formula f(a, b);
  return f.rounded(f.map(S::mish, f.x));
}

struct Softplus : Unary {
  Number beta = number("beta", 1);
  Number threshold = number("threshold", 20);
};

bool guard_softplus(const Softplus& a, Guards& g) {
  const DType t = a.self.dtype();
  return is_floating(a, g) && converts(g, "E2", a.beta, t) &&
         converts(g, "E3", a.threshold, t);
}

NodeId lower_softplus(const Softplus& a, Builder& b) {
  const Formula f(a, b);
  const NodeId beta = f.number(a.beta);
  const NodeId product = f.map(S::mul, f.x, beta);
  const NodeId soft =
      f.map(S::div, f.map(S::log1p, f.map(S::exp, product)), beta);
  const NodeId linear = f.map(S::gt, product, f.number(a.threshold));
  return f.rounded(f.map(S::select, linear, f.x, soft));
}

// min(x, 0) - log1p(exp(-|x|)): exp never overflows.
NodeId lower_log_sigmoid(const Unary& a, Builder& b) {
  const Formula f(a, b);
  const NodeId power = f.map(S::exp, f.map(S::neg, f.map(S::abs, f.x)));
  const NodeId low = f.map(S::minimum, f.x, f.number(0));
  return f.rounded(f.map(S::sub, low, f.map(S::log1p, power)));
}

constexpr Operation kOperations[] = {
    operation<Unary, lower_relu, not_bool>("aten.relu.default", "relu"),
    operation<Unary, lower_relu6, not_bool>("aten.relu6.default", "relu6"),
    operation<Hardtanh, lower_hardtanh, guard_hardtanh, negative_limit>(
        "aten.hardtanh.default", "hardtanh"),
    operation<LeakyRelu, lower_leaky_relu, guard_leaky_relu>(
        "aten.leaky_relu.default", "leaky_relu"),
    operation<Unary, lower_hardswish, is_floating>("aten.hardswish.default",
                                                   "hardswish"),
    operation<Unary, lower_hardsigmoid, is_floating>("aten.hardsigmoid.default",
                                                     "hardsigmoid"),
    operation<Elu, lower_elu, guard_elu>("aten.elu.default", "elu"),
    operation<Unary, lower_selu, is_floating>("aten.selu.default", "selu"),
    operation<Celu, lower_celu, guard_celu>("aten.celu.default", "celu"),
    operation<Unary, lower_silu, is_floating>("aten.silu.default", "silu"),
    operation<Gelu, lower_gelu, guard_gelu>("aten.gelu.default", "gelu"),
    operation<Unary, lower_mish, is_floating>("aten.mish.default", "mish"),
    operation<Softplus, lower_softplus, guard_softplus>("aten.softplus.default",
                                                        "softplus"),
    operation<Unary, lower_log_sigmoid, is_floating>("aten.log_sigmoid.default",
                                                     "log_sigmoid"),
};

}  // namespace

Family activation() { return kOperations; }

}  // namespace assay::compiler
