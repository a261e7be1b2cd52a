// Arithmetic and functions on sets: every value that the operation takes on
// members of its operands, with IEEE 754's infinities, NaN and zero signs.
#ifndef ASSAY_REFERENCE_SETS_SET_OPS_H_
#define ASSAY_REFERENCE_SETS_SET_OPS_H_

#include <optional>

#include "reference/numbers/gamma.h"
#include "reference/numbers/periodic.h"
#include "reference/sets/pieces.h"

namespace assay::reference {

// A result that inherits the operands' flags; values follow.
template <class N>
Set<N> from_operands(const Set<N>& x, const Set<N>& y) {
  Set<N> r;
  r.take_flags(x);
  r.take_flags(y);
  r.has_values = x.has_values && y.has_values;
  if (!r.has_values) {
    r.lo = r.hi = Real<N>::of(0.0);
    r.may_nan = true;
  }
  return r;
}

template <class N>
Set<N> without_values(Set<N> r) {
  r.lo = r.hi = Real<N>::of(0.0);
  r.point = true;
  r.has_values = false;
  r.may_nan = true;
  return r;
}

template <class N>
Set<N> negate(const Set<N>& x) {
  Set<N> r = x;
  r.lo = -x.hi;
  r.hi = x.point ? r.lo : -x.lo;
  return r;
}

template <class N>
Set<N> add(const Set<N>& x, const Set<N>& y) {
  Set<N> r = from_operands(x, y);
  if (!r.has_values) return r;
  r.nan_if(either(
      both(contains_positive_infinity(x), contains_negative_infinity(y)),
      both(contains_negative_infinity(x), contains_positive_infinity(y))));
  const auto clash = [](const Real<N>& p, const Real<N>& q) {
    return p.is_infinite_point() && q.is_infinite_point() &&
           opposite_infinities(p.a, q.a);
  };
  const auto finite_or = [](const Set<N>& s, bool negative) {
    // Does s hold anything but the infinity of that sign?
    const Real<N>& end = negative ? s.hi : s.lo;
    return !(end.is_infinite_point() && sign_bit(end.a) == negative);
  };
  r.point = x.point && y.point;
  if (clash(x.lo, y.lo)) {
    // The operand at +inf is nothing else, so all sums with it are +inf.
    const Set<N>& other = sign_bit(x.lo.a) ? x : y;
    if (!finite_or(other, true)) return without_values(r);
    r.lo = Real<N>::of(kInfinity);
  } else {
    r.lo = x.lo + y.lo;
  }
  if (r.point) {
    r.hi = r.lo;
    return r;
  }
  if (clash(x.hi, y.hi)) {
    const Set<N>& other = sign_bit(x.hi.a) ? y : x;
    if (!finite_or(other, false)) return without_values(r);
    r.hi = Real<N>::of(-kInfinity);
  } else {
    r.hi = x.hi + y.hi;
  }
  r.settle();
  return r;
}

template <class N>
Set<N> subtract(const Set<N>& x, const Set<N>& y) {
  return add(x, negate(y));
}

template <class N>
Real<N> zero_of_signs(const N& x, const N& y) {
  return Real<N>::of(sign_bit(x) == sign_bit(y) ? 0.0 : -0.0);
}

// The hull of op(p, q) over the ends of both operands. For a pair without a
// value, `instead` gives what the operation has next to it, or nothing. False
// where nothing is left.
template <class N, class Operation, class Instead>
bool over_corners(const Set<N>& x, const Set<N>& y, const Operation& op,
                  bool (*undefined)(const N&, const N&), const Instead& instead,
                  Set<N>* r) {
  bool any = false;
  for (const Real<N>* p : {&x.lo, &x.hi}) {
    for (const Real<N>* q : {&y.lo, &y.hi}) {
      std::optional<Real<N>> corner;
      if (p->is_point() && q->is_point() && undefined(p->a, q->a)) {
        corner = instead(p->a, q->a);
      } else {
        corner = op(*p, *q);
      }
      if (corner) {
        r->lo = any ? least(r->lo, *corner) : *corner;
        r->hi = any ? greatest(r->hi, *corner) : *corner;
        any = true;
      }
      if (y.point) break;
    }
    if (x.point) break;
  }
  r->point = x.point && y.point;
  if (any && !r->point) r->settle();
  return any;
}

template <class N>
Set<N> multiply(const Set<N>& x, const Set<N>& y) {
  Set<N> r = from_operands(x, y);
  if (!r.has_values) return r;
  r.nan_if(either(both(contains_zero(x), contains_infinity(y)),
                  both(contains_infinity(x), contains_zero(y))));
  const auto op = [](const Real<N>& p, const Real<N>& q) { return p * q; };
  // Next to an infinity that is not alone lie finite numbers; times zero they
  // are zeros of that sign.
  const auto instead = [&](const N& p, const N& q) {
    std::optional<Real<N>> zero;
    if (!(is_inf(p) ? x : y).point) zero = zero_of_signs(p, q);
    return zero;
  };
  if (!over_corners(x, y, op, undefined_product<N>, instead, &r)) {
    return without_values(r);
  }
  return r;
}

// x / y where y does not reach across zero (it may end at a zero).
template <class N>
Set<N> divide_one_sided(const Set<N>& x, const Set<N>& y) {
  Set<N> r;
  const auto op = [](const Real<N>& p, const Real<N>& q) { return p / q; };
  // Finite numbers next to an infinity, over an infinity, are zeros.
  const auto instead = [&](const N& p, const N& q) {
    std::optional<Real<N>> zero;
    if (is_inf(p) && !x.point) zero = zero_of_signs(p, q);
    return zero;
  };
  if (!over_corners(x, y, op, undefined_quotient<N>, instead, &r)) {
    return without_values(r);
  }
  return r;
}

template <class N>
Set<N> divide(const Set<N>& x, const Set<N>& y) {
  Set<N> r = from_operands(x, y);
  if (!r.has_values) return r;
  const Known by_zero = contains_zero(y);
  r.nan_if(either(both(contains_zero(x), by_zero),
                  both(contains_infinity(x), contains_infinity(y))));
  r.unsure_if_maybe(by_zero);
  const auto keep = [&r](Set<N> quotient) {
    const bool nan_only = !quotient.has_values;
    quotient.may_nan = nan_only;
    quotient.take_flags(r);
    return quotient;
  };
  if (by_zero != Known::yes) return keep(divide_one_sided(x, y));
  const bool negatives = sign_bit(y.lo.a);
  const bool positives = !sign_bit(y.hi.b);
  if (!positives || !negatives) return keep(divide_one_sided(x, y));
  const Set<N> below = Set<N>::range(y.lo, Real<N>::of(-0.0));
  const Set<N> above = Set<N>::range(Real<N>::of(0.0), y.hi);
  const Set<N> p = divide_one_sided(x, below);
  const Set<N> q = divide_one_sided(x, above);
  if (!p.has_values && !q.has_values) return without_values(r);
  Set<N> whole = !p.has_values ? q : !q.has_values ? p : unite(p, q);
  whole.may_nan = false;
  whole.take_flags(r);
  return whole;
}

template <class N>
Set<N> absolute(const Set<N>& x) {
  if (!x.has_values || !sign_bit(x.lo.a)) return x;
  if (sign_bit(x.hi.b)) return negate(x);
  Set<N> r = x;
  const Real<N> low = magnitude(x.lo);
  if (x.point) {
    r.lo = r.hi = low;
    return r;
  }
  const Real<N> high = magnitude(x.hi);
  r.hi = greatest(low, high);
  // The least magnitude is 0 where the set surely reaches across it.
  const bool across = !is_zero(x.lo.b) && !sign_bit(x.lo.b)
                          ? false
                          : is_zero(x.hi.a) || !sign_bit(x.hi.a);
  const N zero = exact<N>(0.0);
  r.lo = across ? Real<N>::point(zero) : Real<N>{zero, lesser(low.b, high.b)};
  r.settle();
  return r;
}

// x * x, of one and the same x.
template <class N>
Set<N> square(const Set<N>& x) {
  Set<N> r = absolute(x);
  if (!r.has_values) return r;
  r.lo = r.lo * r.lo;
  r.hi = r.point ? r.lo : r.hi * r.hi;
  return r;
}

// NaN if either is; max(-0, +0) is +0.
template <class N>
Set<N> maximum(const Set<N>& x, const Set<N>& y) {
  Set<N> r = from_operands(x, y);
  if (!r.has_values) return r;
  r.lo = greatest(x.lo, y.lo);
  r.hi = greatest(x.hi, y.hi);
  r.point = x.point && y.point;
  if (!r.point) r.settle();
  return r;
}
template <class N>
Set<N> minimum(const Set<N>& x, const Set<N>& y) {
  return negate(maximum(negate(x), negate(y)));
}

template <class N>
Set<N> apply_periodic(Elementary f, const Set<N>& x) {
  Set<N> r = x;
  const Known infinite = contains_infinity(x);
  if (x.point && x.lo.is_infinite_point()) return without_values(r);
  r.nan_if(infinite);
  if (x.point) {
    r.lo = r.hi = apply_periodic(f, x.lo);
    return r;
  }
  const bool bounded = f != Elementary::tan;
  const Real<N> top = Real<N>::of(bounded ? 1.0 : kInfinity);
  if (infinite != Known::no) {
    r.lo = -top;
    r.hi = top;
    return r;
  }
  const unsigned maximum_at = f == Elementary::cos ? 0 : 1;
  const Known high = reaches_boundary(x.lo, x.hi, maximum_at);
  const Known low = reaches_boundary(x.lo, x.hi, maximum_at + 2);
  r.unsure_if_maybe(high);
  r.unsure_if_maybe(low);
  const Real<N> at_lo = apply_periodic(f, x.lo);
  const Real<N> at_hi = apply_periodic(f, x.hi);
  if (bounded) {
    r.lo = low == Known::yes ? -top : least(at_lo, at_hi);
    r.hi = high == Known::yes ? top : greatest(at_lo, at_hi);
  } else {
    const bool pole = high == Known::yes || low == Known::yes;
    r.lo = pole ? -top : at_lo;
    r.hi = pole ? top : at_hi;
  }
  r.settle();
  return r;
}

// lgamma and tgamma: `outer` covers all that the ends may be, `inner` what is
// surely between them.
template <class N>
Set<N> apply_gamma(Elementary f, const Set<N>& x) {
  Set<N> r = x;
  if (f == Elementary::tgamma) {
    const bool may = gamma_is_nan(x.lo.a, x.hi.b);
    if (may && x.is_exact_point()) return without_values(r);
    const bool must =
        !precedes(x.hi.a, x.lo.b) && !x.point && gamma_is_nan(x.lo.b, x.hi.a);
    r.nan_if(must ? Known::yes : may ? Known::maybe : Known::no);
  }
  const GammaRange<N> outer = gamma_range(f, x.lo.a, x.hi.b);
  if (x.point) {
    r.lo = r.hi = x.lo.is_point() ? outer.least
                                  : Real<N>{outer.least.a, outer.greatest.b};
    return r;
  }
  if (precedes(x.hi.a, x.lo.b)) {
    r.lo = r.hi = {outer.least.a, outer.greatest.b};
    return r;
  }
  const GammaRange<N> inner = gamma_range(f, x.lo.b, x.hi.a);
  r.lo = {outer.least.a, inner.least.b};
  r.hi = {inner.greatest.a, outer.greatest.b};
  r.settle();
  return r;
}

// Requires a set without negative members where f is even.
template <class N>
Set<N> apply_monotonic(Elementary f, const Set<N>& x) {
  Set<N> r = x;
  const Domain d = domain(f);
  if (d.least > -kInfinity || d.greatest < kInfinity) {
    const Real<N> least_x = Real<N>::of(d.least);
    const Real<N> greatest_x = Real<N>::of(d.greatest);
    const Known none = either(less(x.hi, least_x), less(greatest_x, x.lo));
    if (none == Known::yes) return without_values(r);
    r.unsure_if_maybe(none);
    r.nan_if(either(less(x.lo, least_x), less(greatest_x, x.hi)));
    const auto within = [&](const Real<N>& end) {
      return least(greatest(end, least_x), greatest_x);
    };
    r.lo = within(x.lo);
    r.hi = x.point ? r.lo : within(x.hi);
  }
  Real<N> at_lo = apply(f, r.lo);
  if (r.point) {
    r.lo = r.hi = std::move(at_lo);
    return r;
  }
  Real<N> at_hi = apply(f, r.hi);
  r.lo = is_rising(f) ? at_lo : at_hi;
  r.hi = is_rising(f) ? std::move(at_hi) : std::move(at_lo);
  r.settle();
  return r;
}

template <class N>
Set<N> apply(Elementary f, const Set<N>& x) {
  if (!x.has_values) return x;
  if (is_periodic(f)) return apply_periodic(f, x);
  if (is_gamma(f)) return apply_gamma(f, x);
  return is_even(f) ? apply_monotonic(f, absolute(x)) : apply_monotonic(f, x);
}

// 1 / sqrt(x): rsqrt(+0) is +inf, rsqrt(-0) is -inf.
template <class N>
Set<N> reciprocal_root(const Set<N>& x) {
  return divide(Set<N>::of(1.0), apply(Elementary::sqrt, x));
}

// The integers from one to another, if they are few: of a function that has a
// zero of either sign, both where it may have both.
template <class N>
std::vector<Interval<N>> integers_between(const Steps<N>& f, const N& lo,
                                          const N& hi) {
  std::vector<Interval<N>> all;
  if (is_inf(lo) || is_inf(hi)) return all;
  const double first = below(lo);
  const double last = above(hi);
  // Beyond that neither engine has all integers as numbers.
  const bool near = -0x1p50 < first && last < 0x1p50;
  if (!near || last - first >= kMaxPieces) return all;
  for (int i = 0; first + i <= last; ++i) {
    const double n = first + i;
    Interval<N> one{Real<N>::of(n), Real<N>::of(n)};
    if (n == 0) {
      one.lo = Real<N>::point(n == first ? lo : f.at(exact<N>(-0.0)));
      one.hi = Real<N>::point(n == last ? hi : f.at(exact<N>(0.0)));
    }
    all.push_back(std::move(one));
  }
  return all;
}

template <class N>
Set<N> step_function(const Steps<N>& f, const Set<N>& x) {
  if (!x.has_values) return x;
  Set<N> r = x;
  r.lo = stepwise(f, x.lo);
  if (x.point) {
    r.hi = r.lo;
    return r;
  }
  r.hi = stepwise(f, x.hi);
  r.settle();
  if (!r.lo.is_point() || !r.hi.is_point()) return r;
  auto integers = integers_between(f, r.lo.a, r.hi.a);
  if (!integers.empty()) put_intervals(std::move(integers), &r);
  return r;
}

// Next to a zero and between -1 and 0, where the result is a zero, its sign is
// that of the argument.
template <class N>
Steps<N> floor_steps() {
  const auto at = [](const N& x) { return floor_of(x); };
  const auto before = [](const N& x) {
    // An upper bound, so that it holds where integers are not all elements.
    return sum(ceil_of(x), exact<N>(-1.0)).up;
  };
  const auto after = [](const N& x) {
    return is_zero(x) ? exact<N>(0.0) : floor_of(x);
  };
  return {at, before, after};
}
template <class N>
Steps<N> ceil_steps() {
  const auto at = [](const N& x) { return ceil_of(x); };
  const auto before = [](const N& x) {
    return is_zero(x) ? exact<N>(-0.0) : ceil_of(x);
  };
  const auto after = [](const N& x) {
    const N next = sum(floor_of(x), exact<N>(1.0)).down;
    return is_zero(next) ? exact<N>(-0.0) : next;
  };
  return {at, before, after};
}
template <class N>
Steps<N> trunc_steps() {
  const auto at = [](const N& x) { return trunc_of(x); };
  const auto before = [](const N& x) {
    if (is_zero(x)) return exact<N>(-0.0);
    return sign_bit(x) ? trunc_of(x) : floor_steps<N>().before(x);
  };
  const auto after = [](const N& x) {
    if (is_zero(x)) return exact<N>(0.0);
    return sign_bit(x) ? ceil_steps<N>().after(x) : trunc_of(x);
  };
  return {at, before, after};
}
// Half way between two integers?
template <class N>
bool is_tie(const N& x) {
  return !is_inf(x) &&
         compare(sum(x, negated(floor_of(x))).down, exact<N>(0.5)) == 0;
}
template <class N>
Steps<N> round_even_steps() {
  const auto at = [](const N& x) { return even_of(x); };
  const auto before = [](const N& x) {
    if (is_zero(x)) return exact<N>(-0.0);
    return is_tie(x) ? floor_of(x) : even_of(x);
  };
  const auto after = [](const N& x) {
    if (is_zero(x)) return exact<N>(0.0);
    return is_tie(x) ? ceil_of(x) : even_of(x);
  };
  return {at, before, after};
}
// -1, 0 or 1; zeros give +0.
template <class N>
Steps<N> sign_steps() {
  const auto at = [](const N& x) {
    return exact<N>(is_zero(x) ? 0.0 : sign_bit(x) ? -1.0 : 1.0);
  };
  const auto before = [](const N& x) {
    return exact<N>(is_zero(x) || sign_bit(x) ? -1.0 : 1.0);
  };
  const auto after = [](const N& x) {
    return exact<N>(is_zero(x) || !sign_bit(x) ? 1.0 : -1.0);
  };
  return {at, before, after};
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SETS_SET_OPS_H_
