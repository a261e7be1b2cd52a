// Division of integers that rounds down, as Python's // and %.
#ifndef ASSAY_CORE_INTEGER_MATH_H_
#define ASSAY_CORE_INTEGER_MATH_H_

#include <cstdint>

namespace assay {

// All require b != 0; floor_div and ceil_div also that the quotient fits 64
// bits.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}
// The remainder has the sign of b.
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

}  // namespace assay

#endif  // ASSAY_CORE_INTEGER_MATH_H_
