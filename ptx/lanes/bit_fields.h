// Integer functions of single values: bit fields, permutations, dot products.
// The first argument is the operation's immediate, where one needs it.
#ifndef ASSAY_PTX_LANES_BIT_FIELDS_H_
#define ASSAY_PTX_LANES_BIT_FIELDS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace assay::ptx {

template <class T>
std::uint32_t count_ones(std::uint64_t, T a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
template <class T>
std::uint32_t count_leading_zeros(std::uint64_t, T a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}

// Position of the highest bit that differs from the sign (of a signed T), or
// that is set; imm: count from the top instead. All ones if there is none.
template <class T>
std::uint32_t find_highest(std::uint64_t from_top, T a) {
  using U = std::make_unsigned_t<T>;
  auto bits = static_cast<U>(a);
  if (std::is_signed_v<T> && a < 0) bits = static_cast<U>(~bits);
  if (bits == 0) return 0xffffffffU;
  int position = std::bit_width(bits) - 1;
  int top = std::numeric_limits<U>::digits - 1;
  return static_cast<std::uint32_t>(from_top != 0 ? top - position : position);
}

template <class T>
T reverse_bits(std::uint64_t, T a) {
  T result = 0;
  for (int i = 0; i < std::numeric_limits<T>::digits; ++i)
    result |= ((a >> i) & 1U) << (std::numeric_limits<T>::digits - 1 - i);
  return result;
}

// The field of `length` bits from `position` on; bits above the register
// repeat the field's sign.
template <class T>
T extract_field(std::uint64_t, T a, std::uint32_t position,
                std::uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr std::uint32_t kTop = std::numeric_limits<U>::digits - 1;
  position &= 0xffU;
  length &= 0xffU;
  auto bits = static_cast<U>(a);
  bool sign = std::is_signed_v<T> && length > 0 &&
              ((bits >> std::min(position + length - 1, kTop)) & 1U) != 0;
  U result = 0;
  for (std::uint32_t i = 0; i <= kTop; ++i) {
    bool inside = i < length && position + i <= kTop;
    U bit = inside ? (bits >> (position + i)) & 1U : U{sign};
    result |= bit << i;
  }
  return static_cast<T>(result);
}

template <class T>
T insert_field(std::uint64_t, T a, T b, std::uint32_t position,
               std::uint32_t length) {
  constexpr std::uint32_t kTop = std::numeric_limits<T>::digits - 1;
  position &= 0xffU;
  length &= 0xffU;
  T result = b;
  for (std::uint32_t i = 0; i < length && position + i <= kTop; ++i) {
    T bit = T{1} << (position + i);
    result = ((a >> i) & 1U) != 0 ? result | bit : result & ~bit;
  }
  return result;
}

// imm: bit 0: .clamp, bit 1: .s32.
inline std::uint32_t extend(std::uint64_t mode, std::uint32_t a,
                            std::uint32_t b) {
  std::uint32_t width = b & 31U;
  if (b >= 32 && (mode & 1U) != 0) return a;
  std::uint32_t mask = ~std::uint32_t{0} << width;
  bool sign = width != 0 && (mode & 2U) != 0 && ((a >> (width - 1)) & 1U) != 0;
  return (a & ~mask) | (sign ? mask : 0);
}

// imm: 1 for .clamp.
inline std::uint32_t make_mask(std::uint64_t clamp, std::uint32_t a,
                               std::uint32_t b) {
  std::uint64_t position = a;
  std::uint64_t width = b;
  if (clamp != 0) {
    if (position >= 32) return 0;
    width = std::min<std::uint64_t>(width, 32);
  } else {
    position &= 31U;
    width &= 31U;
  }
  return static_cast<std::uint32_t>(((std::uint64_t{1} << width) - 1)
                                    << position);
}

// The offset-th set bit from `base` on, upwards or downwards.
inline std::uint32_t find_nth_set(std::uint64_t, std::uint32_t mask,
                                  std::uint32_t base, std::int32_t offset) {
  auto at = [&](std::int64_t i) { return ((mask >> i) & 1U) != 0; };
  if (base > 31) return 0xffffffffU;
  if (offset == 0) return at(base) ? base : 0xffffffffU;
  std::int64_t step = offset > 0 ? 1 : -1;
  std::int64_t count = offset > 0 ? offset : -std::int64_t{offset};
  for (std::int64_t i = base; i >= 0 && i < 32; i += step)
    if (at(i) && --count == 0) return static_cast<std::uint32_t>(i);
  return 0xffffffffU;
}

enum class Permutation : std::uint8_t {
  generic,
  f4e,
  b4e,
  rc8,
  ecl,
  ecr,
  rc16
};

inline std::uint32_t permute(std::uint64_t mode, std::uint32_t a,
                             std::uint32_t b, std::uint32_t c) {
  std::uint64_t bytes = (std::uint64_t{b} << 32) | a;
  std::uint32_t s = c & 3U;
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::uint32_t from = 0;
    bool sign = false;
    switch (static_cast<Permutation>(mode)) {
      case Permutation::generic:
        from = (c >> (4 * i)) & 7U;
        sign = ((c >> (4 * i + 3)) & 1U) != 0;
        break;
      case Permutation::f4e:
        from = s + i;
        break;
      case Permutation::b4e:
        from = (s - i) & 7U;
        break;
      case Permutation::rc8:
        from = s;
        break;
      case Permutation::ecl:
        from = std::max(s, i);
        break;
      case Permutation::ecr:
        from = std::min(s, i);
        break;
      case Permutation::rc16:
        from = 2 * (s & 1U) + (i & 1U);
        break;
    }
    auto byte = static_cast<std::uint32_t>((bytes >> (8 * from)) & 0xffU);
    if (sign) byte = (byte & 0x80U) != 0 ? 0xffU : 0;
    result |= byte << (8 * i);
  }
  return result;
}

inline std::int64_t byte_of(std::uint32_t x, unsigned i, bool is_signed) {
  std::uint32_t byte = (x >> (8 * i)) & 0xffU;
  return is_signed ? std::int64_t{static_cast<std::int8_t>(byte)} : byte;
}

// imm: bit 0: a is signed, bit 1: b is.
inline std::uint32_t dot4(std::uint64_t mode, std::uint32_t a, std::uint32_t b,
                          std::uint32_t c) {
  std::int64_t sum = c;
  for (unsigned i = 0; i < 4; ++i)
    sum += byte_of(a, i, (mode & 1U) != 0) * byte_of(b, i, (mode & 2U) != 0);
  return static_cast<std::uint32_t>(sum);
}
// bit 2: the upper half of b.
inline std::uint32_t dot2(std::uint64_t mode, std::uint32_t a, std::uint32_t b,
                          std::uint32_t c) {
  std::int64_t sum = c;
  for (unsigned i = 0; i < 2; ++i) {
    std::uint32_t half = (a >> (16 * i)) & 0xffffU;
    std::int64_t x =
        (mode & 1U) != 0 ? std::int64_t{static_cast<std::int16_t>(half)} : half;
    sum += x * byte_of(b, i + ((mode & 4U) != 0 ? 2 : 0), (mode & 2U) != 0);
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LANES_BIT_FIELDS_H_
