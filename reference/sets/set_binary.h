// Functions of two numbers (binary.h) on sets. NaN is not always handed on:
// pow(1, NaN) and pow(NaN, 0) are 1, hypot(inf, NaN) is inf.
#ifndef ASSAY_REFERENCE_SETS_SET_BINARY_H_
#define ASSAY_REFERENCE_SETS_SET_BINARY_H_

#include "reference/numbers/binary.h"
#include "reference/sets/set_ops.h"

namespace assay::reference {

// Encloses f over the corners of x and y, for an f whose extremes over every
// box of defined operands are there.
template <class N>
Real<N> at_corners(Binary f, const Real<N>& x, const Real<N>& y) {
  std::optional<Real<N>> hull;
  for (const N* p : {&x.a, &x.b}) {
    for (const N* q : {&y.a, &y.b}) {
      const Real<N> corner = Real<N>::from(apply(f, *p, *q));
      hull = hull ? enclosing(*hull, corner) : corner;
      if (y.is_point()) break;
    }
    if (x.is_point()) break;
  }
  return *hull;
}

template <class N>
Set<N> at_corners(Binary f, const Set<N>& x, const Set<N>& y) {
  Set<N> r;
  const auto never = [](const N&, const N&) { return false; };
  const auto nothing = [](const N&, const N&) {
    return std::optional<Real<N>>();
  };
  const auto op = [f](const Real<N>& p, const Real<N>& q) {
    return at_corners(f, p, q);
  };
  over_corners<N>(x, y, op, never, nothing, &r);
  return r;
}

// What is known of the signs in a set, zeros' too.
template <class N>
Known may_be_negative(const Set<N>& x) {
  return sign_bit(x.lo.b)   ? Known::yes
         : sign_bit(x.lo.a) ? Known::maybe
                            : Known::no;
}
template <class N>
Known may_be_positive(const Set<N>& x) {
  return may_be_negative(negate(x));
}

template <class N>
Set<N> from_zero_to(const Real<N>& end) {
  return Set<N>::range(Real<N>::of(0.0), end);
}

// A choice that more precision may settle; until then anything between.
template <class N>
Set<N> undecided_between(const Real<N>& lo, const Real<N>& hi) {
  Set<N> r = Set<N>::range(lo, hi);
  r.unsure = true;
  return r;
}

// --- pow. Of |x| it is exp(y ln |x|), bilinear in y and ln |x|, so its
// extremes over a box are at corners.

// y is one integer or infinity.
template <class N>
Set<N> power_of_integer(const Set<N>& x, const Set<N>& y) {
  const N& n = y.lo.a;
  if (is_inf(n) || !is_odd(n)) {
    return at_corners(Binary::pow, absolute(x), y);
  }
  const Known negative = may_be_negative(x);
  const Known positive = may_be_positive(x);
  if (negative == Known::no) return at_corners(Binary::pow, x, y);
  if (positive == Known::no) {
    return negate(at_corners(Binary::pow, negate(x), y));
  }
  if (negative == Known::maybe || positive == Known::maybe) {
    return undecided_between(Real<N>::of(-kInfinity), Real<N>::of(kInfinity));
  }
  if (sign_bit(n)) {
    return Set<N>::range(Real<N>::of(-kInfinity), Real<N>::of(kInfinity));
  }
  return Set<N>::range(-at_corners(Binary::pow, -x.lo, y.lo),
                       at_corners(Binary::pow, x.hi, y.lo));
}

// y is one number between integers: NaN for negative x, except that -0 and
// -infinity count as +0 and infinity.
template <class N>
Set<N> power_of_fraction(const Set<N>& x, const Set<N>& y) {
  const Real<N> zero = Real<N>::of(0.0);
  const Known negative = less(x.lo, zero);
  const Known all_negative = less(x.hi, zero);
  std::optional<Set<N>> values;
  if (all_negative != Known::yes) {
    Set<N> base = Set<N>::range(greatest(x.lo, zero), greatest(x.hi, zero));
    base.point = x.point;
    values = at_corners(Binary::pow, base, y);
  }
  const Known infinite = contains_negative_infinity(x);
  if (infinite != Known::no) {
    const Set<N> end = at_corners(Binary::pow, Set<N>::of(kInfinity), y);
    values = values ? unite(*values, end) : end;
  }
  Set<N> r = values ? *values : without_values(Set<N>());
  r.unsure =
      r.unsure || infinite == Known::maybe || all_negative == Known::maybe;
  if (!(x.point && infinite == Known::yes)) r.nan_if(negative);
  return r;
}

template <class N>
Set<N> power_values(const Set<N>& x, const Set<N>& y) {
  if (y.is_exact_point()) {
    const N& n = y.lo.a;
    return is_inf(n) || is_integer(n) ? power_of_integer(x, y)
                                      : power_of_fraction(x, y);
  }
  if (may_be_negative(x) == Known::no) return at_corners(Binary::pow, x, y);
  // Odd and even powers and fractions between them.
  const Set<N> size = at_corners(Binary::pow, absolute(x), y);
  Set<N> r = Set<N>::range(-size.hi, size.hi);
  r.may_nan = true;
  r.unsure = y.point;
  return r;
}

template <class N>
Set<N> power(const Set<N>& x, const Set<N>& y) {
  const Set<N> one = Set<N>::of(1.0);
  const Known zero_power = contains_zero(y);
  const Known base_one =
      x.has_values ? both(less_equal(x.lo, one.lo), less_equal(one.lo, x.hi))
                   : Known::no;
  const bool only_zero_power =
      !y.may_nan && y.is_exact_point() && is_zero(y.lo.a) && y.has_values;
  const bool only_one = !x.may_nan && x.is_exact_point() && x.has_values &&
                        compare(x.lo.a, one.lo.a) == 0;
  Set<N> r = without_values(Set<N>());
  r.may_nan = false;
  if (x.has_values && y.has_values) r = power_values(x, y);
  const auto may_also_be_one = [&](Known k) {
    if (k == Known::no) return;
    r = r.has_values ? unite(r, one) : one;
    r.unsure_if_maybe(k);
  };
  const bool nan =
      r.may_nan || (x.may_nan && !only_zero_power) || (y.may_nan && !only_one);
  if (x.may_nan) may_also_be_one(zero_power);
  if (y.may_nan) may_also_be_one(base_one);
  r.unspecified = x.unspecified || y.unspecified;
  r.unsure = r.unsure || x.unsure || y.unsure;
  r.may_nan = nan;
  return r;
}

// --- hypot rises with |x| and |y|.
template <class N>
Set<N> hypotenuse(const Set<N>& x, const Set<N>& y) {
  Set<N> r = without_values(Set<N>());
  r.may_nan = false;
  if (x.has_values && y.has_values) {
    r = at_corners(Binary::hypot, absolute(x), absolute(y));
  }
  const auto beside_nan = [&r](const Set<N>& nan, const Set<N>& other) {
    if (!nan.may_nan) return false;
    const Known infinite = contains_infinity(other);
    if (infinite != Known::no) {
      const Set<N> end = Set<N>::of(kInfinity);
      r = r.has_values ? unite(r, end) : end;
      r.unsure_if_maybe(infinite);
    }
    const bool only_infinite = other.has_values && other.point &&
                               other.lo.is_infinite_point() && !other.may_nan;
    return !only_infinite;
  };
  const bool first = beside_nan(x, y);
  const bool second = beside_nan(y, x);
  r.unspecified = x.unspecified || y.unspecified;
  r.unsure = r.unsure || x.unsure || y.unsure;
  r.may_nan = first || second;
  return r;
}

// --- atan2 is an angle: where the box does not reach across the cut (the
// negative x axis), no corner is passed by what lies between.
template <class N>
Set<N> angle(const Set<N>& y, const Set<N>& x) {
  Set<N> r = from_operands(y, x);
  if (!r.has_values) return r;
  const Known across =
      both(both(may_be_negative(y), may_be_positive(y)), may_be_negative(x));
  Set<N> values;
  if (across == Known::no) {
    values = at_corners(Binary::atan2, y, x);
  } else {
    const Real<N> pi = Real<N>::from(enclose_pi<N>());
    values = Set<N>::range(-pi, pi);
    values.unsure_if_maybe(across);
  }
  values.take_flags(r);
  return values;
}

// --- fmod and remainder. Where the quotient's integer part q is one number,
// both are x - q * y, linear in x and y.

// All that a remainder of any quotient may be.
template <class N>
Set<N> any_remainder(Binary f, const Set<N>& x, const Set<N>& y) {
  const auto sided = [](const Set<N>& sign, const Real<N>& size) {
    const bool negative = may_be_negative(sign) != Known::no;
    const bool positive = may_be_positive(sign) != Known::no;
    return Set<N>::range(negative ? -size : Real<N>::of(0.0),
                         positive ? size : Real<N>::of(-0.0));
  };
  const Real<N> divisor = absolute(y).hi;
  Set<N> r = f == Binary::fmod ? sided(x, least(absolute(x).hi, divisor))
                               : sided(y, divisor);
  if (f == Binary::remainder) {
    r.lo = least(r.lo, Real<N>::of(-0.0));
    r.hi = greatest(r.hi, Real<N>::of(0.0));
  }
  return r;
}

template <class N>
Set<N> remainder_values(Binary f, const Set<N>& x, const Set<N>& y) {
  if (y.is_exact_point() && is_inf(y.lo.a)) {
    if (f == Binary::fmod) return x;
    const Known opposite = sign_bit(y.lo.a) ? less(Real<N>::of(0.0), x.hi)
                                            : less(x.lo, Real<N>::of(0.0));
    if (opposite == Known::no) return x;
    const Known alike = sign_bit(y.lo.a) ? less_equal(x.lo, Real<N>::of(0.0))
                                         : less_equal(Real<N>::of(0.0), x.hi);
    if (opposite == Known::yes && alike == Known::no) return y;
    Set<N> r = unite(x, y);
    r.unsure = opposite == Known::maybe || alike == Known::maybe;
    return r;
  }
  if (contains_zero(y) != Known::no || contains_infinity(x) != Known::no) {
    return any_remainder(f, x, y);
  }
  const Set<N> q = step_function(
      f == Binary::fmod ? trunc_steps<N>() : floor_steps<N>(), divide(x, y));
  const bool known = q.lo.is_point() && q.hi.is_point() && !q.unsure;
  if (known && compare(q.lo.a, q.hi.a) == 0 && !is_inf(q.lo.a)) {
    if (is_zero(q.lo.a)) {
      const bool zero_sign =
          f == Binary::remainder && contains_zero(x) != Known::no;
      return zero_sign ? unite(unite(x, Set<N>::of(0.0)), Set<N>::of(-0.0)) : x;
    }
    return subtract(x, multiply(Set<N>::of(q.lo), y));
  }
  Set<N> r = any_remainder(f, x, y);
  r.unsure = !known;
  return r;
}

template <class N>
Set<N> remainder_of(Binary f, const Set<N>& x, const Set<N>& y) {
  Set<N> r = from_operands(x, y);
  if (!r.has_values) return r;
  const bool only_infinite = x.point && x.lo.is_infinite_point();
  const bool only_zero = y.is_exact_point() && is_zero(y.lo.a);
  if (only_infinite || only_zero) return without_values(r);
  r.nan_if(either(contains_infinity(x), contains_zero(y)));
  Set<N> values = remainder_values(f, x, y);
  values.may_nan = false;
  values.take_flags(r);
  return values;
}

template <class N>
Set<N> apply(Binary f, const Set<N>& x, const Set<N>& y) {
  if (x.has_values && y.has_values && x.is_exact_point() &&
      y.is_exact_point() && !x.may_nan && !y.may_nan) {
    Set<N> r = from_operands(x, y);
    if (is_undefined(f, x.lo.a, y.lo.a)) return without_values(r);
    r.lo = r.hi = Real<N>::from(apply(f, x.lo.a, y.lo.a));
    return r;
  }
  switch (f) {
    case Binary::pow:
      return power(x, y);
    case Binary::atan2:
      return angle(x, y);
    case Binary::hypot:
      return hypotenuse(x, y);
    case Binary::fmod:
    case Binary::remainder:
      return remainder_of(f, x, y);
  }
  return Set<N>::anything();
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SETS_SET_BINARY_H_
