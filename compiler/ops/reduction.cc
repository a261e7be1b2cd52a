// Reductions: accumulated in opmath, rounded once at the end.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/ops/dims.h"
#include "compiler/ops/pointwise.h"
#include "compiler/ops/softmax.h"

namespace assay::compiler {
namespace {

// Dimensions as they are named, and the guards on them.

std::string out_of_range(std::int64_t d, std::int64_t rank) {
  const std::int64_t span = std::max<std::int64_t>(rank, 1);
  return fmt::format(
      "Dimension out of range (expected to be in range of [{}, {}], but got "
      "{})",
      -span, span - 1, d);
}

bool dims_in_range(Guards& g, const char* clause, const Shape& dims,
                   std::int64_t rank) {
  for (const std::int64_t d : dims) {
    if (!g.shape(clause, dim_in_range(d, rank), out_of_range(d, rank),
                 "IndexError")) {
      return false;
    }
  }
  return true;
}

bool dims_distinct(Guards& g, const char* clause, const Shape& dims,
                   std::int64_t rank) {
  std::set<std::int64_t> seen;
  for (const std::int64_t d : dims) {
    const std::int64_t wrapped = wrap_dim(d, rank);
    if (!g.shape(clause, seen.insert(wrapped).second,
                 fmt::format("dim {} appears multiple times in the list of "
                             "dims",
                             wrapped))) {
      return false;
    }
  }
  return true;
}

// `named`, wrapped and rising; all where none is named.
Shape reduced_dims(const Shape& named, std::int64_t rank) {
  Shape dims = named;
  if (dims.empty()) {
    for (std::int64_t d = 0; d < rank; ++d) dims.push_back(d);
  } else if (rank == 0) {
    dims.clear();
  }
  for (std::int64_t& d : dims) d = wrap_dim(d, rank);
  std::sort(dims.begin(), dims.end());
  return dims;
}

NodeId drop_dims(Builder& b, NodeId x, const Shape& dims, bool keep) {
  if (keep) return x;
  Shape out;
  for (std::int64_t d = 0; d < b.rank(x); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) {
      out.push_back(b.sizes(x)[static_cast<std::size_t>(d)]);
    }
  }
  return b.reshape(x, out);
}

// sum and mean, over all elements or over some dimensions.

struct Full : Unary {
  std::optional<DType> to = maybe_dtype("dtype");
  static constexpr bool keepdim = false;
  Shape dims() const { return {}; }
};

struct OverDims : Unary {
  std::optional<Shape> dim = maybe_integers("dim");
  bool keepdim = boolean("keepdim", false);
  std::optional<DType> to = maybe_dtype("dtype");
  Shape dims() const { return dim.value_or(Shape{}); }
};

bool guard_sum_dim(const OverDims& a, Guards& g) {
  return dims_in_range(g, "E1", a.dims(), a.self.rank()) &&
         dims_distinct(g, "E2", a.dims(), a.self.rank());
}

template <class A>
NodeId lower_sum(const A& a, Builder& b) {
  const DType self = a.self.dtype();
  const DType t = a.to.value_or(is_float(self) ? self : DType::i64);
  const DType wide = t == DType::boolean ? DType::i64 : opmath(t);
  const Shape dims = reduced_dims(a.dims(), a.self.rank());
  const NodeId x = b.convert(b.convert(a.self.node(), t), wide);
  const NodeId s = b.reduce(Combiner::sum, x, dims);
  return drop_dims(b, b.convert(s, t), dims, a.keepdim);
}

template <class A>
bool guard_mean(const A& a, Guards& g) {
  const DType t = a.to.value_or(a.self.dtype());
  return g.types("E1", is_float(t),
                 fmt::format("mean(): could not infer output dtype. Input "
                             "dtype must be either a floating point or "
                             "complex dtype. Got: {}",
                             dtype_name(t)));
}

bool guard_mean_dim(const OverDims& a, Guards& g) {
  return guard_mean(a, g) && dims_in_range(g, "E2", a.dims(), a.self.rank()) &&
         dims_distinct(g, "E3", a.dims(), a.self.rank());
}

template <class A>
NodeId lower_mean(const A& a, Builder& b) {
  const DType t = a.to.value_or(a.self.dtype());
  const Shape dims = reduced_dims(a.dims(), a.self.rank());
  const NodeId x = b.widened(b.convert(a.self.node(), t));
  std::int64_t terms = 1;
  for (const std::int64_t d : dims) terms *= a.self.size(d);
  const NodeId s = b.reduce(Combiner::sum, x, dims);
  const NodeId n = b.integer_scalar(b.dtype(x), terms);
  const NodeId m = b.map(ScalarOp::div, {s, n});
  return drop_dims(b, b.convert(m, t), dims, a.keepdim);
}

struct Extreme : Unary {
  Shape dim = integers("dim", Shape{});
  bool keepdim = boolean("keepdim", false);
};

bool guard_extreme(const Extreme& a, Guards& g) {
  const std::int64_t rank = a.self.rank();
  if (!dims_in_range(g, "E1", a.dim, rank) ||
      !dims_distinct(g, "E2", a.dim, rank) ||
      !g.shape("E3", a.self.numel() > 0 || !a.dim.empty(),
               "amax(): Expected reduction dim to be specified for "
               "input.numel() == 0. Specify the reduction dim with the 'dim' "
               "argument.")) {
    return false;
  }
  for (const std::int64_t d : a.dim) {
    if (!g.shape("E4", rank == 0 || a.self.size(d) > 0,
                 fmt::format("amax(): Expected reduction dim {} to have "
                             "non-zero size.",
                             wrap_dim(d, rank)),
                 "IndexError")) {
      return false;
    }
  }
  return true;
}

template <Combiner kCombiner>
NodeId lower_extreme(const Extreme& a, Builder& b) {
  const Shape dims = reduced_dims(a.dim, a.self.rank());
  const NodeId s = b.reduce(kCombiner, b.widened(a.self.node()), dims);
  return drop_dims(b, b.convert(s, a.self.dtype()), dims, a.keepdim);
}

struct SoftmaxInt : Unary {
  std::int64_t dim = integer("dim");
  std::optional<DType> to = maybe_dtype("dtype");
};

struct SoftmaxKernel : Unary {
  std::int64_t dim = integer("dim");
  bool half_to_float = boolean("half_to_float");
  static constexpr std::optional<DType> to = std::nullopt;
};

template <class A>
bool guard_softmax(const A& a, Guards& g) {
  const DType t = a.self.dtype();
  return g.shape("E1", dim_in_range(a.dim, a.self.rank()),
                 out_of_range(a.dim, a.self.rank()), "IndexError") &&
         g.types(
             "E2",
             is_float(t) || a.self.numel() == 0 || is_float(a.to.value_or(t)),
             "softmax is implemented for floating-point types only",
             "NotImplementedError");
}

// All of it in opmath.
template <class A>
NodeId lower_softmax(const A& a, Builder& b) {
  const DType t = a.to.value_or(a.self.dtype());
  const NodeId x = b.widened(b.convert(a.self.node(), t));
  if (a.self.numel() == 0) return b.convert(x, t);
  Shape dims;
  if (a.self.rank() > 0) dims = {wrap_dim(a.dim, a.self.rank())};
  return b.convert(softmax_over(b, x, dims), t);
}

constexpr Operation kOperations[] = {
    operation<Full, lower_sum<Full>>("aten.sum.default", "sum"),
    operation<OverDims, lower_sum<OverDims>, guard_sum_dim>(
        "aten.sum.dim_IntList", "sum_dim"),
    operation<Full, lower_mean<Full>, guard_mean<Full>>("aten.mean.default",
                                                        "mean"),
    operation<OverDims, lower_mean<OverDims>, guard_mean_dim>("aten.mean.dim",
                                                              "mean_dim"),
    operation<Extreme, lower_extreme<Combiner::maximum>, guard_extreme>(
        "aten.amax.default", "amax"),
    operation<Extreme, lower_extreme<Combiner::minimum>, guard_extreme>(
        "aten.amin.default", "amin"),
    operation<SoftmaxInt, lower_softmax<SoftmaxInt>, guard_softmax<SoftmaxInt>>(
        "aten.softmax.int", "softmax"),
    operation<SoftmaxKernel, lower_softmax<SoftmaxKernel>,
              guard_softmax<SoftmaxKernel>>("aten._softmax.default",
                                            "_softmax"),
};

}  // namespace

Family reduction() { return kOperations; }

}  // namespace assay::compiler
