// PyTorch's type promotion, as torch.result_type documents it.
#include <algorithm>
#include <optional>

#include "suite/bind.h"

namespace assay {
namespace {

// bool < integers < floats.
int category_of(DType t) {
  if (is_float(t)) return 2;
  return is_integer(t) ? 1 : 0;
}

// Signed integers, and the unsigned u8, by width.
DType promote_integers(DType a, DType b) {
  if (is_signed(a) == is_signed(b)) {
    return size_bytes(a) >= size_bytes(b) ? a : b;
  }
  const DType with_sign = is_signed(a) ? a : b;
  // u8 needs a signed type wider than its own width.
  return size_bytes(with_sign) > 1 ? with_sign : DType::i16;
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  const int ca = category_of(a);
  const int cb = category_of(b);
  if (ca != cb) return ca > cb ? a : b;
  if (ca == 1) return promote_integers(a, b);
  // Floats: f16 and bf16 contain neither each other; f32 contains both.
  if (size_bytes(a) == size_bytes(b)) return DType::f32;
  return size_bytes(a) > size_bytes(b) ? a : b;
}

DType promote(const std::vector<PromotionOperand>& operands) {
  using Rank = PromotionOperand::Rank;
  std::optional<DType> of_rank[3];
  for (const PromotionOperand& o : operands) {
    std::optional<DType>& slot = of_rank[static_cast<int>(o.rank)];
    slot = slot ? promote_types(*slot, o.dtype) : o.dtype;
  }
  // A lower rank counts only where its category is strictly higher.
  std::optional<DType> result;
  for (const Rank rank : {Rank::dimensioned, Rank::zero_dim, Rank::number}) {
    const std::optional<DType>& slot = of_rank[static_cast<int>(rank)];
    if (!slot) continue;
    if (!result) {
      result = slot;
    } else if (category_of(*slot) > category_of(*result)) {
      result = promote_types(*result, *slot);
    }
  }
  return result.value_or(DType::f32);
}

}  // namespace assay
