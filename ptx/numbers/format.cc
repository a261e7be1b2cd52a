#include "ptx/numbers/format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace assay::ptx {
namespace {

// PTX ISA 5.2.3, Alternate floating-point data formats.
struct Layout {
  int fraction;  // bits
  int bias;
  std::uint32_t largest;   // of positive numbers
  std::uint32_t infinity;  // 0: none
  std::uint32_t nan;       // 0: none
  unsigned sign;           // place of the sign bit
};

constexpr std::array<Layout, 10> kLayouts = {{
    {10, 15, 0x7bff, 0x7c00, 0x7fff, 15},               // f16
    {7, 127, 0x7f7f, 0x7f80, 0x7fff, 15},               // bf16
    {10, 127, 0x3fbff, 0x3fc00, 0x3ffff, 18},           // tf32, shifted below
    {23, 127, 0x7f7fffff, 0x7f800000, 0x7fffffff, 31},  // f32
    {3, 7, 0x7e, 0, 0x7f, 7},                           // e4m3
    {2, 15, 0x7b, 0x7c, 0x7f, 7},                       // e5m2
    {1, 1, 0x7, 0, 0, 3},                               // e2m1
    {3, 1, 0x1f, 0, 0, 5},                              // e2m3
    {2, 3, 0x1f, 0, 0, 5},                              // e3m2
    {0, 127, 0xfe, 0, 0xff, 8},                         // ue8m0
}};

const Layout& layout(Format f) {
  return kLayouts.at(static_cast<std::size_t>(f));
}

// How many units more than the lower neighbour.
bool rounds_up(RoundTo mode, bool negative, bool odd, std::uint64_t rest,
               std::uint64_t half) {
  if (rest == 0) return false;
  switch (mode) {
    case RoundTo::nearest_even:
      return rest > half || (rest == half && odd);
    case RoundTo::nearest_away:
      return rest >= half;
    case RoundTo::zero:
      return false;
    case RoundTo::down:
      return negative;
    case RoundTo::up:
      return !negative;
  }
  return false;
}

// Of a finite magnitude; may be one more than the largest number or beyond.
std::uint64_t round_magnitude(double x, const Layout& to, RoundTo mode,
                              bool negative) {
  if (x == 0) return 0;
  int exponent = std::ilogb(x);
  int least = 1 - to.bias;
  int unit = std::max(exponent, least) - to.fraction;
  // x = significand * 2^(exponent - 52), exactly.
  auto significand = static_cast<std::uint64_t>(std::ldexp(x, 52 - exponent));
  int shift = std::min(unit - (exponent - 52), 60);
  std::uint64_t kept = shift >= 60 ? 0 : significand >> shift;
  std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  std::uint64_t half = shift == 0 ? 0 : std::uint64_t{1} << (shift - 1);
  if (rounds_up(mode, negative, (kept & 1U) != 0, rest, half)) ++kept;
  // A carry into the next binade is right as it stands.
  if (exponent < least) return kept;
  auto field = static_cast<std::uint64_t>(exponent - least);
  return kept + (field << to.fraction);
}

// ue8m0 has powers of two alone, and neither zero nor sign.
std::uint32_t narrow_exponent(double x, const NarrowOptions& o) {
  constexpr std::uint32_t kNan = 0xff;
  constexpr std::uint32_t kLargest = 0xfe;
  if (std::isnan(x)) return kNan;
  x = std::fabs(x);
  if (std::isinf(x)) return o.satfinite ? kLargest : kNan;
  if (x <= 0x1p-127) return 0;
  int exponent = std::ilogb(x);
  if (o.round == RoundTo::up && std::ldexp(1.0, exponent) < x) ++exponent;
  if (exponent > 127) return o.satfinite ? kLargest : kNan;
  return static_cast<std::uint32_t>(exponent + 127);
}

bool toward_zero(RoundTo mode, bool negative) {
  return mode == RoundTo::zero || (mode == RoundTo::up && negative) ||
         (mode == RoundTo::down && !negative);
}

}  // namespace

