#include "reference/numbers/special.h"

#include <acb.h>
#include <arb.h>
#include <arb_hypgeom.h>
#include <arb_poly.h>

#include <algorithm>
#include <cmath>

#include "reference/numbers/ball.h"
#include "reference/numbers/binary.h"

namespace assay::reference {
namespace {

// An exponent that MPFR has (2^30 is its first that it has not) and no number
// of a format.
constexpr slong kFar = slong{1} << 29;

bool is_negative(const Mp& x) { return sign_bit(x) && !is_zero(x); }
bool is_pole(const Mp& x) {
  return is_zero(x) || (sign_bit(x) && is_integer(x));
}
bool is_odd_order(const Mp& n) { return is_integer(n) && is_odd(n); }

double zero_of_sign(bool negative) { return negative ? -0.0 : 0.0; }
double infinity_of_sign(bool negative) {
  return negative ? -kInfinity : kInfinity;
}

// --- Evaluation.

// The derivatives at x of pi cot(pi x), of order n.
void derived_cotangent(arb_ptr y, ulong n, arb_srcptr x, slong bits) {
  arb_poly_t at, series;
  arb_poly_init(at);
  arb_poly_init(series);
  arb_poly_set_coeff_arb(at, 0, x);
  arb_poly_set_coeff_si(at, 1, 1);
  arb_poly_cot_pi_series(series, at, static_cast<slong>(n) + 1, bits);
  arb_poly_get_coeff_arb(y, series, static_cast<slong>(n));
  arb_poly_clear(series);
  arb_poly_clear(at);
  Ball factor;
  arb_fac_ui(factor, n, bits);
  arb_mul(y, y, factor, bits);
  arb_const_pi(factor, bits);
  arb_mul(y, y, factor, bits);
}

void polygamma_right(arb_ptr y, arb_srcptr n, arb_srcptr x, slong bits) {
  acb_t order, at, value;
  acb_init(order);
  acb_init(at);
  acb_init(value);
  acb_set_arb(order, n);
  acb_set_arb(at, x);
  acb_polygamma(value, order, at, bits);
  arb_set(y, acb_realref(value));
  acb_clear(value);
  acb_clear(at);
  acb_clear(order);
}

// The derivatives of an order beyond take terms without end.
constexpr slong kHighestOrder = 4096;

// By reflection below zero (DLMF 5.15.6), where Arb sums a term for each pole.
void polygamma(arb_ptr y, arb_srcptr n, arb_srcptr x, slong bits) {
  if (arf_cmp_si(arb_midref(n), kHighestOrder) > 0) {
    return arb_zero_pm_inf(y);
  }
  if (!arb_is_negative(x)) return polygamma_right(y, n, x, bits);
  const auto order =
      static_cast<ulong>(arf_get_si(arb_midref(n), ARF_RND_DOWN));
  Ball mirrored, turn;
  arb_sub_si(mirrored, x, 1, bits);
  arb_neg(mirrored, mirrored);
  polygamma_right(y, n, mirrored, bits);
  if (order % 2 == 1) arb_neg(y, y);
  derived_cotangent(turn, order, x, bits);
  arb_sub(y, y, turn, bits);
}

// From zeta(s, x) - x^-s, which is less than x^(1-s) / (s - 1), the
// integral of its terms. Where s log2(x) is large that says enough.
void zeta_bounds(arb_ptr y, arb_srcptr s, arb_srcptr x, slong bits) {
  Ball rest, power;
  arb_sub_ui(rest, s, 1, bits);
  arb_div(rest, x, rest, bits);
  arb_add_ui(rest, rest, 1, bits);
  arb_neg(power, s);
  arb_pow(power, x, power, bits);
  arb_mul(rest, rest, power, bits);
  arb_union(y, power, rest, bits);
}

void hurwitz_zeta(arb_ptr y, arb_srcptr s, arb_srcptr x, slong bits) {
  if (arb_is_negative(x)) {
    // zeta(s, x) = (-1)^s psi^(s-1)(x) / (s-1)!, for whole s.
    if (!arb_is_int(s) || arf_cmp_si(arb_midref(s), kHighestOrder) > 0) {
      return arb_zero_pm_inf(y);
    }
    const slong order = arf_get_si(arb_midref(s), ARF_RND_DOWN) - 1;
    Ball n;
    arb_set_si(n, order);
    polygamma(y, n, x, bits);
    arb_fac_ui(n, static_cast<ulong>(order), bits);
    arb_div(y, y, n, bits);
    if (order % 2 == 0) arb_neg(y, y);
    return;
  }
  Ball size;
  arb_log(size, x, 53);
  arb_mul(size, size, s, 53);
  // e^-20000 is zero in every format.
  if (arf_cmp_si(arb_midref(static_cast<arb_ptr>(size)), 20000) > 0) {
    return zeta_bounds(y, s, x, bits);
  }
  arb_hurwitz_zeta(y, s, x, bits);
}

// Arb's own P is slow and wide where both operands are large.
void gamma_p(arb_ptr y, arb_srcptr a, arb_srcptr x, slong bits) {
  constexpr slong kLarge = 64;
  if (arf_cmp_si(arb_midref(a), kLarge) < 0) {
    return arb_hypgeom_gamma_lower(y, a, x, 1, bits);
  }
  arb_hypgeom_gamma_upper(y, a, x, 1, bits);
  arb_sub_ui(y, y, 1, bits);
  arb_neg(y, y);
}

void gamma_q(arb_ptr y, arb_srcptr a, arb_srcptr x, slong bits) {
  arb_hypgeom_gamma_upper(y, a, x, 1, bits);
}

// Arb scales by exp(-x). Around zero it is asked for all magnitudes in x.
void scaled_bessel_i(arb_ptr y, arb_srcptr n, arb_srcptr x, slong bits) {
  if (arb_is_nonnegative(x)) return arb_hypgeom_bessel_i_scaled(y, n, x, bits);
  const bool odd = !arf_is_int_2exp_si(arb_midref(n), 1);
  Ball size;
  if (arb_is_negative(x)) {
    arb_neg(size, x);
    arb_hypgeom_bessel_i_scaled(y, n, size, bits);
    if (odd) arb_neg(y, y);
    return;
  }
  arb_get_abs_ubound_arf(arb_midref(static_cast<arb_ptr>(size)), x, bits);
  Ball zero, mirrored;
  arb_union(size, zero, size, bits);
  arb_hypgeom_bessel_i_scaled(y, n, size, bits);
  arb_neg(mirrored, y);
  if (odd) arb_union(y, y, mirrored, bits);
}

using Evaluate = void (*)(arb_ptr, arb_srcptr, arb_srcptr, slong);
constexpr Evaluate kEvaluate[] = {
    arb_hypgeom_bessel_i,
    arb_hypgeom_bessel_k,
    scaled_bessel_i,
    arb_hypgeom_bessel_k_scaled,
    arb_hypgeom_bessel_j,
    arb_hypgeom_bessel_y,
    polygamma,
    hurwitz_zeta,
    gamma_p,
    gamma_q,
};
static_assert(std::size(kEvaluate) == kSpecialFunctions);

// --- Between balls and enclosures.

void set(arb_ptr ball, const Real<Mp>& x) {
  const slong bits =
      std::max(mpfr_get_prec(x.a.get()), mpfr_get_prec(x.b.get()));
  arb_set_interval_mpfr(ball, x.a.get(), x.b.get(), bits);
}

Mp power_of_two(slong exponent) {
  Mp power = Mp::fresh(2);
  mpfr_set_ui_2exp(power.writable(), 1, exponent, MPFR_RNDN);
  return power;
}
Real<Mp> beyond_all() {
  return {power_of_two(kFar), exact<Mp>(kInfinity), true, true};
}
Real<Mp> below_all() {
  return {exact<Mp>(0.0), power_of_two(-kFar), true, true};
}

// Ends whose exponents MPFR has.
Real<Mp> enclosure(arb_ptr y) {
  if (!arb_is_finite(y)) return Real<Mp>::everything();
  const bool positive = arb_is_positive(y);
  if (positive || arb_is_negative(y)) {
    arf_t end;
    arf_init(end);
    arb_get_abs_lbound_arf(end, y, 30);
    const bool far = arf_cmpabs_2exp_si(end, kFar) > 0;
    arb_get_abs_ubound_arf(end, y, 30);
    const bool near = arf_cmpabs_2exp_si(end, -kFar) < 0;
    arf_clear(end);
    if (far) return positive ? beyond_all() : -beyond_all();
    if (near) return positive ? below_all() : -below_all();
  }
  const mpfr_prec_t bits = working_precision() + 8;
  Mp lo = Mp::fresh(bits), hi = Mp::fresh(bits);
  arb_get_interval_mpfr(lo.writable(), hi.writable(), y);
  return {lo, hi};
}

// I_n and K_n of 2^31 and more are beyond exp(x / 2) and exp(-x / 2).
std::optional<Real<Mp>> far_out(SpecialFunction f, const Mp& n, const Mp& x) {
  const bool grows = f == SpecialFunction::bessel_i;
  if (!grows && f != SpecialFunction::bessel_k) return std::nullopt;
  const Mp bound = power_of_two(31);
  if (mpfr_cmpabs(x.get(), bound.get()) < 0) return std::nullopt;
  if (!grows) return below_all();
  return sign_bit(x) && is_odd(n) ? -beyond_all() : beyond_all();
}

Real<Mp> evaluate(SpecialFunction f, const Real<Mp>& n, const Real<Mp>& x) {
  Ball order, at, y;
  set(order, n);
  set(at, x);
  const Evaluate in_balls = kEvaluate[static_cast<std::size_t>(f)];
  const slong wanted = working_precision();
  // J of 2^1023 needs all digits of it, and 1 - P where P is tiny.
  const slong most = 2 * wanted + 2048;
  const bool is_number = n.is_point() && x.is_point();
  for (slong bits = wanted + 32;; bits *= 2) {
    in_balls(y, order, at, bits);
    if (!is_number || arb_rel_accuracy_bits(y) >= wanted || bits >= most) break;
  }
  return enclosure(y);
}

// --- What no precision can tell: on which side of a number the value lies
// that it comes nearer to than any format resolves.

struct Side {
  Mp number;
  bool above;
};

std::optional<Side> side(SpecialFunction f, const Mp& n, const Mp& x) {
  const bool first = compare(n, exact<Mp>(1.0)) == 0;
  if (!first && !is_zero(n)) return std::nullopt;
  const Mp one = exact<Mp>(1.0);
  Mp half = Mp::fresh(mpfr_get_prec(x.get()));
  mpfr_div_2ui(half.writable(), x.get(), 1, MPFR_RNDN);
  switch (f) {
    case SpecialFunction::bessel_i:  // 1 + x^2/4 + ..., x/2 (1 + x^2/8 + ...)
      return first ? Side{half, !sign_bit(x)} : Side{one, true};
    case SpecialFunction::bessel_j:  // alternating
    case SpecialFunction::scaled_bessel_i:
      return first ? Side{half, sign_bit(x)} : Side{one, false};
    default:
      return std::nullopt;
  }
}

Real<Mp> beyond(Real<Mp> r, const Mp& number, bool above) {
  if (above && !precedes(number, r.a)) {
    r.a = number;
    r.a_open = true;
  }
  if (!above && !precedes(r.b, number)) {
    r.b = number;
    r.b_open = true;
  }
  return r;
}

}  // namespace

bool has_fractional_orders(SpecialFunction f) {
  return f == SpecialFunction::hurwitz_zeta || f == SpecialFunction::gamma_p ||
         f == SpecialFunction::gamma_q;
}

bool is_undefined(SpecialFunction f, const Mp& n, const Mp& x) {
  switch (f) {
    case SpecialFunction::bessel_i:
    case SpecialFunction::scaled_bessel_i:
    case SpecialFunction::bessel_j:
      return is_negative(n) || !is_integer(n);
    case SpecialFunction::bessel_k:
    case SpecialFunction::scaled_bessel_k:
    case SpecialFunction::bessel_y:
      return is_negative(n) || !is_integer(n) || is_negative(x);
    case SpecialFunction::polygamma:
      if (is_negative(n) || !is_integer(n)) return true;
      if (is_inf(x)) return sign_bit(x);
      return is_negative(x) && is_integer(x) && !is_odd(n);
    case SpecialFunction::hurwitz_zeta:
      if (compare(n, exact<Mp>(1.0)) < 0) return true;
      if (is_inf(x)) return sign_bit(x);
      return is_negative(x) && !is_integer(x) && !is_integer(n);
    case SpecialFunction::gamma_p:
    case SpecialFunction::gamma_q:
      return is_negative(n) || is_negative(x) || (is_zero(n) && is_zero(x)) ||
             (is_inf(n) && is_inf(x));
  }
  return false;
}

bool may_be_undefined(SpecialFunction f, const Mp& n, const Mp& x) {
  const auto positive = [](const Mp& v) {
    return compare(v, exact<Mp>(0.0)) > 0;
  };
  switch (f) {
    case SpecialFunction::bessel_i:
    case SpecialFunction::scaled_bessel_i:
    case SpecialFunction::bessel_j:
      return is_undefined(f, n, x);
    case SpecialFunction::hurwitz_zeta:
      return compare(n, exact<Mp>(1.0)) < 0 || !positive(x);
    case SpecialFunction::gamma_p:
    case SpecialFunction::gamma_q:
      return !positive(n) || !positive(x);
    default:
      return is_undefined(f, n, exact<Mp>(1.0)) || !positive(x);
  }
}

bool is_undefined_up_to(SpecialFunction f, const Mp& n, const Mp& x) {
  switch (f) {
    case SpecialFunction::bessel_i:
    case SpecialFunction::scaled_bessel_i:
    case SpecialFunction::bessel_j:
    case SpecialFunction::polygamma:
      return is_negative(n);
    case SpecialFunction::hurwitz_zeta:
      return compare(n, exact<Mp>(1.0)) < 0;
    default:
      return is_negative(n) || is_negative(x);
  }
}

std::optional<double> known_value(SpecialFunction f, const Mp& n, const Mp& x) {
  const bool zero = is_zero(x);
  const bool infinite = is_inf(x);
  const bool turned = is_odd_order(n) && sign_bit(x);
  switch (f) {
    case SpecialFunction::bessel_i:
      if (infinite) return infinity_of_sign(turned);
      [[fallthrough]];
    case SpecialFunction::bessel_j:
    case SpecialFunction::scaled_bessel_i:
      if (infinite || (zero && !is_zero(n))) return zero_of_sign(turned);
      if (zero) return 1;
      return std::nullopt;
    case SpecialFunction::bessel_k:
    case SpecialFunction::scaled_bessel_k:
      if (infinite) return 0;
      if (zero) return kInfinity;
      return std::nullopt;
    case SpecialFunction::bessel_y:
      if (infinite) return 0;
      if (zero) return -kInfinity;
      return std::nullopt;
    case SpecialFunction::polygamma:
      if (infinite) return is_zero(n) ? kInfinity : zero_of_sign(!is_odd(n));
      if (!is_pole(x)) return std::nullopt;
      return is_odd(n) ? kInfinity : infinity_of_sign(!sign_bit(x));
    case SpecialFunction::hurwitz_zeta: {
      const Mp one = exact<Mp>(1.0);
      if (compare(n, one) == 0 || is_pole(x)) return kInfinity;
      if (infinite) return 0;
      if (!is_inf(n)) return std::nullopt;
      const int c = compare(x, one);
      return c > 0 ? 0 : c == 0 ? 1 : kInfinity;
    }
    case SpecialFunction::gamma_p:
    case SpecialFunction::gamma_q: {
      const bool lower = f == SpecialFunction::gamma_p;
      if (is_zero(n) || infinite) return lower ? 1 : 0;
      if (is_inf(n) || zero) return lower ? 0 : 1;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Real<Mp> apply(SpecialFunction f, const Real<Mp>& n, const Real<Mp>& x) {
  for (const Mp* end : {&n.a, &n.b, &x.a, &x.b}) {
    if (is_inf(*end)) return Real<Mp>::everything();
  }
  // Reflection tells even orders from odd ones.
  if (!n.is_point() && !has_fractional_orders(f)) {
    return Real<Mp>::everything();
  }
  const bool is_number = n.is_point() && x.is_point();
  if (is_number) {
    if (const auto known = far_out(f, n.a, x.a)) return *known;
  }
  Real<Mp> r = evaluate(f, n, x);
  if (f == SpecialFunction::gamma_p || f == SpecialFunction::gamma_q) {
    r = beyond(r, exact<Mp>(0.0), true);
    return beyond(r, exact<Mp>(1.0), false);
  }
  if (!is_number) return r;
  const auto known = side(f, n.a, x.a);
  return known ? beyond(r, known->number, known->above) : r;
}

}  // namespace assay::reference
