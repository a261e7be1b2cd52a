#include "core/float_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace assay {
namespace {

using U64 = std::uint64_t;
using I64 = std::int64_t;

constexpr U64 kF64Sign = U64{1} << 63;
constexpr U64 kF64Infinity = U64{0x7ff} << 52;
constexpr U64 kF64FractionMask = (U64{1} << 52) - 1;

U64 sign_mask(const FloatFormat& f) {
  return f.has_sign() ? U64{1} << (f.storage_bits - 1) : 0;
}

U64 magnitude_mask(const FloatFormat& f) {
  const U64 all = (U64{1} << (f.storage_bits - 1) << 1) - 1;
  return all ^ sign_mask(f);
}

// The greatest pattern of a finite magnitude.
U64 largest(const FloatFormat& f) {
  switch (f.specials) {
    case Specials::ieee: {
      const int fraction_bits = f.precision - 1;
      const int exponent_bits = f.storage_bits - f.precision;
      return (((U64{1} << exponent_bits) - 1) << fraction_bits) - 1;
    }
    case Specials::fn:
    case Specials::unsigned_:
      return magnitude_mask(f) - 1;
    case Specials::fnuz:
      return magnitude_mask(f);
  }
  std::abort();
}

U64 quiet_nan(const FloatFormat& f) {
  switch (f.specials) {
    case Specials::ieee:
      return (largest(f) + 1) | (U64{1} << (f.precision - 2));
    case Specials::fn:
    case Specials::unsigned_:
      return magnitude_mask(f);
    case Specials::fnuz:
      return sign_mask(f);
  }
  std::abort();
}

bool is_nan(const FloatFormat& f, U64 bits) {
  if (f.specials == Specials::fnuz || f.specials == Specials::unsigned_) {
    return bits == quiet_nan(f);
  }
  return (bits & magnitude_mask(f)) > largest(f) + (f.has_infinity() ? 1 : 0);
}

// significand / 2^shift, rounded. The sign matters to directed roundings only.
U64 shift_right(U64 significand, int shift, RoundingMode mode, bool negative) {
  if (shift <= 0) return significand << -shift;
  const bool gone = shift > 63;  // below half of the last place, never a tie
  const U64 quotient = gone ? 0 : significand >> shift;
  const U64 remainder =
      gone ? significand : significand & ((U64{1} << shift) - 1);
  if (remainder == 0) return quotient;
  const U64 half = gone ? ~U64{0} : U64{1} << (shift - 1);
  bool away = false;
  switch (mode) {
    case RoundingMode::nearest_even:
      away = remainder > half || (remainder == half && (quotient & 1) != 0);
      break;
    case RoundingMode::nearest_away:
      away = remainder >= half;
      break;
    case RoundingMode::toward_zero:
      break;
    case RoundingMode::up:
      away = !negative;
      break;
    case RoundingMode::down:
      away = negative;
      break;
  }
  return quotient + (away ? 1 : 0);
}

// The patterns of a magnitude count from 1 at the least positive number: a
// format without a zero has no pattern for 0, so its patterns are one lower.
U64 pattern_of(const FloatFormat& f, U64 place) {
  if (f.has_zero()) return place;
  return place == 0 ? 0 : place - 1;
}

U64 place_of(const FloatFormat& f, U64 pattern) {
  return f.has_zero() ? pattern : pattern + 1;
}

U64 overflowed(const FloatFormat& f, RoundingMode mode, Overflow overflow,
               bool negative, bool infinite) {
  const bool inwards =
      mode == RoundingMode::toward_zero ||
      mode == (negative ? RoundingMode::up : RoundingMode::down);
  const U64 sign = negative ? sign_mask(f) : 0;
  const bool saturates =
      overflow == Overflow::saturate ||
      (!infinite && (inwards || overflow == Overflow::saturate_finite));
  if (saturates) return sign | largest(f);
  if (overflow == Overflow::nan || !f.has_infinity()) return quiet_nan(f);
  return sign | (largest(f) + 1);
}

}  // namespace

