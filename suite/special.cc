#include "suite/special.h"

#include <algorithm>
#include <cstddef>

#include "core/float_bits.h"

namespace assay {
namespace {

// How many of the leading values are kept in the short lists.
constexpr std::size_t kBrief = 11;

std::vector<std::uint64_t> float_values(DType t) {
  const FloatFormat f = float_format(t);
  const std::uint64_t sign = std::uint64_t{1} << (f.storage_bits - 1);
  const std::uint64_t inf = positive_infinity_bits(t);
  const std::uint64_t tiny = std::uint64_t{1} << (f.precision - 1);
  const std::uint64_t one = encode_float(t, 1.0);
  return {
      inf,
      sign | inf,
      quiet_nan_bits(t),
      0,
      sign,     // -0
      inf - 1,  // largest
      1,        // smallest subnormal
      sign | (inf - 1),
      tiny,  // smallest normal
      one,
      sign | one,
      sign | 1,
      tiny - 1,  // largest subnormal
      sign | tiny,
      sign | (tiny - 1),
      one + 1,
      one - 1,
      sign | (one + 1),
      sign | (one - 1),
      encode_float(t, 0.5),
      encode_float(t, -2.0),
      encode_float(t, 3.0),
      encode_float(t, -0.1),
      inf - 2,
      tiny + 1,
  };
}

std::vector<std::uint64_t> integer_values(DType t) {
  const std::int64_t least = integer_min(t);
  const std::int64_t greatest = integer_max(t);
  std::vector<std::int64_t> values = {
      0, 1, greatest, least, -1, 2, greatest - 1, least + 1, 3, -2};
  for (const int exponent : {7, 8, 11, 15, 16, 24, 31, 32, 53, 62}) {
    const std::int64_t power = std::int64_t{1} << exponent;
    for (const std::int64_t v : {power, power - 1, power + 1, -power}) {
      values.push_back(v);
    }
  }
  const int width = 8 * size_bytes(t);
  const std::uint64_t mask =
      width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  std::vector<std::uint64_t> bits;
  for (const std::int64_t v : values) {
    if (v < least || v > greatest) continue;
    const std::uint64_t pattern = static_cast<std::uint64_t>(v) & mask;
    if (std::find(bits.begin(), bits.end(), pattern) == bits.end()) {
      bits.push_back(pattern);
    }
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
