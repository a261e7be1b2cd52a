#include "harness/fuzz/elements.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "core/special_values.h"

namespace assay::harness {
namespace {

using Bits = std::vector<std::uint64_t>;
using cases::Random;

double power_of_two(std::int64_t exponent) {
  return std::ldexp(1.0, static_cast<int>(exponent));
}

double signed_by(Random* random, double x) {
  return random->below(2) == 0 ? x : -x;
}

// Halfway between two neighbours of f16 or bf16, or one step of `t` beside it:
// where a cast has to round to even, and must not.
std::uint64_t halfway(DType t, Random* random) {
  const DType narrow = random->below(2) == 0 ? DType::f16 : DType::bf16;
  const std::uint64_t low = encode_float(narrow, std::fabs(random->normal()));
  const double middle =
      (decode_float(narrow, low) + decode_float(narrow, step(narrow, low, 1))) /
      2;
  return step(t, encode_float(t, signed_by(random, middle)),
              random->between(-1, 1));
}

std::uint64_t of_any_magnitude(DType t, Random* random) {
  const FloatFormat& f = float_format(t);
  // Half of the exponents: a product of two stays within the format.
  const std::int64_t e = random->between(f.emin / 2, f.emax / 2);
  return encode_float(
      t, signed_by(random, (1 + random->unit()) * power_of_two(e)));
}

enum class Kind { normal, whole, next_to_powers, halfway, wide, sprinkled };

Kind draw_kind(Random* random) {
  constexpr Kind kKinds[] = {
      Kind::normal, Kind::normal,         Kind::normal,
      Kind::whole,  Kind::next_to_powers, Kind::halfway,
      Kind::wide,   Kind::sprinkled,      Kind::sprinkled,
  };
  return kKinds[random->below(std::size(kKinds))];
}

std::uint64_t float_element(DType t, Kind kind, Random* random) {
  // Not every format has a sign: a magnitude is drawn there.
  const auto encode = [t](double x) {
    return encode_float(t, float_format(t).has_sign() ? x : std::fabs(x));
  };
  switch (kind) {
    case Kind::whole:
      return encode(static_cast<double>(random->between(-9, 9)));
    case Kind::next_to_powers:
      return step(
          t, encode(signed_by(random, power_of_two(random->between(-6, 6)))),
          random->between(-2, 2));
    case Kind::halfway:
      if (t == DType::f64 || t == DType::f32) return halfway(t, random);
      break;
    case Kind::wide:
      if (!is_float8(t)) return of_any_magnitude(t, random);
      break;
    default:
      break;
  }
  return encode(random->normal());
}

// A few elements become special values.
void sprinkle(DType t, Random* random, Bits* bits) {
  if (bits->empty()) return;
  const Bits special = special_values(t);
  for (std::uint64_t n = 1 + random->below(1 + bits->size() / 8); n > 0; --n) {
    (*bits)[random->below(bits->size())] =
        special[random->below(special.size())];
  }
}

}  // namespace

Bits draw_elements(DType t, const Shape& sizes, Random* random) {
  Bits bits(static_cast<std::size_t>(element_count(sizes)));
  const Kind kind = draw_kind(random);
  for (std::uint64_t& b : bits) {
    if (t == DType::boolean) {
      b = random->below(2);
    } else if (is_float(t)) {
      b = float_element(t, kind, random);
    } else {
      const std::int64_t least = is_signed(t) ? -9 : 0;
      b = static_cast<std::uint64_t>(random->between(least, 9)) & width_mask(t);
    }
  }
  if (kind == Kind::sprinkled && t != DType::boolean) {
    sprinkle(t, random, &bits);
  }
  return bits;
}

Shape draw_sizes(Random* random) {
  static const std::vector<Shape> kSizes = {
      {},        {1},          {3},       {5},     {7},    {8},
      {9},       {15},         {16},      {17},    {31},   {33},
      {64},      {65},         {2, 3},    {3, 5},  {4, 4}, {5, 7},
      {2, 9},    {1, 8},       {8, 1},    {7, 8},  {2, 2}, {3, 3},
      {2, 3, 4}, {2, 2, 2, 3}, {3, 1, 5}, {2, 17}, {0},    {0, 3}};
  return kSizes[random->below(kSizes.size())];
}

Shape draw_broadcast(const Shape& sizes, Random* random) {
  Shape out = sizes;
  switch (random->below(8)) {
    case 0:
      for (std::int64_t& s : out) {
        if (random->below(2) == 0) s = 1;
      }
      break;
    case 1:
      out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(
                                               random->below(out.size() + 1)));
      break;
    case 2:
      out.clear();
      break;
    default:
      break;
  }
  return out;
}

language::Layout draw_layout(Random* random) {
  using language::Layout;
  constexpr Layout kLayouts[] = {Layout::contiguous, Layout::contiguous,
                                 Layout::contiguous, Layout::contiguous,
                                 Layout::transposed, Layout::offset,
                                 Layout::strided,    Layout::expanded};
  return kLayouts[random->below(std::size(kLayouts))];
}

}  // namespace assay::harness