double decode_float(DType t, U64 bits) {
  if (t == DType::f64) return std::bit_cast<double>(bits);
  const FloatFormat& f = float_format(t);
  const int fraction_bits = f.precision - 1;
  const U64 magnitude = bits & magnitude_mask(f);
  const U64 sign = (bits & sign_mask(f)) != 0 ? kF64Sign : 0;
  const U64 fraction = magnitude & ((U64{1} << fraction_bits) - 1);
  if (is_nan(f, bits)) {
    U64 payload = U64{1} << 51;
    if (f.has_infinity()) payload = fraction << (52 - fraction_bits);
    return std::bit_cast<double>(sign | kF64Infinity | payload);
  }
  if (magnitude > largest(f)) {
    return std::bit_cast<double>(sign | kF64Infinity);
  }
  if (!f.has_zero()) return std::ldexp(1.0, static_cast<int>(bits) + f.emin);
  const int biased = static_cast<int>(magnitude >> fraction_bits);
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

U64 encode_float(DType t, double value, RoundingMode mode, Overflow overflow) {
  const U64 raw = std::bit_cast<U64>(value);
  const U64 magnitude = raw & ~kF64Sign;
  if (magnitude > kF64Infinity) return quiet_nan_bits(t);
  if (t == DType::f64) {
    if (magnitude < kF64Infinity || overflow == Overflow::standard) return raw;
  }
  const FloatFormat& f = float_format(t);
  const bool negative = (raw & kF64Sign) != 0;
  if (!f.has_sign() && negative) return 0;
  if (magnitude == kF64Infinity) {
    return overflowed(f, mode, overflow, negative, true);
  }
  const int fraction_bits = f.precision - 1;
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  U64 significand = magnitude & kF64FractionMask;
  if (exponent > -1023) {
    significand |= U64{1} << 52;
  } else {
    exponent = -1022;  // subnormal in f64, and far below the other formats
  }
  const int below = std::max(f.emin - exponent, 0);  // bits lost to underflow
  const U64 rounded =
      shift_right(significand, 52 - fraction_bits + below, mode, negative);
  // A carry out of the significand increments the exponent field by itself.
  const U64 base =
      below > 0 ? 0 : static_cast<U64>(exponent - f.emin) << fraction_bits;
  const U64 place = base + rounded;
  if (place > place_of(f, largest(f))) {
    return overflowed(f, mode, overflow, negative, false);
  }
  const U64 sign = negative ? sign_mask(f) : 0;
  if (place == 0 && !f.has_negative_zero()) return 0;
  return sign | pattern_of(f, place);
}

bool is_nan_bits(DType t, U64 bits) { return is_nan(float_format(t), bits); }

bool is_inf_bits(DType t, U64 bits) {
  const FloatFormat& f = float_format(t);
  return f.has_infinity() && (bits & magnitude_mask(f)) == largest(f) + 1;
}

bool is_subnormal_bits(DType t, U64 bits) {
  const FloatFormat& f = float_format(t);
  if (!f.has_zero()) return false;
  const U64 magnitude = bits & magnitude_mask(f);
  return magnitude != 0 && magnitude < (U64{1} << (f.precision - 1));
}

U64 positive_infinity_bits(DType t) {
  const FloatFormat& f = float_format(t);
  if (!f.has_infinity()) std::abort();  // the caller must ask
  return largest(f) + 1;
}

U64 quiet_nan_bits(DType t) { return quiet_nan(float_format(t)); }
U64 largest_bits(DType t) { return largest(float_format(t)); }
U64 sign_bit_mask(DType t) { return sign_mask(float_format(t)); }

double beyond_largest(DType t) {
  const FloatFormat& f = float_format(t);
  const double last = decode_float(t, largest(f));
  return last + std::ldexp(1.0, f.emax - f.precision + 1);
}

I64 ordinal(DType t, U64 bits) {
  const FloatFormat& f = float_format(t);
  const U64 sign = sign_mask(f);
  if ((bits & sign) == 0) return static_cast<I64>(place_of(f, bits));
  const I64 magnitude = static_cast<I64>(bits ^ sign);
  return f.has_negative_zero() ? -magnitude - 1 : -magnitude;
}

U64 from_ordinal(DType t, I64 position) {
  const FloatFormat& f = float_format(t);
  if (position >= 0) return pattern_of(f, static_cast<U64>(position));
  const I64 magnitude = f.has_negative_zero() ? -(position + 1) : -position;
  return static_cast<U64>(magnitude) | sign_mask(f);
}

U64 step(DType t, U64 bits, I64 steps) {
  if (steps == 0) return bits;
  const FloatFormat& f = float_format(t);
  // Work in an order where both zeros share place 0.
  const I64 zeros = f.has_negative_zero() ? 1 : 0;
  const I64 here = ordinal(t, bits);
  const I64 joined = here < 0 ? here + zeros : here;
  const I64 limit =
      static_cast<I64>(place_of(f, largest(f) + (f.has_infinity() ? 1 : 0)));
  const I64 least = f.has_sign() ? -limit : 1;
  const I64 there = std::clamp(joined + steps, least, limit);
  if (there == 0 && joined < 0) return from_ordinal(t, -zeros);
  return from_ordinal(t, there < 0 ? there - zeros : there);
}

}  // namespace assay
