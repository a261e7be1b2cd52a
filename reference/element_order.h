// The order of an element set's ends: values with -0 below +0 for floats,
// numeric for integers and bool.
#ifndef ASSAY_REFERENCE_ELEMENT_ORDER_H_
#define ASSAY_REFERENCE_ELEMENT_ORDER_H_

#include <cstdint>

#include "core/float_bits.h"

namespace assay::reference {

// Value of an integer element's bit pattern.
inline std::int64_t integer_of_bits(DType t, std::uint64_t bits) {
  const int width = 8 * size_bytes(t);
  if (is_signed(t) && width < 64 && ((bits >> (width - 1)) & 1) != 0) {
    bits |= ~std::uint64_t{0} << width;
  }
  return static_cast<std::int64_t>(bits);
}

inline std::int64_t place_in_order(DType t, std::uint64_t bits) {
  return is_float(t) ? ordinal(t, bits) : integer_of_bits(t, bits);
}

inline bool precedes_element(DType t, std::uint64_t x, std::uint64_t y) {
  return place_in_order(t, x) < place_in_order(t, y);
}

inline double number_of_bits(DType t, std::uint64_t bits) {
  return is_float(t) ? decode_float(t, bits)
                     : static_cast<double>(integer_of_bits(t, bits));
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ELEMENT_ORDER_H_
