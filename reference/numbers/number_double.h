// The fast engine: doubles with outward rounding. Error-free transformations
// tell whether a result was exact and on which side of it the exact one lies,
// so the process's rounding mode is never touched (it must be to nearest).
#ifndef ASSAY_REFERENCE_NUMBERS_NUMBER_DOUBLE_H_
#define ASSAY_REFERENCE_NUMBERS_NUMBER_DOUBLE_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/numbers/number.h"

namespace assay::reference {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kLargest = std::numeric_limits<double>::max();
inline constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
// Below this magnitude a residual may itself underflow; from it on a residual
// is a multiple of 2^-1066, which a double holds.
inline constexpr double kResidualFloor = 0x1p-960;

// The neighbour toward -infinity or +infinity. -0 and +0 are one place.
inline double next_down(double x) {
  if (x == 0) return -kSmallest;
  if (x == -kInfinity) return x;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits - 1 : bits + 1);
}
inline double next_up(double x) { return -next_down(-x); }

inline Outward<double> overflowed(double infinite) {
  return infinite > 0 ? Outward<double>{kLargest, kInfinity}
                      : Outward<double>{-kInfinity, -kLargest};
}

// Encloses an exact result that differs from `nearest` by something of the
// sign of `residual` and less than a unit in the last place.
inline Outward<double> beside(double nearest, double residual) {
  if (residual == 0) return {nearest, nearest};
  if (residual > 0) return {nearest, next_up(nearest)};
  return {next_down(nearest), nearest};
}

inline Outward<double> sum(double x, double y) {
  const double s = x + y;
  if (std::isinf(s)) {
    if (std::isinf(x) || std::isinf(y)) return {s, s};
    return overflowed(s);
  }
  const double z = s - x;
  const double residual = (x - (s - z)) + (y - z);
  if (!std::isfinite(residual)) return {next_down(s), next_up(s)};
  return beside(s, residual);
}

inline Outward<double> product(double x, double y) {
  const double p = x * y;
  if (std::isinf(p)) {
    if (std::isinf(x) || std::isinf(y)) return {p, p};
    return overflowed(p);
  }
  if (x == 0 || y == 0) return {p, p};
  if (std::fabs(p) >= kResidualFloor) return beside(p, std::fma(x, y, -p));
  // Near or below the smallest double: enclose it, and keep the sign.
  if (std::signbit(p)) return {next_down(p), p == 0 ? -0.0 : next_up(p)};
  return {p == 0 ? 0.0 : next_down(p), next_up(p)};
}

inline Outward<double> quotient(double x, double y) {
  const double q = x / y;
  if (x == 0 || y == 0 || std::isinf(x) || std::isinf(y)) return {q, q};
  if (std::isinf(q)) return overflowed(q);
  if (std::fabs(q) >= kResidualFloor && std::fabs(x) >= kResidualFloor) {
    const double residual = std::fma(-q, y, x);
    return beside(q, y > 0 ? residual : -residual);
  }
  if (std::signbit(q)) return {next_down(q), q == 0 ? -0.0 : next_up(q)};
  return {q == 0 ? 0.0 : next_down(q), next_up(q)};
}

inline Outward<double> root(double x) {
  const double s = std::sqrt(x);
  if (x == 0 || std::isinf(x)) return {s, s};
  if (x < kResidualFloor) {
    const Outward<double> scaled = root(x * 0x1p600);
    return {scaled.down * 0x1p-300, scaled.up * 0x1p-300};
  }
  return beside(s, std::fma(-s, s, x));
}

inline double negated(double x) { return -x; }
inline double floor_of(double x) { return std::floor(x); }
inline double ceil_of(double x) { return std::ceil(x); }
inline double trunc_of(double x) { return std::trunc(x); }
inline double even_of(double x) { return std::nearbyint(x); }
inline int compare(double x, double y) { return x < y ? -1 : x > y ? 1 : 0; }
inline bool is_zero(double x) { return x == 0; }
inline bool is_inf(double x) { return std::isinf(x); }
inline bool sign_bit(double x) { return std::signbit(x); }
inline int exponent(double x) { return std::ilogb(x); }
inline double below(double x) { return x; }
inline double above(double x) { return x; }

template <class N>
N exact(double x);
template <>
inline double exact<double>(double x) {
  return x;
}

// `beyond`: the least power of two that is greater than every Integer.
template <class Integer>
Outward<double> enclose_whole(Integer n, double beyond) {
  const double nearest = static_cast<double>(n);
  if (nearest == beyond) return {next_down(nearest), nearest};
  const auto back = static_cast<Integer>(nearest);
  return beside(nearest, back == n ? 0.0 : back < n ? 1.0 : -1.0);
}

// Encloses an integer; exact where |n| <= 2^53 or the low bits are zero.
template <class N>
Outward<N> enclose_integer(std::int64_t n);
template <>
inline Outward<double> enclose_integer<double>(std::int64_t n) {
  return enclose_whole(n, 0x1p63);
}

template <class N>
Outward<N> enclose_unsigned(std::uint64_t n);
template <>
inline Outward<double> enclose_unsigned<double>(std::uint64_t n) {
  return enclose_whole(n, 0x1p64);
}

template <class N>
Outward<N> enclose_pi();
template <>
inline Outward<double> enclose_pi<double>() {
  return {0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1};
}

// Significant bits of x modulo 2^64, for an integer x.
std::uint64_t low_64_bits(double x);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_NUMBER_DOUBLE_H_
