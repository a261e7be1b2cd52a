// How compiler/math/matmul_threads.inc cuts products for thread blocks.
#ifndef ASSAY_COMPILER_TEXT_PRODUCT_CUT_H_
#define ASSAY_COMPILER_TEXT_PRODUCT_CUT_H_

#include <cstdint>
#include <optional>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// The results of a thread, of which a thread block has 16 by 16, and the terms
// in a step.
struct Cut {
  std::int64_t rows = 1, columns = 1, step = 16;
};

// A product of matrices: batches, rows and columns of the result.
struct Product {
  Shape out;
  std::int64_t terms = 0;
};

// A kernel as one, if matmul_threads.inc or convolve_threads.inc has it so. Of
// a product as contraction_text.h calls it.
std::optional<Product> as_product(const NodeKernel& k);

Cut cut_of(const Product& p, DType t);

// Thread blocks of a product that is cut so.
std::int64_t blocks_with(const Cut& c, const Shape& out);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_PRODUCT_CUT_H_
