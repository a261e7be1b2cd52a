// Bit patterns of integer elements and bool, zero-extended to 64 bits.
#ifndef ASSAY_CORE_INTEGER_BITS_H_
#define ASSAY_CORE_INTEGER_BITS_H_

#include <cstdint>
#include <string>

#include "core/dtype.h"

namespace assay {

// As many ones as an element of `t` has bits.
inline std::uint64_t width_mask(DType t) {
  return ~std::uint64_t{0} >> (64 - 8 * size_bytes(t));
}

// The value modulo 2^64: u64 from 2^63 on comes out negative.
inline std::int64_t integer_of_bits(DType t, std::uint64_t bits) {
  if (!is_signed(t)) return static_cast<std::int64_t>(bits);
  const int unused = 64 - 8 * size_bytes(t);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

// The double nearest to the value.
inline double number_of_integer(DType t, std::uint64_t bits) {
  return is_signed(t) ? static_cast<double>(integer_of_bits(t, bits))
                      : static_cast<double>(bits);
}

inline std::string integer_text(DType t, std::uint64_t bits) {
  return is_signed(t) ? std::to_string(integer_of_bits(t, bits))
                      : std::to_string(bits);
}

// A place in the order of values, in which neighbours are one apart.
inline std::int64_t integer_place(DType t, std::uint64_t bits) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  return integer_of_bits(t, t == DType::u64 ? bits ^ half : bits);
}

// The inverse. Requires a place that an element of `t` has.
inline std::uint64_t integer_at_place(DType t, std::int64_t place) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  const auto bits = static_cast<std::uint64_t>(place);
  return (t == DType::u64 ? bits ^ half : bits) & width_mask(t);
}

}  // namespace assay

#endif  // ASSAY_CORE_INTEGER_BITS_H_
