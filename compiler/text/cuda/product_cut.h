// How compiler/loops/matmul_threads.inc and matmul_tensor_cores.inc cut
// products for thread blocks.
#ifndef ASSAY_COMPILER_TEXT_CUDA_PRODUCT_CUT_H_
#define ASSAY_COMPILER_TEXT_CUDA_PRODUCT_CUT_H_

#include <cstdint>
#include <optional>
#include <string>

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

// What tensor cores compute of a product: the results and the terms that a
// thread block has at a time, in so many stages of shared memory, and how many
// warps share the tile along either dimension.
struct TensorCut {
  std::int64_t tall = 0, wide = 0, step = 0, stages = 0, down = 0, across = 0;
  int left = 0, right = 0;  // the forms of both operands, by their numbers

  std::int64_t threads() const { return 32 * down * across; }
  std::int64_t shared() const { return (tall + wide) * step * 2 * stages; }
  std::int64_t blocks(const Shape& out) const;
};

// The cut of a matmul of `nest`, as contraction_text.h calls it, that tensor
// cores of the target compute: one in f32 of operands that both are f16, or
// both bf16, and of 16 terms or more. Of fewer, a multiplication would be zeros
// for the most part, and the hardware's rounding as great as what any order of
// so few terms may lose. The sizes of the result do not count: a row has the
// same bits whether it is alone or beside others.
std::optional<TensorCut> tensor_cut_of(const Nest& nest, const NodeKernel& k,
                                       const std::string& target);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_PRODUCT_CUT_H_
