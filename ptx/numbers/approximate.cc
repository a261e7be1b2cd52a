#include "ptx/numbers/approximate.h"

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "ptx/numbers/format.h"

namespace assay::ptx {
namespace {

using Real = long double;  // at least 64 bits of significand
constexpr std::uint32_t kNan = 0x7fffffffU;
constexpr std::uint64_t kNan64 = 0x7fffffff00000000ULL;

std::uint32_t bits_of_f32(float x) { return std::bit_cast<std::uint32_t>(x); }

// Directed and nearest rounding into f32. Conversions of the CPU round to
// nearest here; the other two step from there.
float to_nearest(Real x) { return static_cast<float>(x); }
float not_below(Real x) {
  float y = static_cast<float>(x);
  return Real{y} < x ? std::nextafter(y, HUGE_VALF) : y;
}
float not_above(Real x) {
  float y = static_cast<float>(x);
  return Real{y} > x ? std::nextafter(y, -HUGE_VALF) : y;
}

float steps(float x, int count) {
  for (; count > 0; --count) x = std::nextafter(x, HUGE_VALF);
  for (; count < 0; ++count) x = std::nextafter(x, -HUGE_VALF);
  return x;
}

// What the ISA says of an instruction's error.
struct Bound {
  enum class Kind : std::uint8_t {
    steps,  // `amount` neighbours of the correctly rounded value
    ulp,    // of the exact value
    relative,
    absolute,
  };
  Kind kind;
  Real amount;
};

Real unit(Real x) {
  int exponent = std::max(std::ilogb(x), -126);
  return std::ldexp(Real{1}, exponent - 23);
}

float end_of(Real exact, const Bound& bound, bool upper) {
  float nearest = to_nearest(exact);
  if (bound.kind == Bound::Kind::steps) {
    if (std::isinf(nearest) && std::isinf(exact)) return nearest;
    return steps(nearest,
                 static_cast<int>(upper ? bound.amount : -bound.amount));
  }
  Real width = bound.amount;
  if (bound.kind == Bound::Kind::ulp) width *= unit(exact);
  if (bound.kind == Bound::Kind::relative) width *= std::fabs(exact);
  float end = upper ? not_above(exact + width) : not_below(exact - width);
  // A bound below half a unit holds no number, or not the nearest.
  return upper ? std::fmax(end, nearest) : std::fmin(end, nearest);
}

float within(Real exact, const Bound& bound, Approximation which) {
  if (which == Approximation::nominal) return to_nearest(exact);
  return end_of(exact, bound, which == Approximation::highest);
}

// 2^-x as a Real, x in tenths or thousandths as the ISA prints it.
Real power(Real exponent) { return std::exp2(exponent); }

// Ziv's test: whether a double that is wrong by less than 2^-48 of itself
// decides the rounding to f32. glibc's double functions are good to 2^-51.
std::optional<float> decided(double y) {
  float low = static_cast<float>(y * (1 - 0x1p-48));
  float high = static_cast<float>(y * (1 + 0x1p-48));
  if (low != high || y == 0) return std::nullopt;
  return low;
}

float exp2_f32(float x, Approximation which) {
  if (x == 0) return 1;
  if (std::isinf(x)) return x > 0 ? x : 0;
  if (which == Approximation::nominal)
    if (auto y = decided(std::exp2(static_cast<double>(x)))) return *y;
  Real exact = std::exp2(Real{x});
  float y = within(exact, {Bound::Kind::steps, 2}, which);
  return y < 0 ? 0.0F : y;  // a power is not negative
}

float log2_f32(float x, Approximation which) {
  if (x < 0) return std::bit_cast<float>(kNan);
  if (x == 0) return -HUGE_VALF;
  if (std::isinf(x)) return x;
  if (which == Approximation::nominal) {
    if (x == 1) return 0;
    if (auto y = decided(std::log2(static_cast<double>(x)))) return *y;
  }
  bool near_one = x > 0.5F && x < 2.0F;
  return within(
      std::log2(Real{x}),
      {near_one ? Bound::Kind::absolute : Bound::Kind::relative, 0x1p-22L},
      which);
}

float wave_f32(float x, bool sine, Approximation which) {
  constexpr Real kPi = 3.14159265358979323846264338327950288L;
  if (std::isinf(x)) return std::bit_cast<float>(kNan);
  if (x == 0) return sine ? x : 1.0F;
  Real exact = sine ? std::sin(Real{x}) : std::cos(Real{x});
  if (which == Approximation::nominal) return to_nearest(exact);
  Real size = std::fabs(Real{x});
  // No promise at all: the whole range of the function.
  if (size > 100 * kPi) return which == Approximation::lowest ? -1.0F : 1.0F;
  Real bound = size <= 2 * kPi ? power(-20.5L) : power(-14.7L);
  return within(exact, {Bound::Kind::absolute, bound}, which);
}

float tanh_f32(float x, Approximation which) {
  if (x == 0 || std::fpclassify(x) == FP_SUBNORMAL) return x;
  if (std::isinf(x)) return std::copysign(1.0F, x);
  if (which == Approximation::nominal)
    if (auto y = decided(std::tanh(static_cast<double>(x)))) return *y;
  return within(std::tanh(Real{x}), {Bound::Kind::relative, 0x1p-11L}, which);
}

float rcp_f32(float x, Approximation which) {
  if (x == 0 || std::isinf(x)) return 1.0F / x;
  return within(1 / Real{x}, {Bound::Kind::ulp, 1}, which);
}

float sqrt_f32(float x, bool reciprocal, Approximation which) {
  if (x < 0) return std::bit_cast<float>(kNan);
  if (x == 0) return reciprocal ? 1.0F / x : x;
  if (std::isinf(x)) return reciprocal ? 0.0F : x;
  Real root = std::sqrt(Real{x});
  if (reciprocal)
    return within(1 / root, {Bound::Kind::relative, power(-22.9L)}, which);
  return within(root, {Bound::Kind::relative, 0x1p-23L}, which);
}

float div_f32(float a, float b, bool full, Approximation which) {
  float plain = a / b;
  if (std::isnan(plain)) return std::bit_cast<float>(kNan);
  float size = std::fabs(b);
  if (!full && size > 0x1p126F && !std::isinf(b)) {
    if (std::isinf(a)) return std::bit_cast<float>(kNan);
    return std::copysign(0.0F, plain);
  }
  if (a == 0 || b == 0 || std::isinf(a) || std::isinf(b)) return plain;
  Real exact = Real{a} / Real{b};
  float y = within(exact, {Bound::Kind::ulp, 2}, which);
  // Below 2^-126 div.approx promises nothing: 1/b may have overflowed.
  if (!full && size < 0x1p-126F) {
    if (which == Approximation::highest && exact > 0) y = HUGE_VALF;
    if (which == Approximation::lowest && exact < 0) y = -HUGE_VALF;
  }
  // The sign of a quotient does not depend on its error.
  return std::signbit(y) == std::signbit(plain) ? y
                                                : std::copysign(0.0F, plain);
}

// Of sixteen bits: the least or greatest element in the interval.
std::uint32_t half(Format f, Real exact, Real width, Approximation which) {
  auto at = [&](Real x, RoundTo mode) {
    return narrow(static_cast<double>(x), {f, mode});
  };
  std::uint32_t nearest = at(exact, RoundTo::nearest_even);
  if (which == Approximation::nominal || std::isinf(exact)) return nearest;
  bool upper = which == Approximation::highest;
  std::uint32_t end =
      upper ? at(exact + width, RoundTo::down) : at(exact - width, RoundTo::up);
  double e = widen(f, end);
  double n = widen(f, nearest);
  return (upper ? e < n : e > n) ? nearest : end;
}

std::uint32_t exp2_half(Format f, std::uint32_t a, Approximation which) {
  double x = widen(f, a);
  if (std::isnan(x)) return 0x7fff;
  if (std::isinf(x)) return x > 0 ? a : 0;
  if (x == 0) return narrow(1, {f});
  Real exact = std::exp2(Real{x});
  Real bound = f == Format::f16 ? power(-9.9L) : 0x1p-7L;
  return half(f, exact, exact * bound, which);
}

std::uint32_t tanh_half(Format f, std::uint32_t a, Approximation which) {
  double x = widen(f, a);
  if (std::isnan(x)) return 0x7fff;
  if (std::isinf(x)) return narrow(std::copysign(1.0, x), {f});
  if (x == 0) return a;
  Real bound = f == Format::f16 ? power(-10.987L) : 0x1p-8L;
  return half(f, std::tanh(Real{x}), bound, which);
}

// rcp and rsqrt.approx.ftz.f64: 20 bits of fraction in, 20 out. The ISA names
// no bound; one unit of the result's last place is taken.
std::uint64_t gross_f64(std::uint64_t a, bool root, Approximation which) {
  std::uint64_t kept = a & 0xffffffff00000000ULL;
  if ((kept & 0x7ff0000000000000ULL) == 0) kept &= 1ULL << 63;  // .ftz
  auto x = std::bit_cast<double>(kept);
  if (std::isnan(std::bit_cast<double>(a)) || (root && x < 0)) return kNan64;
  if (x == 0 || std::isinf(x)) {
    double y = 1 / x;
    return std::bit_cast<std::uint64_t>(y);
  }
  auto y = static_cast<double>(root ? 1 / std::sqrt(Real{x}) : 1 / Real{x});
  auto bits = std::bit_cast<std::uint64_t>(y);
  std::uint64_t word = (bits + 0x7fffffffULL + ((bits >> 32) & 1U)) >> 32;
  bool grows = which == Approximation::highest ? y > 0 : y < 0;
  if (which != Approximation::nominal) word = grows ? word + 1 : word - 1;
  if ((word & 0x7ff00000U) == 0) word &= 0x80000000U;
  return word << 32;
}

// CUDA C++ Programming Guide, Mathematical Functions: rsqrt of double has a
// maximum error of 1 ulp.
std::uint64_t rsqrt_f64(std::uint64_t a, Approximation which) {
  auto x = std::bit_cast<double>(a);
  if (std::isnan(x) || x < 0) return 0x7fffffffffffffffULL;
  if (x == 0) return std::bit_cast<std::uint64_t>(1 / x);
  if (std::isinf(x)) return 0;
  auto y = static_cast<double>(1 / std::sqrt(Real{x}));
  if (which == Approximation::lowest) y = std::nextafter(y, 0.0);
  if (which == Approximation::highest) y = std::nextafter(y, HUGE_VAL);
  return std::bit_cast<std::uint64_t>(y);
}

}  // namespace

std::uint64_t approximate(Approximate function, Approximation which,
                          std::uint64_t a, std::uint64_t b) {
  auto half_bits = static_cast<std::uint32_t>(a & 0xffffU);
  switch (function) {
    case Approximate::ex2_f16:
      return exp2_half(Format::f16, half_bits, which);
    case Approximate::ex2_bf16:
      return exp2_half(Format::bf16, half_bits, which);
    case Approximate::tanh_f16:
      return tanh_half(Format::f16, half_bits, which);
    case Approximate::tanh_bf16:
      return tanh_half(Format::bf16, half_bits, which);
    case Approximate::rcp_f64:
      return gross_f64(a, false, which);
    case Approximate::rsqrt_ftz_f64:
      return gross_f64(a, true, which);
    case Approximate::rsqrt_f64:
      return rsqrt_f64(a, which);
    default:
      break;
  }
  auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
  auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
  if (std::isnan(x)) return kNan;
  switch (function) {
    case Approximate::ex2_f32:
      return bits_of_f32(exp2_f32(x, which));
    case Approximate::lg2_f32:
      return bits_of_f32(log2_f32(x, which));
    case Approximate::sin_f32:
      return bits_of_f32(wave_f32(x, true, which));
    case Approximate::cos_f32:
      return bits_of_f32(wave_f32(x, false, which));
    case Approximate::tanh_f32:
      return bits_of_f32(tanh_f32(x, which));
    case Approximate::rcp_f32:
      return bits_of_f32(rcp_f32(x, which));
    case Approximate::rsqrt_f32:
      return bits_of_f32(sqrt_f32(x, true, which));
    case Approximate::sqrt_f32:
      return bits_of_f32(sqrt_f32(x, false, which));
    case Approximate::div_f32:
      return bits_of_f32(div_f32(x, y, false, which));
    case Approximate::div_full_f32:
      return bits_of_f32(div_f32(x, y, true, which));
    default:
      return kNan;
  }
}

}  // namespace assay::ptx
