#include "reference/numbers/gamma.h"

#include <algorithm>
#include <map>
#include <utility>

namespace assay::reference {
namespace {

// Further out the extrema are bounded, not searched for.
constexpr double kFar = -0x1p30;

// The sign of the digamma function: negative before the extremum of a piece.
int digamma_sign(const Mp& x) {
  Mp r = Mp::fresh(64);
  mpfr_digamma(r.writable(), x.get(), MPFR_RNDN);
  return mpfr_sgn(r.get());
}

// The least of ln |gamma| from a to b, an interval around one extremum.
// Halved until the slope makes no difference: from any m inside, convexity
// puts the minimum above f(m) - |f'(m)| (b - a).
Real<Mp> search(double a, double b) {
  const mpfr_prec_t bits = working_precision() + 64;
  Mp low = exact<Mp>(a), high = exact<Mp>(b), middle;
  for (int step = 0; step < bits / 2 + 8; ++step) {
    middle = Mp::fresh(bits);
    mpfr_add(middle.writable(), low.get(), high.get(), MPFR_RNDN);
    mpfr_div_2ui(middle.writable(), middle.get(), 1, MPFR_RNDN);
    (digamma_sign(middle) < 0 ? low : high) = middle;
  }
  Mp slope = Mp::fresh(64);
  mpfr_digamma(slope.writable(), middle.get(), MPFR_RNDA);
  mpfr_abs(slope.writable(), slope.get(), MPFR_RNDN);
  const Mp width = sum(high, negated(low)).up;
  const Outward<Mp> at = apply(Elementary::lgamma, middle);
  const Mp drop = product(slope, width).up;
  return {sum(at.down, negated(drop)).down, at.up};
}

// The least of ln |gamma| between `left` and left + 1: two poles, or 1 and 2.
Real<Mp> least_between(double left) {
  constexpr double kRemembered = -256;
  if (left < kRemembered) return search(left, left + 1);
  thread_local std::map<std::pair<double, int>, Real<Mp>> known;
  const auto [it, is_new] = known.try_emplace({left, working_precision()});
  if (is_new) it->second = search(left, left + 1);
  return it->second;
}

struct Ends {
  const Mp& lo;
  const Mp& hi;
  // Is the extremum between the poles `left` and left + 1 among them? Requires
  // lo below left + 1.
  bool hold_extremum(const Mp& left) const {
    if (compare(left, hi) >= 0) return false;
    const Mp right = sum(left, exact<Mp>(1.0)).down;
    const bool begins = compare(lo, left) <= 0 || digamma_sign(lo) < 0;
    const bool ends = compare(hi, right) >= 0 || digamma_sign(hi) > 0;
    return begins && ends;
  }
};

bool reaches_pole(const Mp& lo, const Mp& hi) {
  const Mp first = ceil_of(lo);
  return compare(first, exact<Mp>(0.0)) <= 0 && compare(first, hi) <= 0;
}

// Requires finite ends.
Real<Mp> least_log(const Mp& lo, const Mp& hi) {
  const Ends ends = {lo, hi};
  const Real<Mp> at_lo = Real<Mp>::from(apply(Elementary::lgamma, lo));
  const Real<Mp> at_hi = Real<Mp>::from(apply(Elementary::lgamma, hi));
  Real<Mp> result = least(at_lo, at_hi);
  const Mp zero = exact<Mp>(0.0);
  const Mp one = exact<Mp>(1.0);
  if (compare(lo, exact<Mp>(kFar)) < 0) {
    // gamma(-t) gamma(1 + t) = -pi / sin(pi t), so ln |gamma(-t)| is above
    // -ln gamma(1 + t), which falls.
    const Mp t = ceil_of(sum(negated(lo), exact<Mp>(2.0)).up);
    const Mp bound = negated(apply(Elementary::lgamma, t).up);
    return {lesser(bound, result.a), result.b};
  }
  const auto consider = [&](const Real<Mp>& x) { result = least(result, x); };
  Mp left = floor_of(lo);
  if (compare(left, zero) < 0) {
    // The first negative piece whose extremum is reached has the lowest one.
    if (!ends.hold_extremum(left)) left = sum(left, one).down;
    if (compare(left, zero) < 0 && ends.hold_extremum(left)) {
      consider(least_between(below(left)));
    }
  }
  const bool begins = compare(lo, zero) <= 0 || digamma_sign(lo) < 0;
  if (begins && compare(hi, zero) > 0 && digamma_sign(hi) > 0) {
    consider(least_between(1));
  }
  return result;
}

GammaRange<Mp> log_range(const Mp& lo, const Mp& hi) {
  const Real<Mp> top = Real<Mp>::of(kInfinity);
  const bool endless = is_inf(lo) || is_inf(hi);
  GammaRange<Mp> r = {top, top};
  if (!endless && !reaches_pole(lo, hi)) {
    r.greatest = greatest(Real<Mp>::from(apply(Elementary::lgamma, lo)),
                          Real<Mp>::from(apply(Elementary::lgamma, hi)));
  }
  if (identical_numbers(lo, hi)) {
    r.least = r.greatest;
  } else if (is_inf(lo)) {
    r.least = -top;
  } else if (is_inf(hi)) {
    // Beyond 2 it only rises.
    r.least = least_log(lo, greater(lo, exact<Mp>(3.0)));
  } else {
    r.least = least_log(lo, hi);
  }
  return r;
}

// |gamma| in one piece. Requires that neither zero nor another pole lies
// between lo and hi.
GammaRange<Mp> one_sided(const Mp& lo, const Mp& hi) {
  const auto at = [](const Mp& x) {
    const Real<Mp> y = Real<Mp>::from(apply(Elementary::tgamma, x));
    return sign_bit(y.a) ? -y : y;
  };
  const Real<Mp> at_lo = at(lo);
  const Real<Mp> at_hi = at(hi);
  GammaRange<Mp> r = {least(at_lo, at_hi), greatest(at_lo, at_hi)};
  if (identical_numbers(lo, hi)) return r;
  const Real<Mp> log = log_range(lo, hi).least;
  const Real<Mp> lowest = {apply(Elementary::exp, log.a).down,
                           apply(Elementary::exp, log.b).up};
  // The logarithm's least is an end's or an extremum's; at an end the value
  // itself is known better.
  if (compare(lowest.b, r.least.a) < 0) {
    r.least = lowest;
  } else {
    r.least.a = lesser(lowest.a, r.least.a);
  }
  return r;
}

GammaRange<double> in_doubles(const GammaRange<Mp>& r) {
  const auto convert = [](const Real<Mp>& x) {
    const double a = below(x.a);
    const double b = above(x.b);
    return Real<double>{a, b};
  };
  return {convert(r.least), convert(r.greatest)};
}

}  // namespace

GammaRange<Mp> gamma_range(Elementary f, const Mp& lo, const Mp& hi) {
  if (f == Elementary::lgamma) return log_range(lo, hi);
  const bool across = sign_bit(lo) && !sign_bit(hi);
  if (across || gamma_is_nan(lo, hi)) {
    return {Real<Mp>::of(-kInfinity), Real<Mp>::of(kInfinity)};
  }
  const GammaRange<Mp> r = one_sided(lo, hi);
  // Negative from -1 to 0, and in every second piece below.
  const bool negative =
      sign_bit(lo) && (is_zero(lo) || (low_64_bits(floor_of(lo)) & 1) != 0);
  return negative ? GammaRange<Mp>{-r.greatest, -r.least} : r;
}

GammaRange<double> gamma_range(Elementary f, double lo, double hi) {
  if (identical_numbers(lo, hi) &&
      !(f == Elementary::tgamma && gamma_is_nan(lo, hi))) {
    const auto value = Real<double>::from(apply(f, lo));
    return {value, value};
  }
  return in_doubles(gamma_range(f, exact<Mp>(lo), exact<Mp>(hi)));
}

}  // namespace assay::reference
