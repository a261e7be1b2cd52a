#include "reference/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/margin.h"

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
// Of which the powers of two are doubles.
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

struct Row {
  std::string_view name;
  bool rising;
  Domain domain;
  double (*in_double)(double);
  int (*in_mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  // Where the value is a double, and the C library's.
  bool (*exact_at)(double);
  double least, greatest;  // range, a little wider where its end is no double
};

constexpr Domain kAll = {-kInfinity, kInfinity};
constexpr Domain kNonnegative = {-0.0, kInfinity};
constexpr Domain kUnit = {-1, 1};
constexpr double kHalfPi = 0x1.921fb54442d19p+0;  // rounded up
constexpr double kPi = 0x1.921fb54442d19p+1;

constexpr std::array<Row, kElementaryFunctions> kRows = {{
    {"exp", true, kAll, std::exp, mpfr_exp, at_zero_and_infinities, 0,
     kInfinity},
    {"exp2", true, kAll, std::exp2, mpfr_exp2, at_integers, 0, kInfinity},
    {"expm1", true, kAll, std::expm1, mpfr_expm1, at_zero_and_infinities, -1,
     kInfinity},
    {"log", true, kNonnegative, std::log, mpfr_log, at_zero_one_and_infinity,
     -kInfinity, kInfinity},
    {"log2", true, kNonnegative, std::log2, mpfr_log2, at_powers_of_two,
     -kInfinity, kInfinity},
    {"log10", true, kNonnegative, std::log10, mpfr_log10, at_powers_of_ten,
     -kInfinity, kInfinity},
    {"log1p",
     true,
     {-1, kInfinity},
     std::log1p,
     mpfr_log1p,
     at_minus_one_zero_and_infinity,
     -kInfinity,
     kInfinity},
    {"sqrt", true, kNonnegative, std::sqrt, mpfr_sqrt, at_zero_and_infinities,
     0, kInfinity},
    {"cbrt", true, kAll, cube_root, mpfr_cbrt, at_cubes, -kInfinity, kInfinity},
    {"sinh", true, kAll, std::sinh, mpfr_sinh, at_zero_and_infinities,
     -kInfinity, kInfinity},
    {"cosh", true, kAll, std::cosh, mpfr_cosh, at_zero_and_infinities, 1,
     kInfinity},
    {"tanh", true, kAll, std::tanh, mpfr_tanh, at_zero_and_infinities, -1, 1},
    {"asinh", true, kAll, std::asinh, mpfr_asinh, at_zero_and_infinities,
     -kInfinity, kInfinity},
    {"acosh",
     true,
     {1, kInfinity},
     std::acosh,
     mpfr_acosh,
     at_one_and_infinity,
     0,
     kInfinity},
    {"atanh", true, kUnit, std::atanh, mpfr_atanh, at_zero_and_ends, -kInfinity,
     kInfinity},
    {"asin", true, kUnit, std::asin, mpfr_asin, at_zero, -kHalfPi, kHalfPi},
    {"acos", false, kUnit, std::acos, mpfr_acos, at_one, 0, kPi},
    {"atan", true, kAll, std::atan, mpfr_atan, at_zero, -kHalfPi, kHalfPi},
    {"erf", true, kAll, std::erf, mpfr_erf, at_zero_and_infinities, -1, 1},
    {"erfc", false, kAll, std::erfc, mpfr_erfc, at_zero_and_infinities, 0, 2},
    {"sin", false, kAll, std::sin, mpfr_sin, at_zero, -1, 1},
    {"cos", false, kAll, std::cos, mpfr_cos, at_zero, -1, 1},
    {"tan", false, kAll, std::tan, mpfr_tan, at_zero, -kInfinity, kInfinity},
    {"lgamma", false, kAll, log_gamma, mpfr_log_gamma, at_zeros_and_poles,
     -kInfinity, kInfinity},
    {"tgamma", false, kAll, gamma_value, mpfr_gamma, at_short_factorials,
     -kInfinity, kInfinity},
}};

const Row& row(Elementary f) { return kRows[static_cast<std::size_t>(f)]; }

}  // namespace

std::optional<Elementary> find_elementary(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<Elementary>(i);
  }
  return std::nullopt;
}

std::string_view elementary_name(Elementary f) { return row(f).name; }
bool is_rising(Elementary f) { return row(f).rising; }
bool is_even(Elementary f) { return f == Elementary::cosh; }
bool is_periodic(Elementary f) {
  return f >= Elementary::sin && f <= Elementary::tan;
}
bool is_gamma(Elementary f) { return f >= Elementary::lgamma; }
Domain domain(Elementary f) { return row(f).domain; }

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
