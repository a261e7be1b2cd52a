// PyTorch's type promotion (torch.result_type).
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_PROMOTE_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_PROMOTE_H_

#include <optional>
#include <vector>

#include "core/dtype.h"

namespace assay::language {

// PyTorch's result type. The operands of the highest category (bool < integer <
// float < complex) decide; among these, tensors with dimensions come before 0-d
// tensors and these before Python numbers. Nothing where PyTorch has no result
// type: between an 8-bit float and another dtype, and between u16, u32 or u64
// and another dtype that is no float.
struct PromotionOperand {
  enum class Rank { dimensioned, zero_dim, number };
  DType dtype;  // of a number: boolean, i64 or f32 (its category's default)
  Rank rank;
};
std::optional<DType> promote_types(DType a, DType b);
std::optional<DType> promote(const std::vector<PromotionOperand>& operands);

// Is every value of `from` a value of `to`? Such a conversion rounds nothing.
bool represents(DType to, DType from);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_PROMOTE_H_
