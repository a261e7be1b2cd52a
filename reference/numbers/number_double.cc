#include "reference/numbers/number_double.h"

namespace assay::reference {

std::uint64_t low_64_bits(double x) {
  int e = 0;
  const double fraction = std::frexp(std::fabs(x), &e);
  // |x| = significand * 2^(e - 53) with a significand of at most 53 bits.
  auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int shift = e - 53;
  std::uint64_t magnitude = 0;
  if (shift >= 0) {
    magnitude = shift < 64 ? significand << shift : 0;
  } else {
    magnitude = shift > -64 ? significand >> -shift : 0;
  }
  return x < 0 ? ~magnitude + 1 : magnitude;
}

}  // namespace assay::reference
