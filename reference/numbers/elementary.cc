#include "reference/numbers/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "reference/numbers/margin.h"

namespace assay::reference {
namespace {

// Covers the loss of relative accuracy of subnormal doubles.
constexpr double kSubnormalMargin = 0x1p-1060;

bool at_zero(double x) { return x == 0; }
bool at_zero_and_infinities(double x) { return x == 0 || std::isinf(x); }
bool at_one(double x) { return x == 1; }
bool at_one_and_infinity(double x) { return x == 1 || std::isinf(x); }
bool at_zero_and_ends(double x) { return x == 0 || std::fabs(x) == 1; }
bool at_zero_one_and_infinity(double x) {
  return at_zero_and_infinities(x) || x == 1;
}
bool at_minus_one_zero_and_infinity(double x) {
  return at_zero_and_infinities(x) || x == -1;
}
bool at_powers_of_two(double x) {
  int e = 0;
  return at_zero_and_infinities(x) || std::frexp(x, &e) == 0.5;
}
// The integers n for which 2^n is a double.
bool at_integers(double x) {
  return std::isinf(x) || (std::trunc(x) == x && x >= -1074 && x < 1024);
}
// 10^22 is the last power of ten that is a double.
bool at_powers_of_ten(double x) {
  if (at_zero_and_infinities(x)) return true;
  double power = 1;
  for (int k = 0; k <= 22; ++k) {
    if (x == power) return true;
    power *= 10;
  }
  return false;
}
// The cube root where it is a double: only a root of up to 18 bits has a cube
// of up to 53. The C library misses some of them by a last place.
std::optional<double> short_cube_root(double x) {
  if (at_zero_and_infinities(x)) return x;
  // Away from underflow, so that the test below is exact.
  const double scaled = std::fabs(x) < 0x1p-500 ? x * 0x1p600 : x;
  int e = 0;
  const double m = std::frexp(std::cbrt(scaled), &e);
  const double root = std::ldexp(std::nearbyint(std::ldexp(m, 18)), e - 18);
  if (std::fma(root * root, root, -scaled) != 0) return std::nullopt;
  return scaled == x ? root : root * 0x1p-200;
}
bool at_cubes(double x) { return short_cube_root(x).has_value(); }
double cube_root(double x) { return short_cube_root(x).value_or(std::cbrt(x)); }
bool at_zeros_and_poles(double x) {
  return x == 1 || x == 2 || std::isinf(x) || (x <= 0 && std::trunc(x) == x);
}
// ln |gamma|; std::lgamma would write the sign to a variable of the process.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}
int mpfr_log_gamma(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t direction) {
  int sign = 0;
  return mpfr_lgamma(r, &sign, x, direction);
}
// 22! is the last factorial that is a double.
bool at_short_factorials(double x) {
  return x == 0 || x == kInfinity || (std::trunc(x) == x && x > 0 && x <= 23);
}
double gamma_value(double x) {
  if (x == 0 || !at_short_factorials(x)) return std::tgamma(x);
  if (std::isinf(x)) return x;
  double factorial = 1;
  const int last = static_cast<int>(x);
  for (int n = 2; n < last; ++n) factorial *= n;
  return factorial;
}

// The integers n for which 10^n is a double: up to 10^22.
bool at_digits(double x) {
  return std::isinf(x) || (std::trunc(x) == x && x >= 0 && x <= 22);
}
double power_of_ten(double x) {
  if (!at_digits(x) || std::isinf(x)) return ::exp10(x);
  double power = 1;
  const int last = static_cast<int>(x);
  for (int n = 0; n < last; ++n) power *= 10;
  return power;
}

struct Row {
  Elementary function;
  DoubleFunction in_double;
  int (*in_mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  // Where the value is a double, and the C library's.
  bool (*exact_at)(double);
  // Range, a little wider where its end is no double.
  double least = -kInfinity, greatest = kInfinity;
  bool underflows = false, overflows = false;
};

constexpr double kHalfPi = 0x1.921fb54442d19p+0;  // rounded up
constexpr double kPi = 0x1.921fb54442d19p+1;

using F = Elementary;
constexpr std::array<Row, kElementaryFunctions> kRows = {{
    {F::exp, std::exp, mpfr_exp, at_zero_and_infinities, 0, kInfinity, true,
     true},
    {F::exp2, std::exp2, mpfr_exp2, at_integers, 0, kInfinity, true, true},
    {F::expm1, std::expm1, mpfr_expm1, at_zero_and_infinities, -1, kInfinity,
     false, true},
    {F::log, std::log, mpfr_log, at_zero_one_and_infinity},
    {F::log2, std::log2, mpfr_log2, at_powers_of_two},
    {F::log10, std::log10, mpfr_log10, at_powers_of_ten},
    {F::log1p, std::log1p, mpfr_log1p, at_minus_one_zero_and_infinity},
    {F::sqrt, std::sqrt, mpfr_sqrt, at_zero_and_infinities, 0},
    {F::cbrt, cube_root, mpfr_cbrt, at_cubes},
    {F::sinh, std::sinh, mpfr_sinh, at_zero_and_infinities, -kInfinity,
     kInfinity, false, true},
    {F::cosh, std::cosh, mpfr_cosh, at_zero_and_infinities, 1, kInfinity, false,
     true},
    {F::tanh, std::tanh, mpfr_tanh, at_zero_and_infinities, -1, 1},
    {F::asinh, std::asinh, mpfr_asinh, at_zero_and_infinities},
    {F::acosh, std::acosh, mpfr_acosh, at_one_and_infinity, 0},
    {F::atanh, std::atanh, mpfr_atanh, at_zero_and_ends},
    {F::asin, std::asin, mpfr_asin, at_zero, -kHalfPi, kHalfPi},
    {F::acos, std::acos, mpfr_acos, at_one, 0, kPi},
    {F::atan, std::atan, mpfr_atan, at_zero, -kHalfPi, kHalfPi},
    {F::erf, std::erf, mpfr_erf, at_zero_and_infinities, -1, 1},
    {F::erfc, std::erfc, mpfr_erfc, at_zero_and_infinities, 0, 2, true, false},
    {F::sin, std::sin, mpfr_sin, at_zero, -1, 1},
    {F::cos, std::cos, mpfr_cos, at_zero, -1, 1},
    {F::tan, std::tan, mpfr_tan, at_zero},
    {F::lgamma, log_gamma, mpfr_log_gamma, at_zeros_and_poles, -kInfinity,
     kInfinity, false, true},
    {F::tgamma, gamma_value, mpfr_gamma, at_short_factorials, -kInfinity,
     kInfinity, true, true},
    {F::exp10, power_of_ten, mpfr_exp10, at_digits, 0, kInfinity, true, true},
}};
static_assert([] {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].function != static_cast<Elementary>(i)) return false;
  }
  return true;
}());

const Row& row(Elementary f) { return kRows[static_cast<std::size_t>(f)]; }

}  // namespace

bool underflows(Elementary f) { return row(f).underflows; }
bool overflows(Elementary f) { return row(f).overflows; }
DoubleFunction double_function(Elementary f) { return row(f).in_double; }

Outward<double> apply(Elementary f, double x) {
  if (f == Elementary::sqrt) return root(x);
  const Row& r = row(f);
  const double y = r.in_double(x);
  if (r.exact_at(x)) return {y, y};
  return widened(y, r.least, r.greatest);
}

Outward<double> widened(double y, double least, double greatest) {
  if (std::isinf(y)) {
    const double last = kLargest * (1 - kMargin);
    if (y > 0) return {last, kInfinity};
    return {-kInfinity, -last};
  }
  const double margin = std::fabs(y) * kMargin + kSubnormalMargin;
  return {std::max(y - margin, least), std::min(y + margin, greatest)};
}

Outward<Mp> apply(Elementary f, const Mp& x) {
  return apply_mpfr(row(f).in_mpfr, x);
}

}  // namespace assay::reference
