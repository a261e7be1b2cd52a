// Bit patterns of the floating-point formats: decoding, correct rounding and
// the total order of values. Pure integer code: no result here depends on the
// rounding mode or flush-to-zero setting of the process.
#ifndef ASSAY_CORE_FLOAT_BITS_H_
#define ASSAY_CORE_FLOAT_BITS_H_

#include <cstdint>

#include "core/dtype.h"

namespace assay {

// Value of `bits` in format `t` (is_float). Exact: every format here is a
// subset of f64. NaN payloads are kept in the upper significand bits.
double decode_float(DType t, std::uint64_t bits);

enum class RoundingMode : std::uint8_t {
  nearest_even,
  nearest_away,
  toward_zero,
  up,    // to the least element that is not less
  down,  // to the greatest element that is not greater
};

// What becomes of a value that, if the exponent had no upper end, would round
// to more than the largest number.
enum class Overflow : std::uint8_t {
  standard,         // IEEE 754: infinity; NaN where there is none
  saturate,         // the largest number, of infinities too
  saturate_finite,  // the largest number; of infinities as standard
  nan,
};

// The element of format `t` that `value` rounds to, in one rounding. NaN gives
// quiet_nan_bits. A format without a negative zero gives its zero instead; one
// without zero and signs gives its least element for every smaller value.
std::uint64_t encode_float(DType t, double value,
                           RoundingMode mode = RoundingMode::nearest_even,
                           Overflow overflow = Overflow::standard);

bool is_nan_bits(DType t, std::uint64_t bits);
bool is_inf_bits(DType t, std::uint64_t bits);
bool is_subnormal_bits(DType t, std::uint64_t bits);

// Requires float_format(t).has_infinity().
std::uint64_t positive_infinity_bits(DType t);
// The one NaN that rounding gives; sign clear where the format has a choice.
std::uint64_t quiet_nan_bits(DType t);
std::uint64_t largest_bits(DType t);
// The sign bit; 0 in a format without one.
std::uint64_t sign_bit_mask(DType t);

// Where the element after the largest would be if the exponent had no upper
// end: largest + ulp. 2^(emax + 1) in the IEEE formats, 480 in f8e4m3fn.
double beyond_largest(DType t);

// Position of a non-NaN element in the order of values with -0 just below
// +0: ordinal(+0) = 0; neighbours differ by one. ordinal(-0) = -1 where there
// is a negative zero.
std::int64_t ordinal(DType t, std::uint64_t bits);
std::uint64_t from_ordinal(DType t, std::int64_t position);

// The element `steps` away in that order, but with the two zeros counted as
// one place, clamped at the infinities or largest numbers.
std::uint64_t step(DType t, std::uint64_t bits, std::int64_t steps);

}  // namespace assay

#endif  // ASSAY_CORE_FLOAT_BITS_H_
