// Embedding, convolution, normalisation and pooling.
#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

NodeId lower_embedding(const Call& c, Builder& b) {
  if (c.dim(0, 0) == 0) {  // no row to read: the guard refuses any index
    Shape out = c.sizes(1);
    out.push_back(c.dim(0, 1));
    return b.filled(c.dtype(0), out, 0);
  }
  return b.gather(c.node(0), b.convert(c.node(1), DType::i64));
}

// Convolution of a batch in opmath, bias added before the one rounding.
NodeId convolve(const Call& c, Builder& b, std::int64_t groups) {
  const DType t =
      c.numel(0) == 0 ? c.dtype(0) : promote_types(c.dtype(0), c.dtype(1));
  const bool batched = c.rank(0) == 4;
  NodeId x = b.widened(b.convert(c.node(0), t));
  if (!batched) {
    const Shape s = b.sizes(x);
    x = b.reshape(x, {1, s[0], s[1], s[2]});
  }
  const NodeId w = b.widened(b.convert(c.node(1), t));
  const Shape stride = c.ints(3), pad = c.ints(4), dilation = c.ints(5);
  const auto extent = [&](std::size_t d) {
    const std::int64_t reach = dilation[d] * (b.sizes(w)[d + 2] - 1) + 1;
    return (b.sizes(x)[d + 2] + 2 * pad[d] - reach) / stride[d] + 1;
  };
  const Shape out = {b.sizes(x)[0], b.sizes(w)[0], extent(0), extent(1)};
  NodeId y = b.convolve(
      x, w,
      {stride[0], stride[1], pad[0], pad[1], dilation[0], dilation[1], groups},
      out);
  if (c.given(2)) {
    const NodeId bias = b.convert(c.node(2), b.dtype(y));
    y = b.map(ScalarOp::add, {y, b.reshape(bias, {out[1], 1, 1})});
  }
  if (!batched) y = b.reshape(y, {out[1], out[2], out[3]});
  return b.convert(y, t);
}

NodeId lower_conv2d(const Call& c, Builder& b) {
  return convolve(c, b, c.integer(6));
}

NodeId lower_convolution(const Call& c, Builder& b) {
  return convolve(c, b, c.integer(8));
}

// ((x - mean) * rsqrt(var + eps)) * weight + bias, all of it in opmath(x).
NodeId lower_batch_norm(const Call& c, Builder& b) {
  const DType t = c.dtype(0);
  NodeId x = b.widened(c.node(0));
  const DType wide = b.dtype(x);
  Shape column(static_cast<std::size_t>(b.rank(x)) - 1, 1);
  column[0] = c.dim(0, 1);
  const auto per_channel = [&](std::size_t i) {
    return b.reshape(b.convert(c.node(i), wide), column);
  };
  const NodeId variance =
      b.map(ScalarOp::add, {per_channel(4), b.scalar(wide, c.number(7))});
  x = b.map(ScalarOp::sub, {x, per_channel(3)});
  x = b.map(ScalarOp::mul, {x, b.map(ScalarOp::rsqrt, {variance})});
  if (c.given(1)) x = b.map(ScalarOp::mul, {x, per_channel(1)});
  if (c.given(2)) x = b.map(ScalarOp::add, {x, per_channel(2)});
  return b.convert(x, t);
}

// Sums over the windows, divided by how many elements each has.
NodeId lower_adaptive_avg_pool2d(const Call& c, Builder& b) {
  const Shape size = c.ints(1);
  const Shape in = c.sizes(0);
  const std::int64_t height = c.dim(0, -2), width = c.dim(0, -1);
  Shape out(in.begin(), in.end() - 2);
  const std::int64_t planes = element_count(out);
  NodeId x = b.widened(c.node(0));
  x = b.reshape(x, {1, planes, height, width});
  const NodeId sums = b.window_sum(x, size[0], size[1]);
  const auto count = [](std::int64_t i, std::int64_t from, std::int64_t to) {
    return ((i + 1) * from + to - 1) / to - i * from / to;
  };
  Tensor counts = Tensor::zeros(b.dtype(x), {size[0], size[1]});
  for (std::int64_t i = 0; i < counts.numel(); ++i) {
    counts.set_number(i,
                      static_cast<double>(count(i / size[1], height, size[0]) *
                                          count(i % size[1], width, size[1])));
  }
  const NodeId means = b.map(ScalarOp::div, {sums, b.constant(counts)});
  out.insert(out.end(), size.begin(), size.end());
  return b.convert(b.reshape(means, out), c.dtype(0));
}

const char* unsupported_convolution(const Call& c) {
  return c.boolean(6) ? "transposed convolution" : nullptr;
}

const char* unsupported_batch_norm(const Call& c) {
  return c.boolean(5) ? "batch norm in training" : nullptr;
}

constexpr LoweringRow kRows[] = {
    {"aten.embedding.default", "embedding",
     "t weight, t indices, i padding_idx=-1, b scale_grad_by_freq=false, "
     "b sparse=false",
     guard_embedding, lower_embedding},
    {"aten.conv2d.default", "conv2d",
     "t input, t weight, t? bias=none, IP stride=[1 1], IP padding=[0 0], "
     "IP dilation=[1 1], i groups=1",
     guard_conv2d, lower_conv2d},
    {"aten.convolution.default", "convolution",
     "t input, t weight, t? bias, IP stride, IP padding, IP dilation, "
     "b transposed, IP output_padding, i groups",
     guard_convolution, lower_convolution, unsupported_convolution},
    {"aten.batch_norm.default", "batch_norm",
     "t input, t? weight, t? bias, t? running_mean, t? running_var, "
     "b training, n momentum, n eps, b cudnn_enabled",
     guard_batch_norm, lower_batch_norm, unsupported_batch_norm},
    {"aten.adaptive_avg_pool2d.default", "adaptive_avg_pool2d",
     "t self, I output_size", guard_adaptive_avg_pool2d,
     lower_adaptive_avg_pool2d},
};

}  // namespace

std::span<const LoweringRow> network_rows() { return kRows; }

}  // namespace assay::compiler
