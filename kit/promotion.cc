#include "kit/promotion.h"

#include <algorithm>

namespace assay::kit {
namespace {

int category(DType t) {
  if (is_float(t)) return 2;
  return t == DType::boolean ? 0 : 1;
}

std::optional<DType> combine(std::optional<DType> higher,
                             std::optional<DType> lower) {
  if (!higher) return lower;
  if (!lower || category(*lower) <= category(*higher)) return higher;
  return promote_types(*higher, *lower);
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (is_float(a)) {
    if (a == DType::f64 || b == DType::f64) return DType::f64;
    return DType::f32;  // also of f16 with bf16
  }
  if (is_signed(a) == is_signed(b)) {
    return size_bytes(a) > size_bytes(b) ? a : b;
  }
  // u8 with a signed type: the narrowest that holds both.
  const DType other = is_signed(a) ? a : b;
  return other == DType::i8 ? DType::i16 : other;
}

void Promotion::merge(std::optional<DType>* into, DType t) {
  *into = *into ? promote_types(**into, t) : t;
}

void Promotion::add_tensor(DType t, bool has_dimensions) {
  merge(has_dimensions ? &dimensioned_ : &zero_dim_, t);
}

void Promotion::add_number(DType kind) { merge(&number_, kind); }

DType Promotion::result() const {
  return combine(dimensioned_, combine(zero_dim_, number_))
      .value_or(DType::f32);
}

}  // namespace assay::kit
