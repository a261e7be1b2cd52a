#include "kit/cast_bits.h"

#include <bit>

#include "core/float_bits.h"
#include "core/integer_bits.h"

namespace assay::kit {
namespace {

using I64 = std::int64_t;
using U64 = std::uint64_t;

constexpr U64 kLeastI64 = U64{1} << 63;

// A double that rounds to every format narrower than f64 as the integer does:
// bits beyond the 53 are folded into the last place (rounding to odd).
double to_odd(U64 magnitude, bool negative) {
  const int width = 64 - std::countl_zero(magnitude);
  if (width > 53) {
    const int drop = width - 53;
    const bool sticky = (magnitude & ((U64{1} << drop) - 1)) != 0;
    magnitude = (magnitude >> drop) << drop;
    if (sticky) magnitude |= U64{1} << drop;
  }
  const double d = static_cast<double>(magnitude);
  return negative ? -d : d;
}

U64 integer_to_float(DType from, U64 bits, DType to) {
  if (to == DType::f64) return encode_float(to, number_of_integer(from, bits));
  const I64 v = integer_of_bits(from, bits);
  const bool negative = is_signed(from) && v < 0;
  const U64 magnitude = static_cast<U64>(v);
  return encode_float(to,
                      to_odd(negative ? ~magnitude + 1 : magnitude, negative));
}

U64 toward_zero(double v, DType to) {
  if (to == DType::u64 && v >= 0x1p63 && v < 0x1p64) return static_cast<U64>(v);
  if (!(v >= -0x1p63 && v < 0x1p63)) return kLeastI64;
  return static_cast<U64>(static_cast<I64>(v));
}

}  // namespace

U64 cast_bits(DType from, U64 bits, DType to) {
  if (from == to) return bits;
  if (is_float(from)) {
    const double v = decode_float(from, bits);
    if (is_float(to)) return encode_float(to, v);
    if (to == DType::boolean) return v != 0 ? 1 : 0;
    return toward_zero(v, to) & width_mask(to);
  }
  if (to == DType::boolean) return bits != 0 ? 1 : 0;
  if (is_float(to)) return integer_to_float(from, bits, to);
  return static_cast<U64>(integer_of_bits(from, bits)) & width_mask(to);
}

}  // namespace assay::kit
