// The functions of two numbers that are more than arithmetic: one value each,
// in either engine. Special values are those of IEEE 754 and C's Annex F.
#ifndef ASSAY_REFERENCE_NUMBERS_BINARY_H_
#define ASSAY_REFERENCE_NUMBERS_BINARY_H_

#include "reference/numbers/real.h"
#include "suite/language/functions/functions.h"

namespace assay::reference {

using language::Binary;
using language::binary_name;
using language::find_binary;
using language::kBinaryFunctions;

template <class N>
bool is_integer(const N& x) {
  return !is_inf(x) && compare(trunc_of(x), x) == 0;
}
// Requires an integer.
template <class N>
bool is_odd(const N& x) {
  return (low_64_bits(x) & 1) != 0;
}

// Is f(x, y) NaN although neither operand is?
template <class N>
bool is_undefined(Binary f, const N& x, const N& y) {
  switch (f) {
    case Binary::pow:
      return sign_bit(x) && !is_zero(x) && !is_inf(x) && !is_inf(y) &&
             !is_integer(y);
    case Binary::fmod:
    case Binary::remainder:
      return is_inf(x) || is_zero(y);
    default:
      return false;
  }
}

// Requires operands for which f is defined. Doubles come from the C library,
// as in elementary.h, where they are not exact by construction.
Outward<double> apply(Binary f, double x, double y);
Outward<Mp> apply(Binary f, const Mp& x, const Mp& y);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_BINARY_H_
