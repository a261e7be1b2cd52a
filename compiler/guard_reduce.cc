// Guards of reductions.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/guard.h"

namespace assay::compiler {
namespace {

std::string out_of_range(std::int64_t d, std::int64_t rank) {
  const std::int64_t span = std::max<std::int64_t>(rank, 1);
  return fmt::format(
      "Dimension out of range (expected to be in range of [{}, {}], but got "
      "{})",
      -span, span - 1, d);
}

Shape dims_of(const Call& c) { return c.given(1) ? c.ints(1) : Shape{}; }

bool dims_in_range(const Call& c, Guards& g, const char* clause) {
  for (const std::int64_t d : dims_of(c)) {
    if (!g.shape(clause, dim_in_range(d, c.rank(0)), out_of_range(d, c.rank(0)),
                 "IndexError")) {
      return false;
    }
  }
  return true;
}

bool dims_distinct(const Call& c, Guards& g, const char* clause) {
  std::set<std::int64_t> seen;
  for (const std::int64_t d : dims_of(c)) {
    const std::int64_t wrapped = wrap_dim(d, c.rank(0));
    if (!g.shape(clause, seen.insert(wrapped).second,
                 fmt::format("dim {} appears multiple times in the list of "
                             "dims",
                             wrapped))) {
      return false;
    }
  }
  return true;
}

bool has_float_result(const Call& c, Guards& g, std::size_t dtype) {
  const DType t = c.given(dtype) ? c.dtype_arg(dtype) : c.dtype(0);
  return g.types("E1", is_float(t),
                 fmt::format("mean(): could not infer output dtype. Input "
                             "dtype must be either a floating point or "
                             "complex dtype. Got: {}",
                             dtype_name(t)));
}

}  // namespace

bool guard_sum_dim(const Call& c, Guards& g) {
  return dims_in_range(c, g, "E1") && dims_distinct(c, g, "E2");
}

bool guard_mean(const Call& c, Guards& g) { return has_float_result(c, g, 1); }

bool guard_mean_dim(const Call& c, Guards& g) {
  return has_float_result(c, g, 3) && dims_in_range(c, g, "E2") &&
         dims_distinct(c, g, "E3");
}

bool guard_amax(const Call& c, Guards& g) {
  if (!dims_in_range(c, g, "E1") || !dims_distinct(c, g, "E2")) return false;
  if (!g.shape("E3", c.numel(0) > 0 || !dims_of(c).empty(),
               "amax(): Expected reduction dim to be specified for "
               "input.numel() == 0. Specify the reduction dim with the 'dim' "
               "argument.")) {
    return false;
  }
  for (const std::int64_t d : dims_of(c)) {
    if (!g.shape("E4", c.rank(0) == 0 || c.dim(0, d) > 0,
                 fmt::format("amax(): Expected reduction dim {} to have "
                             "non-zero size.",
                             wrap_dim(d, c.rank(0))),
                 "IndexError")) {
      return false;
    }
  }
  return true;
}

bool guard_softmax(const Call& c, Guards& g) {
  const std::int64_t d = c.integer(1);
  return g.shape("E1", dim_in_range(d, c.rank(0)), out_of_range(d, c.rank(0)),
                 "IndexError") &&
         g.types("E2",
                 is_float(c.dtype(0)) || c.numel(0) == 0 ||
                     (c.given(2) && c.is_dtype(2) && is_float(c.dtype_arg(2))),
                 "softmax is implemented for floating-point types only",
                 "NotImplementedError");
}

}  // namespace assay::compiler
