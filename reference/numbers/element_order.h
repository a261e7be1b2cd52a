// The order of elements in a set (golden.h): floats by value with -0 below +0,
// integers and bool by value.
#ifndef ASSAY_REFERENCE_NUMBERS_ELEMENT_ORDER_H_
#define ASSAY_REFERENCE_NUMBERS_ELEMENT_ORDER_H_

#include <cstdint>

#include "core/float_bits.h"
#include "core/integer_bits.h"

namespace assay::reference {

inline std::int64_t place_in_order(DType t, std::uint64_t bits) {
  return is_float(t) ? ordinal(t, bits) : integer_place(t, bits);
}

inline bool precedes_element(DType t, std::uint64_t x, std::uint64_t y) {
  return place_in_order(t, x) < place_in_order(t, y);
}

inline double number_of_bits(DType t, std::uint64_t bits) {
  return is_float(t) ? decode_float(t, bits) : number_of_integer(t, bits);
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_ELEMENT_ORDER_H_
