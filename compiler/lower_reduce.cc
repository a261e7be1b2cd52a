// Reductions: accumulated in opmath, rounded once at the end.
#include <algorithm>

#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

// Dimensions named by argument i, wrapped and rising; all where none is.
Shape reduced_dims(const Call& c, std::size_t i) {
  const std::int64_t rank = c.rank(0);
  Shape dims;
  if (c.given(i)) dims = c.ints(i);
  if (dims.empty()) {
    for (std::int64_t d = 0; d < rank; ++d) dims.push_back(d);
  } else if (rank == 0) {
    dims.clear();
  }
  for (std::int64_t& d : dims) d = wrap_dim(d, rank);
  std::sort(dims.begin(), dims.end());
  return dims;
}

std::int64_t term_count(const Builder& b, NodeId x, const Shape& dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) {
    n *= b.sizes(x)[static_cast<std::size_t>(d)];
  }
  return n;
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

struct Where {
  Shape dims;
  bool keep = false;
};

NodeId sum(const Call& c, Builder& b, const Where& w, std::size_t dtype) {
  DType t = is_float(c.dtype(0)) ? c.dtype(0) : DType::i64;
  if (c.given(dtype)) t = c.dtype_arg(dtype);
  const DType wide = t == DType::boolean ? DType::i64 : opmath(t);
  const NodeId x = b.convert(b.convert(c.node(0), t), wide);
  const NodeId s = b.reduce(Combiner::sum, x, w.dims);
  return drop_dims(b, b.convert(s, t), w.dims, w.keep);
}

NodeId mean(const Call& c, Builder& b, const Where& w, std::size_t dtype) {
  const DType t = c.given(dtype) ? c.dtype_arg(dtype) : c.dtype(0);
  const NodeId x = b.widened(b.convert(c.node(0), t));
  const NodeId s = b.reduce(Combiner::sum, x, w.dims);
  const NodeId n = b.integer_scalar(b.dtype(x), term_count(b, x, w.dims));
  const NodeId m = b.map(ScalarOp::div, {s, n});
  return drop_dims(b, b.convert(m, t), w.dims, w.keep);
}

NodeId lower_sum(const Call& c, Builder& b) {
  return sum(c, b, {reduced_dims(c, 2)}, 1);
}
NodeId lower_sum_dim(const Call& c, Builder& b) {
  return sum(c, b, {reduced_dims(c, 1), c.boolean(2)}, 3);
}
NodeId lower_mean(const Call& c, Builder& b) {
  return mean(c, b, {reduced_dims(c, 2)}, 1);
}
NodeId lower_mean_dim(const Call& c, Builder& b) {
  return mean(c, b, {reduced_dims(c, 1), c.boolean(2)}, 3);
}

template <Combiner kCombiner>
NodeId lower_extreme(const Call& c, Builder& b) {
  const Shape dims = reduced_dims(c, 1);
  const NodeId s = b.reduce(kCombiner, b.widened(c.node(0)), dims);
  return drop_dims(b, b.convert(s, c.dtype(0)), dims, c.boolean(2));
}

// exp(x - max) / sum(exp(x - max)), all of it in opmath.
NodeId lower_softmax(const Call& c, Builder& b) {
  // The third argument is a dtype of softmax, half_to_float of _softmax.
  const bool has_dtype = c.given(2) && c.is_dtype(2);
  const DType t = has_dtype ? c.dtype_arg(2) : c.dtype(0);
  const NodeId x = b.widened(b.convert(c.node(0), t));
  if (element_count(b.sizes(x)) == 0) return b.convert(x, t);
  Shape dims;
  if (b.rank(x) > 0) dims = {wrap_dim(c.integer(1), b.rank(x))};
  const NodeId top = b.reduce(Combiner::maximum, x, dims);
  const NodeId e = b.map(ScalarOp::exp, {b.map(ScalarOp::sub, {x, top})});
  const NodeId s = b.reduce(Combiner::sum, e, dims);
  return b.convert(b.map(ScalarOp::div, {e, s}), t);
}

constexpr std::string_view kDims =
    "t self, I? dim=none, b keepdim=false, d? dtype=none";
// The last parameter of the full forms stands for "no dimensions named".
constexpr std::string_view kFull = "t self, d? dtype=none, I? none=none";
constexpr std::string_view kExtreme = "t self, I dim=[], b keepdim=false";

constexpr LoweringRow kRows[] = {
    {"aten.sum.default", "sum", kFull, guard_none, lower_sum},
    {"aten.sum.dim_IntList", "sum_dim", kDims, guard_sum_dim, lower_sum_dim},
    {"aten.mean.default", "mean", kFull, guard_mean, lower_mean},
    {"aten.mean.dim", "mean_dim", kDims, guard_mean_dim, lower_mean_dim},
    {"aten.amax.default", "amax", kExtreme, guard_amax,
     lower_extreme<Combiner::maximum>},
    {"aten.amin.default", "amin", kExtreme, guard_amax,
     lower_extreme<Combiner::minimum>},
    {"aten.softmax.int", "softmax", "t self, i dim, d? dtype=none",
     guard_softmax, lower_softmax},
    {"aten._softmax.default", "_softmax", "t self, i dim, b half_to_float",
     guard_softmax, lower_softmax},
};

}  // namespace

std::span<const LoweringRow> reduce_rows() { return kRows; }

}  // namespace assay::compiler
