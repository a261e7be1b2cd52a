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

// The element of format `t` nearest to `value`, ties to even, overflow to
// infinity, in one rounding. NaN gives the quiet NaN with the sign dropped.
std::uint64_t encode_float(DType t, double value);

bool is_nan_bits(DType t, std::uint64_t bits);
bool is_inf_bits(DType t, std::uint64_t bits);
bool is_subnormal_bits(DType t, std::uint64_t bits);

std::uint64_t positive_infinity_bits(DType t);
std::uint64_t quiet_nan_bits(DType t);

// Position of a non-NaN element in the order of values with -0 just below
// +0: ordinal(+0) = 0, ordinal(-0) = -1; neighbours differ by one.
std::int64_t ordinal(DType t, std::uint64_t bits);
std::uint64_t from_ordinal(DType t, std::int64_t position);

// The element `steps` away in that order, but with the two zeros counted as
// one place, clamped at the infinities.
std::uint64_t step(DType t, std::uint64_t bits, std::int64_t steps);

}  // namespace assay

#endif  // ASSAY_CORE_FLOAT_BITS_H_
