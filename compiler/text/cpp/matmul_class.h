// Which products share a text, for compiler/loops/matmul_panels.inc.
#ifndef ASSAY_COMPILER_TEXT_CPP_MATMUL_CLASS_H_
#define ASSAY_COMPILER_TEXT_CPP_MATMUL_CLASS_H_

#include <cstdint>

#include "core/dtype.h"

namespace assay::compiler {

struct ProductExtents {
  std::int64_t rows = 0, columns = 0;
};

// The smallest extents whose product is cut, for vectors of every width that
// microkernel.inc knows, into tiles and panels of the same heights and widths
// as one of these. Requires f32 or f64, and positive extents.
ProductExtents cut_alike(const ProductExtents& e, DType t);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CPP_MATMUL_CLASS_H_
