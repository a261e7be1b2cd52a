#include <arb.h>
#include <arb_hypgeom.h>

#include <array>
#include <cmath>

#include "core/float_bits.h"
#include "reference/certify/rounded.h"
#include "reference/numbers/ball.h"
#include "reference/sets/round.h"

namespace assay::reference {
namespace {

void power_of_two(arb_ptr y, arb_srcptr x, slong bits) {
  Ball two;
  arb_set_ui(two, 2);
  arb_pow(y, two, x, bits);
}

void power_of_ten(arb_ptr y, arb_srcptr x, slong bits) {
  Ball ten;
  arb_set_ui(ten, 10);
  arb_pow(y, ten, x, bits);
}

void log_two(arb_ptr y, arb_srcptr x, slong bits) {
  arb_log_base_ui(y, x, 2, bits);
}
void log_ten(arb_ptr y, arb_srcptr x, slong bits) {
  arb_log_base_ui(y, x, 10, bits);
}

// arb_root_ui takes no negative numbers.
void cube_root(arb_ptr y, arb_srcptr x, slong bits) {
  Ball size;
  arb_abs(size, x);
  arb_root_ui(y, size, 3, bits);
  if (arb_is_negative(x)) arb_neg(y, y);
}

// ln |gamma|. By reflection below zero, |gamma(x)| = pi / (|sin pi x|
// |x| gamma(-x)), so that huge arguments stay within reach.
void log_gamma(arb_ptr y, arb_srcptr x, slong bits) {
  if (arb_is_positive(x)) {
    arb_lgamma(y, x, bits);
    return;
  }
  Ball size, sine, pi, rest;
  arb_abs(size, x);
  arb_sin_pi(sine, x, bits);
  arb_abs(sine, sine);
  arb_mul(sine, sine, size, bits);
  arb_const_pi(pi, bits);
  arb_div(y, pi, sine, bits);
  arb_log(y, y, bits);
  arb_lgamma(rest, size, bits);
  arb_sub(y, y, rest, bits);
}

// Beyond a few hundred, gamma overflows or underflows every format; Arb needs
// exponents of its own for it then, which come from the logarithm.
void gamma_value(arb_ptr y, arb_srcptr x, slong bits) {
  Ball size;
  arb_abs(size, x);
  if (arf_cmpabs_ui(arb_midref(static_cast<arb_ptr>(size)), 400) < 0) {
    arb_gamma(y, x, bits);
    return;
  }
  log_gamma(y, x, bits);
  // Far enough for every format, without a number of as many digits.
  Ball limit;
  arb_set_si(limit, 3000);
  if (arb_gt(y, limit)) arb_set(y, limit);
  arb_neg(limit, limit);
  if (arb_lt(y, limit)) arb_set(y, limit);
  arb_exp(y, y, bits);
  arf_t whole;
  arf_init(whole);
  arf_floor(whole, arb_midref(x));
  const bool odd = !arf_is_int_2exp_si(whole, 1);
  arf_clear(whole);
  if (arb_is_negative(x) && odd) arb_neg(y, y);
}

void erf_value(arb_ptr y, arb_srcptr x, slong bits) {
  arb_hypgeom_erf(y, x, bits);
}
void erfc_value(arb_ptr y, arb_srcptr x, slong bits) {
  arb_hypgeom_erfc(y, x, bits);
}

bool nowhere(double) { return false; }
bool at_zero(double x) { return x == 0; }
bool at_minus_one(double x) { return x == -1; }
bool at_ends(double x) { return std::fabs(x) == 1; }
bool at_poles(double x) { return x <= 0 && std::trunc(x) == x; }

struct Row {
  Elementary function;
  void (*evaluate)(arb_ptr, arb_srcptr, slong);
  bool (*infinite)(double);  // or undefined, at a number of the domain
};

using F = Elementary;
constexpr std::array<Row, kElementaryFunctions> kRows = {{
    {F::exp, arb_exp, nowhere},          {F::exp2, power_of_two, nowhere},
    {F::expm1, arb_expm1, nowhere},      {F::log, arb_log, at_zero},
    {F::log2, log_two, at_zero},         {F::log10, log_ten, at_zero},
    {F::log1p, arb_log1p, at_minus_one}, {F::sqrt, arb_sqrt, nowhere},
    {F::cbrt, cube_root, nowhere},       {F::sinh, arb_sinh, nowhere},
    {F::cosh, arb_cosh, nowhere},        {F::tanh, arb_tanh, nowhere},
    {F::asinh, arb_asinh, nowhere},      {F::acosh, arb_acosh, nowhere},
    {F::atanh, arb_atanh, at_ends},      {F::asin, arb_asin, nowhere},
    {F::acos, arb_acos, nowhere},        {F::atan, arb_atan, nowhere},
    {F::erf, erf_value, nowhere},        {F::erfc, erfc_value, nowhere},
    {F::sin, arb_sin, nowhere},          {F::cos, arb_cos, nowhere},
    {F::tan, arb_tan, nowhere},          {F::lgamma, log_gamma, at_poles},
    {F::tgamma, gamma_value, at_poles},  {F::exp10, power_of_ten, nowhere},
}};
static_assert([] {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].function != static_cast<Elementary>(i)) return false;
  }
  return true;
}());

const Row& row(Elementary f) { return kRows[static_cast<std::size_t>(f)]; }

// The ends of a ball as MPFR numbers, outward.
Real<Mp> enclosure(arb_srcptr y, slong bits) {
  Real<Mp> r = {Mp::fresh(bits), Mp::fresh(bits)};
  arb_get_interval_mpfr(r.a.writable(), r.b.writable(), y);
  return r;
}

}  // namespace

bool arb_defines(Elementary f, double x) {
  if (!std::isfinite(x)) return false;
  const Domain d = domain(f);
  if (x < d.least || x > d.greatest) return false;
  return !row(f).infinite(x);
}

std::optional<std::uint64_t> rounded_by_arb(Elementary f, DType t,
                                            std::uint64_t x) {
  Ball argument, y;
  const double value = decode_float(t, x);
  arb_set_d(argument, value);
  for (const slong bits : {64, 128, 256, 1024, 4096}) {
    row(f).evaluate(y, argument, bits);
    if (!arb_is_finite(y)) continue;
    const Real<Mp> r = enclosure(y, bits);
    if (arb_is_exact(y) && arb_is_zero(y)) {
      // Odd functions keep the sign of a zero.
      const bool keeps = value == 0 && std::signbit(value);
      return keeps ? sign_bit_mask(t) : 0;
    }
    const std::uint64_t a = nearest_bits(t, r.a), b = nearest_bits(t, r.b);
    if (a == b) return a;
    const std::uint64_t sign = sign_bit_mask(t);
    if ((a & ~sign) == 0 && (b & ~sign) == 0) return 0;
  }
  return std::nullopt;
}

}  // namespace assay::reference
