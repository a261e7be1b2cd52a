// Products that the kernel which computes them rounds, too.
#ifndef ASSAY_COMPILER_TEXT_CUDA_PRODUCT_ROUNDING_H_
#define ASSAY_COMPILER_TEXT_CUDA_PRODUCT_ROUNDING_H_

#include <string>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// Where tensor cores of the target compute a product (text/cuda/product_cut.h),
// and all that is done with it is to round it to f16 or bf16, its kernel stores
// what it rounds to, and the kernel that did so is gone. The product's own
// buffer has no elements then: neither is it written to memory nor read.
void round_in_products(Nest* nest, const std::string& target);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_PRODUCT_ROUNDING_H_
