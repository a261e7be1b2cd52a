#include "reference/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::reference {
namespace {

constexpr double kMargin = 0x1p-42;
// Covers the loss of relative accuracy of subnormal doubles.
constexpr double kSubnormalMargin = 0x1p-1060;

bool never_exact(double) { return false; }
bool is_one(double x) { return x == 1; }
bool is_power_of_two(double x) {
  int e = 0;
  return std::frexp(x, &e) == 0.5;
}

struct Row {
  std::string_view name;
  bool rising;
  bool nonnegative;
  double (*in_double)(double);
  int (*in_mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  // Exact results of the double evaluation at finite, nonzero arguments. At
  // zero and at the infinities every function here is exact.
  bool (*exact_at)(double);
  double least, greatest;  // range
};

constexpr std::array<Row, 7> kRows = {{
    {"exp", true, false, std::exp, mpfr_exp, never_exact, 0, kInfinity},
    {"log", true, true, std::log, mpfr_log, is_one, -kInfinity, kInfinity},
    {"log2", true, true, std::log2, mpfr_log2, is_power_of_two, -kInfinity,
     kInfinity},
    {"sqrt", true, true, std::sqrt, mpfr_sqrt, never_exact, 0, kInfinity},
    {"erf", true, false, std::erf, mpfr_erf, never_exact, -1, 1},
    {"erfc", false, false, std::erfc, mpfr_erfc, never_exact, 0, 2},
    {"tanh", true, false, std::tanh, mpfr_tanh, never_exact, -1, 1},
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
bool needs_nonnegative(Elementary f) { return row(f).nonnegative; }

Outward<double> apply(Elementary f, double x) {
  if (f == Elementary::sqrt) return root(x);
  const Row& r = row(f);
  const double y = r.in_double(x);
  if (x == 0 || std::isinf(x) || r.exact_at(x)) return {y, y};
  if (std::isinf(y)) return {kLargest * (1 - kMargin), kInfinity};
  const double margin = std::fabs(y) * kMargin + kSubnormalMargin;
  return {std::max(y - margin, r.least), std::min(y + margin, r.greatest)};
}

Outward<Mp> apply(Elementary f, const Mp& x) {
  return apply_mpfr(row(f).in_mpfr, x);
}

}  // namespace assay::reference
