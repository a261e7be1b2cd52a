#include "suite/language/model/literal.h"

#include <cmath>
#include <string>

#include "core/float_bits.h"
#include "core/integer_bits.h"

namespace assay::language {
namespace {

Error no_element(const Literal& literal, DType t) {
  const std::string what = literal.integral ? std::to_string(literal.integer)
                                            : std::to_string(literal.number);
  return Error{what + " is no element of " + std::string(dtype_name(t))};
}

Result<std::uint64_t> integer_base(const Literal& literal, DType t) {
  const auto least = static_cast<std::uint64_t>(integer_min(t));
  switch (literal.base) {
    case Literal::Base::largest:
      return (literal.negative ? least : integer_max(t)) & width_mask(t);
    case Literal::Base::smallest_normal:
    case Literal::Base::smallest:
      return Error{"tiny and smallest are of float dtypes, not of " +
                   std::string(dtype_name(t))};
    default:
      break;
  }
  if (literal.integral) {
    if (!holds_integer(t, literal.integer)) return no_element(literal, t);
    return static_cast<std::uint64_t>(literal.integer) & width_mask(t);
  }
  const double x = literal.number;
  const bool inside = x >= static_cast<double>(integer_min(t)) &&
                      x < std::ldexp(1.0, magnitude_bits(t));
  const bool negative_zero = x == 0 && std::signbit(x);
  if (!inside || std::trunc(x) != x || negative_zero) {
    return no_element(literal, t);
  }
  const auto value =
      x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
            : static_cast<std::uint64_t>(x);
  return value & width_mask(t);
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

Result<std::uint64_t> literal_bits(const Literal& literal, DType of) {
  const DType t = component(of);
  std::uint64_t bits = 0;
  if (literal.base == Literal::Base::bits) {
    if (literal.bits_dtype && *literal.bits_dtype != t) {
      return Error{"a bit pattern of " +
                   std::string(dtype_name(*literal.bits_dtype)) +
                   " is no element of " + std::string(dtype_name(t))};
    }
    if ((literal.bits & ~width_mask(t)) != 0) {
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
  const std::uint64_t last =
      steps > 0 ? integer_max(t) : static_cast<std::uint64_t>(integer_min(t));
  const std::int64_t end = integer_place(t, last);
  std::int64_t there = 0;
  const bool wraps =
      __builtin_add_overflow(integer_place(t, bits), steps, &there);
  const bool past = steps > 0 ? there > end : there < end;
  return integer_at_place(t, wraps || past ? end : there);
}

}  // namespace assay::language
