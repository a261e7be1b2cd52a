#include "core/special_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/float_bits.h"
#include "core/integer_bits.h"

namespace assay {
namespace {

// How many of the leading values are kept in the short lists.
constexpr std::size_t kBrief = 11;

// In the order in which short lists cut them off. What a format does not have
// is left out.
std::vector<std::uint64_t> float_values(DType t) {
  const FloatFormat f = float_format(t);
  std::vector<std::uint64_t> values;
  const auto add = [&](std::uint64_t bits) {
    if (std::find(values.begin(), values.end(), bits) == values.end()) {
      values.push_back(bits);
    }
  };
  const auto add_negative = [&](std::uint64_t bits) {
    if (f.has_sign()) add(sign_bit_mask(t) | bits);
  };
  const std::uint64_t largest = largest_bits(t);
  const std::uint64_t smallest = from_ordinal(t, 1);
  const std::uint64_t tiny = encode_float(t, std::ldexp(1.0, f.emin));
  const std::uint64_t one = encode_float(t, 1.0);
  if (f.has_infinity()) {
    add(positive_infinity_bits(t));
    add_negative(positive_infinity_bits(t));
  }
  add(quiet_nan_bits(t));
  if (f.has_zero()) add(0);
  if (f.has_negative_zero()) add_negative(0);
  add(largest);
  add(smallest);
  add_negative(largest);
  add(tiny);
  add(one);
  add_negative(one);
  add_negative(smallest);
  add(step(t, tiny, -1));  // largest subnormal
  add_negative(tiny);
  if (f.has_sign()) add(step(t, tiny | sign_bit_mask(t), 1));
  add(one + 1);
  add(one - 1);
  add_negative(one + 1);
  add_negative(one - 1);
  for (const double v : {0.5, -2.0, 3.0, -0.1}) {
    if (v > 0 || f.has_sign()) add(encode_float(t, v));
  }
  add(largest - 1);
  add(tiny + 1);
  return values;
}

std::vector<std::uint64_t> integer_values(DType t) {
  const std::uint64_t greatest = integer_max(t);
  const std::uint64_t lowest = ~static_cast<std::uint64_t>(integer_min(t)) + 1;
  std::vector<std::uint64_t> bits;
  const auto add_pattern = [&](std::uint64_t pattern) {
    pattern &= width_mask(t);
    if (std::find(bits.begin(), bits.end(), pattern) == bits.end()) {
      bits.push_back(pattern);
    }
  };
  const auto add = [&](std::uint64_t magnitude) {
    if (magnitude <= greatest) add_pattern(magnitude);
  };
  const auto add_negative = [&](std::uint64_t magnitude) {
    if (magnitude <= lowest) add_pattern(~magnitude + 1);
  };
  add(0);
  add(1);
  add(greatest);
  add_negative(lowest);
  add_negative(1);
  add(2);
  add(greatest - 1);
  if (is_signed(t)) add_negative(lowest - 1);
  add(3);
  add_negative(2);
  for (const int exponent : {7, 8, 11, 15, 16, 24, 31, 32, 53, 62, 63}) {
    const std::uint64_t power = std::uint64_t{1} << exponent;
    add(power);
    add(power - 1);
    add(power + 1);
    add_negative(power);
  }
  return bits;
}

}  // namespace

std::vector<std::uint64_t> special_values(DType t) {
  if (t == DType::boolean) return {0, 1};
  return is_float(t) ? float_values(t) : integer_values(t);
}

std::vector<std::uint64_t> brief_special_values(DType t) {
  std::vector<std::uint64_t> values = special_values(t);
  if (values.size() > kBrief) values.resize(kBrief);
  return values;
}

}  // namespace assay
