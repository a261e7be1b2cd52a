#include "suite/literal.h"

#include <cmath>
#include <string>

#include "core/float_bits.h"

namespace assay {
namespace {

std::uint64_t mask(DType t) {
  const int width = 8 * size_bytes(t);
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::int64_t signed_value(DType t, std::uint64_t bits) {
  if (!is_signed(t)) return static_cast<std::int64_t>(bits);
  const int unused = 64 - 8 * size_bytes(t);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

Error no_element(const Literal& literal, DType t) {
  const std::string what = literal.integral ? std::to_string(literal.integer)
                                            : std::to_string(literal.number);
  return Error{what + " is no element of " + std::string(dtype_name(t))};
}

Result<std::uint64_t> integer_base(const Literal& literal, DType t) {
  const std::int64_t least = integer_min(t);
  const std::int64_t greatest = integer_max(t);
  std::int64_t value = 0;
  switch (literal.base) {
    case Literal::Base::largest:
      value = literal.negative ? least : greatest;
      break;
    case Literal::Base::smallest_normal:
    case Literal::Base::smallest:
      return Error{"tiny and smallest are of float dtypes, not of " +
                   std::string(dtype_name(t))};
    default:
      if (literal.integral) {
        value = literal.integer;
      } else {
        // 2^63 as a double is out of range, -2^63 is the least i64.
        const bool whole = std::isfinite(literal.number) &&
                           std::trunc(literal.number) == literal.number &&
                           literal.number >= -0x1p63 && literal.number < 0x1p63;
        const bool negative_zero =
            literal.number == 0 && std::signbit(literal.number);
        if (!whole || negative_zero) return no_element(literal, t);
        value = static_cast<std::int64_t>(literal.number);
      }
  }
  if (value < least || value > greatest) return no_element(literal, t);
  return static_cast<std::uint64_t>(value) & mask(t);
}

Result<std::uint64_t> float_base(const Literal& literal, DType t) {
  std::uint64_t bits = 0;
  switch (literal.base) {
    case Literal::Base::largest:
      bits = largest_bits(t);
      break;
    case Literal::Base::smallest_normal:
      bits = encode_float(t, std::ldexp(1.0, float_format(t).emin));
      break;
    case Literal::Base::smallest:
      bits = from_ordinal(t, 1);
      break;
    default:
      return encode_float(t, literal.integral
                                 ? static_cast<double>(literal.integer)
                                 : literal.number);
  }
  return literal.negative ? bits | sign_bit_mask(t) : bits;
}

}  // namespace

Result<std::uint64_t> literal_bits(const Literal& literal, DType t) {
  std::uint64_t bits = 0;
  if (literal.base == Literal::Base::bits) {
    if (literal.bits_dtype && *literal.bits_dtype != t) {
      return Error{"a bit pattern of " +
                   std::string(dtype_name(*literal.bits_dtype)) +
                   " is no element of " + std::string(dtype_name(t))};
    }
    if ((literal.bits & ~mask(t)) != 0) {
      return Error{"the bit pattern has more bits than " +
                   std::string(dtype_name(t))};
    }
    bits = literal.bits;
  } else {
    const Result<std::uint64_t> base =
        is_float(t) ? float_base(literal, t) : integer_base(literal, t);
    if (!base) return base.error();
    bits = *base;
  }
  return neighbour(t, bits, literal.steps);
}

std::uint64_t neighbour(DType t, std::uint64_t bits, std::int64_t steps) {
  if (steps == 0 || t == DType::boolean) return bits;
  if (is_float(t)) {
    return is_nan_bits(t, bits) ? bits : step(t, bits, steps);
  }
  std::int64_t there = 0;
  const std::int64_t end = steps > 0 ? integer_max(t) : integer_min(t);
  const bool wraps =
      __builtin_add_overflow(signed_value(t, bits), steps, &there);
  const bool past = steps > 0 ? there > end : there < end;
  return static_cast<std::uint64_t>(wraps || past ? end : there) & mask(t);
}

}  // namespace assay
