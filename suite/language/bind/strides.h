// The strides that PyTorch gives to results, as functions of the sizes and
// strides of operands. Facts of PyTorch 2.11, each with the place that states
// it; nothing here is specific to an operation.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_STRIDES_H_
#define ASSAY_SUITE_LANGUAGE_BIND_STRIDES_H_

#include <vector>

#include "core/tensor.h"

namespace assay::language {

// Where the elements of a tensor lie: strides in elements, as many as sizes.
struct Strided {
  Shape sizes;
  Shape strides;
};

// Can a program tell `a` from `b`, strides of tensors of these sizes? The
// stride of a dimension of size 1 is never stepped over, and without elements
// none is; PyTorch's is_contiguous ignores them too
// (c10/core/Contiguity.h, _compute_contiguous).
bool same_strides(const Shape& sizes, const Shape& a, const Shape& b);

// Row-major, as is_contiguous() asks.
bool is_row_major(const Strided& t);
// Does every element have a place of its own, with no gap between them?
// (c10/core/TensorImpl.h, is_non_overlapping_and_dense)
bool is_dense(const Strided& t);
// As is_contiguous(memory_format=torch.channels_last) asks: of rank 4, and
// dense with dimension 1 innermost.
bool is_channels_last_2d(const Strided& t);

// Strides of a dense tensor with dimension 1 innermost and the others row-major
// behind it; row-major where the rank is neither 4 nor 5.
Shape channels_last_strides(const Shape& sizes);

// Does suggest_memory_format() take the tensor for channels_last, or
// channels_last_3d where it has rank 5? Where sizes of 1 leave both formats
// possible, it goes by their strides as well (c10/core/MemoryFormat.h, Note
// [Ambiguous is_channels_last_strides_xd]).
bool suggests_channels_last(const Strided& t);

// The strides of a result of size `shape` that TensorIterator allocates for
// these operands, which broadcast to it (aten/src/ATen/TensorIterator.cpp,
// compute_fast_setup_type, reorder_dimensions, allocate_or_resize_outputs):
// - operands of one size that are all row-major give a row-major result, all
//   channels_last that, all dense with the same strides these;
// - otherwise the result is dense, its dimensions in the order of the strides
//   of the first operand that tells two of them apart; a stride of 0 tells
//   nothing, and equal strides put the smaller size inside.
// For one operand it is what memory_format=torch.preserve_format means
// (docs: torch.empty_like).
Shape elementwise_strides(const std::vector<Strided>& operands,
                          const Shape& shape);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_STRIDES_H_
