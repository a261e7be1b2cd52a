// Guards of embedding, convolution, normalisation and pooling.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/guard.h"

namespace assay::compiler {
namespace {

std::int64_t least(const Shape& s) {
  return *std::min_element(s.begin(), s.end());
}

// What conv2d and convolution share, with their clause numbers shifted.
struct ConvolveClauses {
  const char *weight_rank, *lists, *padding, *stride, *dilation, *groups,
      *divisible, *channels, *bias, *kernel, *fits, *spatial, *dtype;
};

bool guard_convolve(const Call& c, Guards& g, const ConvolveClauses& k,
                    std::size_t groups_at) {
  const Shape stride = c.ints(3);
  const Shape padding = c.ints(4);
  const Shape dilation = c.ints(5);
  const std::int64_t groups = c.integer(groups_at);
  const bool bias = c.given(2);
  const auto covers = [&](std::int64_t d) {
    const auto at = static_cast<std::size_t>(d + 2);
    return c.dim(0, d) + 2 * padding[at] >=
           dilation[at] * (c.dim(1, d) - 1) + 1;
  };
  return g.shape(k.weight_rank, c.rank(1) == 4,
                 "expected weight of 4 dimensions") &&
         g.shape(
             k.lists,
             stride.size() == 2 && padding.size() == 2 && dilation.size() == 2,
             "expected stride, padding and dilation to be lists of 2 "
             "values to match the convolution dimensions") &&
         g.shape(k.padding, least(padding) >= 0,
                 "negative padding is not supported") &&
         g.shape(k.stride, least(stride) > 0,
                 "non-positive stride is not supported") &&
         g.shape(k.dilation, least(dilation) > 0,
                 "dilation should be greater than zero") &&
         g.shape(k.groups, groups > 0,
                 "non-positive groups is not supported") &&
         g.shape(k.divisible,
                 c.dim(1, 0) >= groups && c.dim(1, 0) % groups == 0,
                 fmt::format("Given groups={}, expected weight to be at least "
                             "that and divisible by it at dimension 0, but got "
                             "weight of size [{}]",
                             groups, fmt::join(c.sizes(1), ", "))) &&
         g.shape(k.channels, c.dim(0, -3) == groups * c.dim(1, 1),
                 fmt::format("Given groups={}, weight of size [{}], expected "
                             "input to have {} channels, but got {} channels "
                             "instead",
                             groups, fmt::join(c.sizes(1), ", "),
                             groups * c.dim(1, 1), c.dim(0, -3))) &&
         g.shape(k.bias,
                 !bias || (c.rank(2) == 1 && c.dim(2, 0) == c.dim(1, 0)),
                 "expected bias to be 1-dimensional with one element per "
                 "output channel") &&
         g.shape(k.kernel, c.dim(1, 2) > 0 && c.dim(1, 3) > 0,
                 "kernel size should be greater than zero") &&
         g.shape(k.fits, covers(-2) && covers(-1),
                 "Kernel size can't be greater than actual input size") &&
         g.shape(k.spatial, c.dim(0, -2) > 0 && c.dim(0, -1) > 0,
                 "Only zero batch or zero channel inputs are supported") &&
         g.types(k.dtype, c.dtype(1) == c.dtype(0) || c.numel(0) == 0,
                 fmt::format("expected input and weight of one dtype, but got "
                             "{} and {}",
                             dtype_name(c.dtype(0)), dtype_name(c.dtype(1))));
}

}  // namespace

bool guard_embedding(const Call& c, Guards& g) {
  const DType t = c.dtype(1);
  return g.shape("E1", c.rank(0) == 2, "'weight' must be 2-D") &&
         g.shape("E2", t == DType::i64 || t == DType::i32,
                 fmt::format("Expected tensor for argument #1 'indices' to "
                             "have one of the following scalar types: Long, "
                             "Int; but got {} instead",
                             dtype_name(t))) &&
         g.range("E3", c.node(1), c.dim(0, 0), "index out of range in self");
}

bool guard_conv2d(const Call& c, Guards& g) {
  const bool bias = c.given(2);
  return g.shape("E1", c.rank(0) == 3 || c.rank(0) == 4,
                 "Expected 3D (unbatched) or 4D (batched) input to conv2d") &&
         g.types("E2", !bias || c.dtype(2) == c.dtype(0),
                 "Input type and bias type should be the same") &&
         guard_convolve(c, g,
                        {"E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E11",
                         "E12", "E13", "E14", "E15"},
                        6);
}

bool guard_convolution(const Call& c, Guards& g) {
  return g.shape("E1", c.rank(0) == c.rank(1),
                 "Expected 4-dimensional input for 4-dimensional weight") &&
         guard_convolve(c, g,
                        {"E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10",
                         "E11", "E12", "E13", "E14"},
                        8);
}

bool guard_batch_norm(const Call& c, Guards& g) {
  if (!g.shape("E1", c.given(3) && c.given(4),
               "running_mean and running_var must be defined in evaluation "
               "mode") ||
      !g.shape("E2", c.rank(0) >= 2, "batch_norm expects at least 2D input")) {
    return false;
  }
  const std::int64_t channels = c.dim(0, 1);
  const auto all_are = [&](DType t) {
    bool same = true;
    for (const std::size_t i : {1, 2, 3, 4}) {
      same = same && (!c.given(i) || c.dtype(i) == t);
    }
    return same;
  };
  const DType wide = opmath(c.dtype(0));
  const auto one_each = [&](std::size_t i) {
    return !c.given(i) || c.numel(i) == channels;
  };
  return g.shape("E3", one_each(3) && one_each(4),
                 fmt::format("running statistics should contain {} elements",
                             channels)) &&
         g.shape("E4", one_each(1) && one_each(2),
                 fmt::format("weight and bias should contain {} elements",
                             channels)) &&
         g.types("E5", is_float(c.dtype(0)),
                 "batch_norm is implemented for floating-point types only",
                 "NotImplementedError") &&
         g.types("E6", all_are(c.dtype(0)) || all_are(wide),
                 "mixed dtype (CPU): all inputs must share same datatype.");
}

bool guard_adaptive_avg_pool2d(const Call& c, Guards& g) {
  const Shape size = c.ints(1);
  if (!g.shape("E1", size.size() == 2,
               "adaptive_avg_pool2d: output_size must be 2")) {
    return false;
  }
  // An output of 1 x 1 is a mean over the last two dimensions.
  const bool mean = size == Shape{1, 1} && c.rank(0) >= 2;
  return g.shape("E2", least(size) >= 0,
                 "adaptive_avg_pool2d: elements of output_size must be "
                 "greater than or equal to 0") &&
         g.shape("E3", c.rank(0) == 3 || c.rank(0) == 4 || mean,
                 "adaptive_avg_pool2d(): Expected 3D or 4D tensor") &&
         g.shape("E4", mean || (c.dim(0, -1) > 0 && c.dim(0, -2) > 0),
                 "adaptive_avg_pool2d(): Expected input to have non-zero size "
                 "for non-batch dimensions") &&
         g.types("E5", is_float(c.dtype(0)),
                 "adaptive_avg_pool2d is implemented for floating-point types "
                 "only",
                 "NotImplementedError");
}

}  // namespace assay::compiler
