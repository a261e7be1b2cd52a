#include "reference/numbers/binary.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace assay::reference {
namespace {

// x^n where every product on the way is a double.
std::optional<double> short_power(double x, double n) {
  constexpr double kLongest = 64;
  if (!is_integer(n) || n < 1 || n > kLongest) return std::nullopt;
  double power = x;
  const int last = static_cast<int>(n);
  for (int k = 1; k < last; ++k) {
    const Outward<double> next = product(power, x);
    if (next.down != next.up) return std::nullopt;
    power = next.down;
  }
  return power;
}

// Encloses a number that is no zero, by its sign and size.
Outward<double> on_one_side(double z, double greatest) {
  return std::signbit(z) ? widened(z, -greatest, -0.0)
                         : widened(z, 0.0, greatest);
}

Outward<double> power(double x, double y) {
  const double z = std::pow(x, y);
  const bool special =
      x == 1 || y == 0 || x == 0 || std::isinf(x) || std::isinf(y) || y == 1;
  if (special) return {z, z};
  if (y == 2) return product(x, x);
  if (y == -1) return quotient(1.0, x);
  if (y == 0.5) return root(x);
  if (const auto exact = short_power(x, y)) return {*exact, *exact};
  return on_one_side(z, kInfinity);
}

Outward<double> distance(double x, double y) {
  const double z = std::hypot(x, y);
  if (std::isinf(x) || std::isinf(y) || x == 0 || y == 0) return {z, z};
  // Squares neither overflow nor lose their residuals.
  constexpr double kLow = 0x1p-400, kHigh = 0x1p400;
  const auto is_tame = [](double v) {
    return std::fabs(v) > kLow && std::fabs(v) < kHigh;
  };
  if (!is_tame(x) || !is_tame(y)) return on_one_side(z, kInfinity);
  const Outward<double> p = product(x, x), q = product(y, y);
  return {root(sum(p.down, q.down).down).down, root(sum(p.up, q.up).up).up};
}

Outward<double> angle(double y, double x) {
  const double z = std::atan2(y, x);
  // Zeros; other results have pi in them or are as irrational.
  if (z == 0 && (y == 0 || std::isinf(x))) return {z, z};
  constexpr double kPi = 0x1.921fb54442d19p+1;  // rounded up
  return on_one_side(z, kPi);
}

template <class N>
Outward<N> floored(const N& remainder, const N& y) {
  if (is_zero(remainder)) {
    const N zero = exact<N>(sign_bit(y) ? -0.0 : 0.0);
    return {zero, zero};
  }
  if (sign_bit(remainder) == sign_bit(y)) return {remainder, remainder};
  return sum(remainder, y);
}

// Exact: a multiple of the smaller of the last places, less than both.
Mp truncated(const Mp& x, const Mp& y) {
  Mp r = Mp::fresh(std::max(mpfr_get_prec(x.get()), mpfr_get_prec(y.get())));
  mpfr_fmod(r.writable(), x.get(), y.get(), MPFR_RNDN);
  return r;
}

}  // namespace

Outward<double> apply(Binary f, double x, double y) {
  switch (f) {
    case Binary::pow:
      return power(x, y);
    case Binary::atan2:
      return angle(x, y);
    case Binary::hypot:
      return distance(x, y);
    case Binary::fmod: {
      const double r = std::fmod(x, y);
      return {r, r};
    }
    case Binary::remainder:
      return floored(std::fmod(x, y), y);
  }
  return {-kInfinity, kInfinity};
}

Outward<Mp> apply(Binary f, const Mp& x, const Mp& y) {
  switch (f) {
    case Binary::pow:
      return apply_mpfr(mpfr_pow, x, y);
    case Binary::atan2:
      return apply_mpfr(mpfr_atan2, x, y);
    case Binary::hypot:
      return apply_mpfr(mpfr_hypot, x, y);
    case Binary::fmod: {
      const Mp r = truncated(x, y);
      return {r, r};
    }
    case Binary::remainder:
      return floored(truncated(x, y), y);
  }
  return {exact<Mp>(-kInfinity), exact<Mp>(kInfinity)};
}

}  // namespace assay::reference
