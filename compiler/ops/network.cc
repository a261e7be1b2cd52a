// Embedding, convolution and normalisation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ops/dims.h"
#include "compiler/ops/pointwise.h"
#include "kit/promotion.h"

namespace assay::compiler {
namespace {

// embedding

struct Embedding : Arguments {
  Operand weight = tensor("weight");
  Operand indices = tensor("indices");
  std::int64_t padding_idx = integer("padding_idx", -1);
  bool scale_grad_by_freq = boolean("scale_grad_by_freq", false);
  bool sparse = boolean("sparse", false);
};

bool guard_embedding(const Embedding& a, Guards& g) {
  const DType t = a.indices.dtype();
  return g.shape("E1", a.weight.rank() == 2, "'weight' must be 2-D") &&
         g.shape("E2", t == DType::i64 || t == DType::i32,
                 fmt::format("Expected tensor for argument #1 'indices' to "
                             "have one of the following scalar types: Long, "
                             "Int; but got {} instead",
                             dtype_name(t))) &&
         g.range("E3", a.indices.node(), a.weight.size(0),
                 "index out of range in self");
}

NodeId lower_embedding(const Embedding& a, Builder& b) {
  if (a.weight.size(0) == 0) {  // no row to read: the guard refuses any index
    Shape out = a.indices.sizes();
    out.push_back(a.weight.size(1));
    return b.filled(a.weight.dtype(), out, 0);
  }
  return b.gather(a.weight.node(), b.convert(a.indices.node(), DType::i64));
}

// conv2d

struct Conv2d : Arguments {
  Operand input = tensor("input");
  Operand weight = tensor("weight");
  std::optional<Operand> bias = maybe_tensor("bias");
  Shape stride = pair("stride", Shape{1, 1});
  Shape padding = pair("padding", Shape{0, 0});
  Shape dilation = pair("dilation", Shape{1, 1});
  std::int64_t groups = integer("groups", 1);
};

bool guard_geometry(const Conv2d& a, Guards& g) {
  const Operand &x = a.input, &w = a.weight;
  const auto& bias = a.bias;
  const auto covers = [&](std::int64_t d) {
    const auto at = static_cast<std::size_t>(d + 2);
    return x.size(d) + 2 * a.padding[at] >=
           a.dilation[at] * (w.size(d) - 1) + 1;
  };
  return g.shape("E3", w.rank() == 4, "expected weight of 4 dimensions") &&
         g.shape("E4",
                 a.stride.size() == 2 && a.padding.size() == 2 &&
                     a.dilation.size() == 2,
                 "expected stride, padding and dilation to be lists of 2 "
                 "values to match the convolution dimensions") &&
         g.shape("E5", least(a.padding) >= 0,
                 "negative padding is not supported") &&
         g.shape("E6", least(a.stride) > 0,
                 "non-positive stride is not supported") &&
         g.shape("E7", least(a.dilation) > 0,
                 "dilation should be greater than zero") &&
         g.shape("E8", a.groups > 0, "non-positive groups is not supported") &&
         g.shape("E9", w.size(0) >= a.groups && w.size(0) % a.groups == 0,
                 fmt::format("Given groups={}, expected weight to be at least "
                             "that and divisible by it at dimension 0, but got "
                             "weight of size [{}]",
                             a.groups, fmt::join(w.sizes(), ", "))) &&
         g.shape("E10", x.size(-3) == a.groups * w.size(1),
                 fmt::format("Given groups={}, weight of size [{}], expected "
                             "input to have {} channels, but got {} channels "
                             "instead",
                             a.groups, fmt::join(w.sizes(), ", "),
                             a.groups * w.size(1), x.size(-3))) &&
         g.shape("E11",
                 !bias || (bias->rank() == 1 && bias->size(0) == w.size(0)),
                 "expected bias to be 1-dimensional with one element per "
                 "output channel") &&
         g.shape("E12", w.size(2) > 0 && w.size(3) > 0,
                 "kernel size should be greater than zero") &&
         g.shape("E13", covers(-2) && covers(-1),
                 "Kernel size can't be greater than actual input size") &&
         g.shape("E14", x.size(-2) > 0 && x.size(-1) > 0,
                 "Only zero batch or zero channel inputs are supported") &&
         g.types("E15", w.dtype() == x.dtype() || x.numel() == 0,
                 fmt::format("expected input and weight of one dtype, but got "
                             "{} and {}",
                             dtype_name(x.dtype()), dtype_name(w.dtype())));
}

bool guard_conv2d(const Conv2d& a, Guards& g) {
  return g.shape("E1", a.input.rank() == 3 || a.input.rank() == 4,
                 "Expected 3D (unbatched) or 4D (batched) input to conv2d") &&
         g.types("E2", !a.bias || a.bias->dtype() == a.input.dtype(),
                 "Input type and bias type should be the same") &&
         guard_geometry(a, g);
}

// Convolution of a batch in opmath, bias added before the one rounding.
NodeId lower_convolution(const Conv2d& a, Builder& b) {
  const DType t = a.input.numel() == 0
                      ? a.input.dtype()
                      : kit::promote_types(a.input.dtype(), a.weight.dtype());
  const bool batched = a.input.rank() == 4;
  NodeId x = computed(b, a.input, t);
  if (!batched) {
    const Shape s = b.sizes(x);
    x = b.reshape(x, {1, s[0], s[1], s[2]});
  }
  const NodeId w = computed(b, a.weight, t);
  const auto extent = [&](std::size_t d) {
    const std::int64_t reach = a.dilation[d] * (b.sizes(w)[d + 2] - 1) + 1;
    return (b.sizes(x)[d + 2] + 2 * a.padding[d] - reach) / a.stride[d] + 1;
  };
  const Shape out = {b.sizes(x)[0], b.sizes(w)[0], extent(0), extent(1)};
  NodeId y = b.convolve(x, w,
                        {a.stride[0], a.stride[1], a.padding[0], a.padding[1],
                         a.dilation[0], a.dilation[1], a.groups},
                        out);
  if (a.bias) {
    const NodeId bias = b.convert(a.bias->node(), b.dtype(y));
    y = b.map(ScalarOp::add, {y, b.reshape(bias, {out[1], 1, 1})});
  }
  if (!batched) y = b.reshape(y, {out[1], out[2], out[3]});
  return b.convert(y, t);
}

// batch_norm

struct BatchNorm : Arguments {
  Operand input = tensor("input");
  std::optional<Operand> weight = maybe_tensor("weight");
  std::optional<Operand> bias = maybe_tensor("bias");
  std::optional<Operand> running_mean = maybe_tensor("running_mean");
  std::optional<Operand> running_var = maybe_tensor("running_var");
  bool training = boolean("training");
  Number momentum = number("momentum");
  Number eps = number("eps");
  bool cudnn_enabled = boolean("cudnn_enabled");
};

// Running statistics would be written to.
const char* in_training(const BatchNorm& a) {
  return a.training && (a.running_mean || a.running_var)
             ? "running statistics of a batch norm in training"
             : nullptr;
}

bool guard_batch_norm(const BatchNorm& a, Guards& g) {
  const Operand& x = a.input;
  if (!g.shape("E1", (a.running_mean && a.running_var) || a.training,
               "running_mean and running_var must be defined in evaluation "
               "mode") ||
      !g.shape("E2", x.rank() >= 2, "batch_norm expects at least 2D input")) {
    return false;
  }
  const std::int64_t channels = x.size(1);
  const auto one_each = [&](const std::optional<Operand>& p) {
    return !p || p->numel() == channels;
  };
  const auto all_are = [&](DType t) {
    const auto is = [t](const std::optional<Operand>& p) {
      return !p || p->dtype() == t;
    };
    return is(a.weight) && is(a.bias) && is(a.running_mean) &&
           is(a.running_var);
  };
  return g.shape("E3", one_each(a.running_mean) && one_each(a.running_var),
                 fmt::format("running statistics should contain {} elements",
                             channels)) &&
         g.shape("E4", one_each(a.weight) && one_each(a.bias),
                 fmt::format("weight and bias should contain {} elements",
                             channels)) &&
         floats_only(g, "E5", x.dtype(), "batch_norm") &&
         g.types("E6", all_are(x.dtype()) || all_are(opmath(x.dtype())),
                 "mixed dtype (CPU): all inputs must share same datatype.");
}

// Sums of x [N, C, P] for each channel, a row of P at a time.
NodeId channel_sums(Builder& b, NodeId x) {
  if (b.sizes(x)[2] > 1) x = b.reduce(Combiner::sum, x, {2});
  return b.sizes(x)[0] > 1 ? b.reduce(Combiner::sum, x, {0}) : x;
}

// As in evaluation, by the batch's own statistics. Those are in f64, where no
// square overflows; a product that f32 does not hold keeps its sign by an fma.
NodeId lower_batch_norm_in_training(const BatchNorm& a, Builder& b) {
  if (a.input.numel() == 0) return a.input.node();
  const Shape s = a.input.sizes();
  const std::int64_t each = a.input.numel() / s[1];
  NodeId x = b.widened(a.input.node());
  x = b.reshape(x, {s[0], s[1], each / s[0]});
  const DType wide = b.dtype(x);
  const NodeId all = b.convert(x, DType::f64);
  const NodeId n = b.integer_scalar(DType::f64, each);
  const NodeId mean = b.map(ScalarOp::div, {channel_sums(b, all), n});
  const NodeId apart = b.map(ScalarOp::sub, {all, mean});
  const NodeId squares = channel_sums(b, b.map(ScalarOp::mul, {apart, apart}));
  const NodeId variance = b.map(
      ScalarOp::add,
      {b.map(ScalarOp::div, {squares, n}), b.scalar(DType::f64, a.eps.real())});
  const NodeId scale = b.convert(b.map(ScalarOp::rsqrt, {variance}), wide);
  const auto per_channel = [&](const std::optional<Operand>& p) {
    return p ? b.reshape(b.convert(p->node(), wide), {s[1], 1})
             : b.scalar(wide, 0);
  };
  x = b.map(ScalarOp::sub, {x, b.convert(mean, wide)});
  if (a.weight) {
    x = b.map(ScalarOp::mul, {x, scale});
    x = b.map(ScalarOp::fma, {x, per_channel(a.weight), per_channel(a.bias)});
  } else {
    x = b.map(ScalarOp::fma, {x, scale, per_channel(a.bias)});
  }
  return b.convert(b.reshape(x, s), a.input.dtype());
}

// ((x - mean) * rsqrt(var + eps)) * weight + bias, all of it in opmath(x).
NodeId lower_batch_norm(const BatchNorm& a, Builder& b) {
  if (a.training) return lower_batch_norm_in_training(a, b);
  NodeId x = b.widened(a.input.node());
  const DType wide = b.dtype(x);
  Shape column(static_cast<std::size_t>(b.rank(x)) - 1, 1);
  column[0] = a.input.size(1);
  const auto per_channel = [&](const std::optional<Operand>& p) {
    return b.reshape(b.convert(p->node(), wide), column);
  };
  const NodeId variance = b.map(ScalarOp::add, {per_channel(a.running_var),
                                                b.scalar(wide, a.eps.real())});
  x = b.map(ScalarOp::sub, {x, per_channel(a.running_mean)});
  x = b.map(ScalarOp::mul, {x, b.map(ScalarOp::rsqrt, {variance})});
  if (a.weight) x = b.map(ScalarOp::mul, {x, per_channel(a.weight)});
  if (a.bias) x = b.map(ScalarOp::add, {x, per_channel(a.bias)});
  return b.convert(x, a.input.dtype());
}

constexpr Operation kOperations[] = {
    operation<Embedding, lower_embedding, guard_embedding>(
        "aten.embedding.default", "embedding"),
    operation<Conv2d, lower_convolution, guard_conv2d>("aten.conv2d.default",
                                                       "conv2d"),
    operation<BatchNorm, lower_batch_norm, guard_batch_norm, in_training>(
        "aten.batch_norm.default", "batch_norm"),
};

}  // namespace

Family network() { return kOperations; }

}  // namespace assay::compiler