std::uint32_t narrow(double x, const NarrowOptions& o) {
  if (o.format == Format::ue8m0) return narrow_exponent(x, o);
  const Layout& to = layout(o.format);
  unsigned scale = o.format == Format::tf32 ? 13 : 0;
  if (std::isnan(x))
    return o.format == Format::tf32 ? 0x7fffffffU
                                    : (to.nan != 0 ? to.nan : to.largest);
  bool negative = std::signbit(x);
  if (negative && o.relu) return 0;
  std::uint32_t overflow = to.infinity != 0 ? to.infinity : to.nan;
  if (overflow == 0 || o.satfinite) overflow = to.largest;
  std::uint32_t magnitude = overflow;
  if (!std::isinf(x)) {
    std::uint64_t rounded =
        round_magnitude(std::fabs(x), to, o.round, negative);
    if (rounded <= to.largest)
      magnitude = static_cast<std::uint32_t>(rounded);
    else if (toward_zero(o.round, negative))
      magnitude = to.largest;
  }
  std::uint32_t sign = negative ? std::uint32_t{1} << to.sign : 0;
  return (magnitude | sign) << scale;
}

double widen(Format format, std::uint32_t bits) {
  if (format == Format::ue8m0)
    return bits == 0xff ? std::nan("")
                        : std::ldexp(1.0, static_cast<int>(bits) - 127);
  const Layout& from = layout(format);
  if (format == Format::tf32) bits >>= 13;
  std::uint32_t magnitude = bits & ((std::uint32_t{1} << from.sign) - 1);
  bool negative = ((bits >> from.sign) & 1U) != 0;
  double value = 0;
  if (from.infinity != 0 && magnitude == from.infinity) {
    value = HUGE_VAL;
  } else if (magnitude > from.largest) {
    return std::nan("");
  } else {
    std::uint32_t field = magnitude >> from.fraction;
    std::uint32_t fraction =
        magnitude & ((std::uint32_t{1} << from.fraction) - 1);
    if (field != 0) fraction |= std::uint32_t{1} << from.fraction;
    int exponent = static_cast<int>(field != 0 ? field : 1) - from.bias;
    value = std::ldexp(fraction, exponent - from.fraction);
  }
  return negative ? -value : value;
}

std::uint64_t to_immediate(const NarrowOptions& o) {
  return static_cast<std::uint64_t>(o.format) |
         static_cast<std::uint64_t>(o.round) << 8 |
         (o.satfinite ? 1U << 16 : 0U) | (o.relu ? 1U << 17 : 0U);
}

NarrowOptions from_immediate(std::uint64_t imm) {
  return {static_cast<Format>(imm & 0xffU),
          static_cast<RoundTo>((imm >> 8) & 0xffU), ((imm >> 16) & 1U) != 0,
          ((imm >> 17) & 1U) != 0};
}

double odd_double(std::uint64_t magnitude, bool negative) {
  int excess = std::bit_width(magnitude) - 53;
  if (excess > 0) {
    bool sticky = (magnitude & ((std::uint64_t{1} << excess) - 1)) != 0;
    magnitude = ((magnitude >> excess) | (sticky ? 1U : 0U)) << excess;
  }
  auto value = static_cast<double>(magnitude);  // exact
  return negative ? -value : value;
}

std::uint64_t to_integer(double x, const IntegerTarget& t) {
  if (std::isnan(x)) {
    if (!t.source_is_f64 && t.bits != 64) return 0;
    std::uint64_t top = std::uint64_t{1} << (t.bits - 1);
    return t.is_signed ? 0 - top : top;
  }
  switch (t.round) {
    case RoundTo::nearest_even:
      x = std::nearbyint(x);
      break;
    case RoundTo::nearest_away:
      x = std::round(x);
      break;
    case RoundTo::zero:
      x = std::trunc(x);
      break;
    case RoundTo::down:
      x = std::floor(x);
      break;
    case RoundTo::up:
      x = std::ceil(x);
      break;
  }
  double above =
      std::ldexp(1.0, static_cast<int>(t.bits) - (t.is_signed ? 1 : 0));
  double least = t.is_signed ? -above : 0;
  std::uint64_t largest =
      ~std::uint64_t{0} >> (64 - t.bits + (t.is_signed ? 1 : 0));
  if (x >= above) return largest;
  if (x <= least) return t.is_signed ? ~largest : 0;
  return t.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                     : static_cast<std::uint64_t>(x);
}

std::uint64_t to_immediate(const IntegerTarget& t) {
  return t.bits | (t.is_signed ? 1U << 8 : 0U) |
         (t.source_is_f64 ? 1U << 9 : 0U) |
         static_cast<std::uint64_t>(t.round) << 16;
}

IntegerTarget integer_from_immediate(std::uint64_t imm) {
  return {static_cast<unsigned>(imm & 0xffU), ((imm >> 8) & 1U) != 0,
          static_cast<RoundTo>((imm >> 16) & 0xffU), ((imm >> 9) & 1U) != 0};
}

}  // namespace assay::ptx
