// Lines of elements along one dimension.
#ifndef ASSAY_COMPILER_DERIVED_LINES_H_
#define ASSAY_COMPILER_DERIVED_LINES_H_

#include <optional>

#include "suite/language/nest/nest.h"

namespace assay::compiler {

// Of r, in a definition with these extents, over one range from 0 to the index
// along a dimension, included: that dimension. In each result the terms are
// those of the one before it, and one more.
std::optional<int> runs_along(const language::Nest& nest,
                              const language::ReductionNode& r,
                              const Shape& extents);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_LINES_H_
