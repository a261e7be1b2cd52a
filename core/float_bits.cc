#include "core/float_bits.h"

#include <algorithm>
#include <bit>

namespace assay {
namespace {

using U64 = std::uint64_t;
using I64 = std::int64_t;

constexpr U64 kF64Sign = U64{1} << 63;
constexpr U64 kF64ExponentMask = U64{0x7ff} << 52;
constexpr U64 kF64FractionMask = (U64{1} << 52) - 1;

U64 sign_mask(const FloatFormat& f) { return U64{1} << (f.storage_bits - 1); }

U64 infinity(const FloatFormat& f) {
  const int fraction_bits = f.precision - 1;
  const int exponent_bits = f.storage_bits - f.precision;
  return ((U64{1} << exponent_bits) - 1) << fraction_bits;
}

// significand / 2^shift rounded to nearest, ties to even.
U64 shift_right_even(U64 significand, int shift) {
  if (shift <= 0) return significand << -shift;
  if (shift > 63) return 0;  // below half of the last place: never a tie here
  const U64 quotient = significand >> shift;
  const U64 remainder = significand & ((U64{1} << shift) - 1);
  const U64 half = U64{1} << (shift - 1);
  const bool up = remainder > half || (remainder == half && (quotient & 1));
  return quotient + (up ? 1 : 0);
}

}  // namespace

double decode_float(DType t, U64 bits) {
  if (t == DType::f64) return std::bit_cast<double>(bits);
  const FloatFormat f = float_format(t);
  const int fraction_bits = f.precision - 1;
  const U64 magnitude = bits & (sign_mask(f) - 1);
  const U64 sign = (bits & sign_mask(f)) ? kF64Sign : 0;
  const U64 fraction = magnitude & ((U64{1} << fraction_bits) - 1);
  const int biased = static_cast<int>(magnitude >> fraction_bits);
  if (magnitude >= infinity(f)) {
    const U64 payload = fraction << (52 - fraction_bits);
    return std::bit_cast<double>(sign | kF64ExponentMask | payload);
  }
  if (biased == 0) {
    if (fraction == 0) return std::bit_cast<double>(sign);
    // Subnormal: normalise, f64 has the range for it.
    const int top = 63 - std::countl_zero(fraction);
    const int exponent = f.emin - fraction_bits + top;
    const U64 rest = (fraction << (52 - top)) & kF64FractionMask;
    return std::bit_cast<double>(
        sign | (static_cast<U64>(exponent + 1023) << 52) | rest);
  }
  const int exponent = biased - 1 + f.emin;
  return std::bit_cast<double>(sign |
                               (static_cast<U64>(exponent + 1023) << 52) |
                               (fraction << (52 - fraction_bits)));
}

U64 encode_float(DType t, double value) {
  const U64 raw = std::bit_cast<U64>(value);
  if (t == DType::f64) {
    return (raw & ~kF64Sign) > kF64ExponentMask ? quiet_nan_bits(t) : raw;
  }
  const FloatFormat f = float_format(t);
  const int fraction_bits = f.precision - 1;
  const U64 sign = (raw & kF64Sign) ? sign_mask(f) : 0;
  const U64 magnitude = raw & ~kF64Sign;
  if (magnitude > kF64ExponentMask) return quiet_nan_bits(t);
  if (magnitude == kF64ExponentMask) return sign | infinity(f);
  const int biased = static_cast<int>(magnitude >> 52);
  // An f64 subnormal is far below half of any narrower format's quantum.
  if (biased == 0) return sign;
  const int exponent = biased - 1023;
  const U64 significand = (magnitude & kF64FractionMask) | (U64{1} << 52);
  const int below = std::max(f.emin - exponent, 0);  // bits lost to underflow
  const U64 rounded = shift_right_even(significand, 52 - fraction_bits + below);
  // A carry out of the significand increments the exponent field by itself.
  const U64 base =
      below > 0 ? 0 : static_cast<U64>(exponent - f.emin) << fraction_bits;
  return sign | std::min(base + rounded, infinity(f));
}

bool is_nan_bits(DType t, U64 bits) {
  const FloatFormat f = float_format(t);
  return (bits & (sign_mask(f) - 1)) > infinity(f);
}

bool is_inf_bits(DType t, U64 bits) {
  const FloatFormat f = float_format(t);
  return (bits & (sign_mask(f) - 1)) == infinity(f);
}

bool is_subnormal_bits(DType t, U64 bits) {
  const FloatFormat f = float_format(t);
  const U64 magnitude = bits & (sign_mask(f) - 1);
  return magnitude != 0 && magnitude < (U64{1} << (f.precision - 1));
}

U64 positive_infinity_bits(DType t) { return infinity(float_format(t)); }

U64 quiet_nan_bits(DType t) {
  const FloatFormat f = float_format(t);
  return infinity(f) | (U64{1} << (f.precision - 2));
}

I64 ordinal(DType t, U64 bits) {
  const U64 sign = sign_mask(float_format(t));
  const I64 magnitude = static_cast<I64>(bits & (sign - 1));
  return (bits & sign) ? -magnitude - 1 : magnitude;
}

U64 from_ordinal(DType t, I64 position) {
  if (position >= 0) return static_cast<U64>(position);
  return static_cast<U64>(-(position + 1)) | sign_mask(float_format(t));
}

U64 step(DType t, U64 bits, I64 steps) {
  if (steps == 0) return bits;
  // Work in an order where both zeros share place 0.
  const I64 here = ordinal(t, bits);
  const I64 joined = here < 0 ? here + 1 : here;
  const I64 limit = static_cast<I64>(positive_infinity_bits(t));
  const I64 there = std::clamp(joined + steps, -limit, limit);
  if (there == 0 && joined < 0) return from_ordinal(t, -1);
  return from_ordinal(t, there < 0 ? there - 1 : there);
}

}  // namespace assay
