// Memory layouts of operands: the strides and offsets behind the names that
// cases use. A layout never changes a tensor's sizes.
#ifndef ASSAY_SUITE_CASES_INPUTS_LAYOUTS_H_
#define ASSAY_SUITE_CASES_INPUTS_LAYOUTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

std::string_view layout_name(language::Layout layout);

// Does `layout` differ from contiguous for a tensor of these sizes?
bool layout_applies(language::Layout layout, const Shape& sizes);

// Does it change the order in which elements lie in memory?
bool reorders(language::Layout layout);

// contiguous   row-major
// transposed   the last two dimensions exchanged in memory
// offset       row-major, one element into its storage (misaligned)
// strided      every second element of rows twice as long
// expanded     stride 0 in the first dimension larger than 1
// permuted     the first dimension innermost; of three sizes above 1 or more,
//              so that the permutation is not its own inverse
// channels_last  dimension 1 of 4 or 5 innermost
// A layout that does not apply gives the contiguous type.
TensorType layout_type(DType dtype, const Shape& sizes,
                       language::Layout layout);

// A tensor with these elements (bits, row-major). Storage that the view skips
// holds NaN, or -1 for integers, so that reading it shows. Where elements
// share storage the first one in row-major order is kept.
Tensor lay_out(DType dtype, const Shape& sizes, language::Layout layout,
               const std::vector<std::uint64_t>& bits);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_INPUTS_LAYOUTS_H_
