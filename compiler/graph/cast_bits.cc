#include "compiler/graph/cast_bits.h"

#include <bit>
#include <limits>

#include "core/float_bits.h"

namespace assay::compiler {
namespace {

using I64 = std::int64_t;
using U64 = std::uint64_t;

// A double that rounds to every format narrower than f64 as `v` does: bits
// beyond the 53 are folded into the last place (rounding to odd).
double to_odd(I64 v) {
  U64 magnitude = v < 0 ? U64{0} - static_cast<U64>(v) : static_cast<U64>(v);
  const int width = 64 - std::countl_zero(magnitude);
  if (width > 53) {
    const int drop = width - 53;
    const bool sticky = (magnitude & ((U64{1} << drop) - 1)) != 0;
    magnitude = (magnitude >> drop) << drop;
    if (sticky) magnitude |= U64{1} << drop;
  }
  const double d = static_cast<double>(magnitude);
  return v < 0 ? -d : d;
}

I64 toward_zero(double v) {
  if (!(v >= -0x1p63 && v < 0x1p63)) return std::numeric_limits<I64>::min();
  return static_cast<I64>(v);
}

}  // namespace

I64 integer_of(DType t, U64 bits) {
  if (!is_signed(t)) return static_cast<I64>(bits);
  const int unused = 64 - 8 * size_bytes(t);
  return static_cast<I64>(bits << unused) >> unused;
}

U64 integer_bits(DType t, I64 value) {
  const int unused = 64 - 8 * size_bytes(t);
  return static_cast<U64>(value) << unused >> unused;
}

U64 cast_bits(DType from, U64 bits, DType to) {
  if (from == to) return bits;
  if (is_float(from)) {
    const double v = decode_float(from, bits);
    if (is_float(to)) return encode_float(to, v);
    if (to == DType::boolean) return v != 0 ? 1 : 0;
    return integer_bits(to, toward_zero(v));
  }
  const I64 v = integer_of(from, bits);
  if (to == DType::boolean) return v != 0 ? 1 : 0;
  if (to == DType::f64) return encode_float(to, static_cast<double>(v));
  if (is_float(to)) return encode_float(to, to_odd(v));
  return integer_bits(to, v);
}

}  // namespace assay::compiler
