#include "suite/language/functions/promote.h"

#include <algorithm>
#include <optional>

namespace assay::language {
namespace {

// bool < integers < floats < complex numbers.
int category_of(DType t) {
  if (is_complex(t)) return 3;
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

std::optional<DType> promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_float8(a) || is_float8(b)) return std::nullopt;
  if (is_complex(a) || is_complex(b)) {
    const bool wide = component(a) == DType::f64 || component(b) == DType::f64;
    return wide ? DType::c128 : DType::c64;
  }
  const int ca = category_of(a);
  const int cb = category_of(b);
  const bool has_float = ca == 2 || cb == 2;
  if (!has_float && (is_wide_unsigned(a) || is_wide_unsigned(b))) {
    return std::nullopt;
  }
  if (ca != cb) return ca > cb ? a : b;
  if (ca == 1) return promote_integers(a, b);
  // Floats: f16 and bf16 contain neither each other; f32 contains both.
  if (size_bytes(a) == size_bytes(b)) return DType::f32;
  return size_bytes(a) > size_bytes(b) ? a : b;
}

std::optional<DType> promote(const std::vector<PromotionOperand>& operands) {
  using Rank = PromotionOperand::Rank;
  std::optional<DType> of_rank[3];
  for (const PromotionOperand& o : operands) {
    std::optional<DType>& slot = of_rank[static_cast<int>(o.rank)];
    slot = slot ? promote_types(*slot, o.dtype) : o.dtype;
    if (!slot) return std::nullopt;
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
      if (!result) return std::nullopt;
    }
  }
  return result.value_or(DType::f32);
}

bool represents(DType to, DType from) {
  if (to == from) return true;
  if (is_complex(to) || is_complex(from)) {
    return is_complex(to) && represents(component(to), component(from));
  }
  if (is_float(from)) {
    return is_float(to) && float_format(to).holds(float_format(from));
  }
  if (to == DType::boolean) return false;
  if (is_float(to)) {
    if (!float_format(to).has_zero()) return false;
    return magnitude_bits(from) <= float_format(to).precision;
  }
  return holds_integers(to, from);
}

}  // namespace assay::language
