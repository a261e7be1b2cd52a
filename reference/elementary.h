// The elementary functions of the spec language: one table that gives, for
// each name, a double evaluation, an MPFR evaluation, direction and domain.
// Adding a function is adding a row.
#ifndef ASSAY_REFERENCE_ELEMENTARY_H_
#define ASSAY_REFERENCE_ELEMENTARY_H_

#include <optional>
#include <string_view>

#include "reference/number_double.h"
#include "reference/number_mpfr.h"

namespace assay::reference {

// rsqrt is 1 / sqrt (set_ops.h): as a quotient it takes IEEE 754's infinities
// and zero signs by itself.
enum class Elementary {
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sqrt,
  cbrt,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  asin,
  acos,
  atan,
  erf,
  erfc,
  sin,
  cos,
  tan,
  lgamma,
  tgamma
};
inline constexpr int kElementaryFunctions =
    static_cast<int>(Elementary::tgamma) + 1;

std::optional<Elementary> find_elementary(std::string_view name);
std::string_view elementary_name(Elementary f);

// Strictly monotonic on its domain, or of |x| where it is even: rising or
// falling.
bool is_rising(Elementary f);
bool is_even(Elementary f);
// sin, cos and tan, which periodic.h takes care of; NaN at the infinities.
bool is_periodic(Elementary f);
// lgamma and tgamma, which gamma.h takes care of; tgamma is NaN at its poles
// below zero and at -infinity.
bool is_gamma(Elementary f);
// Where it is defined, ends included; NaN elsewhere.
struct Domain {
  double least, greatest;
};
Domain domain(Elementary f);

// f(x) for x in the domain, infinities included. Doubles come from the C
// library and are widened by a relative 2^-42 (over 300 times its largest
// known error) except where the result is known to be exact.
Outward<double> apply(Elementary f, double x);
// Encloses, by that margin and within bounds that the exact value keeps, what
// the C library computed as y.
Outward<double> widened(double y, double least, double greatest);
Outward<Mp> apply(Elementary f, const Mp& x);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ELEMENTARY_H_
