// Visits the indices of a shape, one after another.
#ifndef ASSAY_COMPILER_GRAPH_STEP_H_
#define ASSAY_COMPILER_GRAPH_STEP_H_

#include <cstddef>

#include "core/tensor.h"

namespace assay::compiler {

// Steps `index` through `sizes` in row-major order; false after the last, when
// it is at the first again. Entries beyond those of `sizes` stay.
inline bool advance(Shape* index, const Shape& sizes) {
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (++(*index)[d] < sizes[d]) return true;
    (*index)[d] = 0;
  }
  return false;
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_STEP_H_
