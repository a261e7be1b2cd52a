// Dimensions and sizes that a call names; negative ones count from the end. A
// 0-d tensor counts as having one dimension.
#ifndef ASSAY_COMPILER_OPS_DIMS_H_
#define ASSAY_COMPILER_OPS_DIMS_H_

#include <algorithm>
#include <cstdint>

#include "compiler/ops/arguments.h"
#include "core/tensor.h"

namespace assay::compiler {

inline bool dim_in_range(std::int64_t d, std::int64_t rank) {
  const std::int64_t span = std::max<std::int64_t>(rank, 1);
  return -span <= d && d < span;
}

// d counted from the front.
inline std::int64_t wrap_dim(std::int64_t d, std::int64_t rank) {
  return d < 0 ? d + std::max<std::int64_t>(rank, 1) : d;
}

inline Shape at_least_1d(const Operand& x) {
  return x.rank() == 0 ? Shape{1} : x.sizes();
}

// [A, N, B], of which N is dimension `d` of `sizes`.
inline Shape lines_along(std::int64_t d, const Shape& sizes) {
  Shape lines(3, 1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    lines[at < d ? 0 : at == d ? 1 : 2] *= sizes[i];
  }
  return lines;
}

// Requires that there is one.
inline std::int64_t least(const Shape& s) {
  return *std::min_element(s.begin(), s.end());
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_OPS_DIMS_H_
