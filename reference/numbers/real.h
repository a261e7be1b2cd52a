// Real<N>: an enclosure [a, b] of one real number, extended by the infinities;
// a point (a and b the same) carries IEEE 754's sign of zero. The order of
// ends puts -0 below +0.
//
// An end is open where the number is known to differ from it: an inexact
// result lies strictly between its outward roundings. That is what decides
// erf(1e38), which no precision can tell from 1: it is less than 1, so its
// ulp is the lower binade's.
//
// Operations here are total: a corner without a value (inf - inf, 0 * inf) is
// replaced by the widest enclosure. The sets built on Real (set_ops.h) look
// for such corners first and account for the NaN.
#ifndef ASSAY_REFERENCE_NUMBERS_REAL_H_
#define ASSAY_REFERENCE_NUMBERS_REAL_H_

#include <cstdint>

#include "reference/numbers/elementary.h"
#include "reference/numbers/number_double.h"
#include "reference/numbers/number_mpfr.h"

namespace assay::reference {

// In the order of ends.
template <class N>
bool precedes(const N& x, const N& y) {
  const int c = compare(x, y);
  if (c != 0) return c < 0;
  return is_zero(x) && sign_bit(x) && !sign_bit(y);
}
template <class N>
const N& lesser(const N& x, const N& y) {
  return precedes(y, x) ? y : x;
}
template <class N>
const N& greater(const N& x, const N& y) {
  return precedes(x, y) ? y : x;
}
template <class N>
bool identical_numbers(const N& x, const N& y) {
  return compare(x, y) == 0 && sign_bit(x) == sign_bit(y);
}

template <class N>
struct Real {
  N a, b;
  bool a_open = false, b_open = false;

  static Real point(const N& x) { return {x, x}; }
  static Real of(double x) { return point(exact<N>(x)); }
  static Real of_integer(std::int64_t n) { return from(enclose_integer<N>(n)); }
  static Real of_unsigned(std::uint64_t n) {
    return from(enclose_unsigned<N>(n));
  }
  static Real from(Outward<N> bounds) {
    const bool inexact = is_inexact(bounds);
    return {std::move(bounds.down), std::move(bounds.up), inexact, inexact};
  }
  static Real everything() {
    return {exact<N>(-kInfinity), exact<N>(kInfinity)};
  }
  static bool is_inexact(const Outward<N>& bounds) {
    return !identical_numbers(bounds.down, bounds.up);
  }

  bool is_point() const { return identical_numbers(a, b); }
  bool is_infinite_point() const { return is_inf(a) && is_point(); }
};

// Three-valued: what enclosures allow us to say.
enum class Known { no, maybe, yes };

inline Known both(Known x, Known y) { return x < y ? x : y; }
inline Known either(Known x, Known y) { return x < y ? y : x; }
inline Known negation(Known x) {
  return x == Known::no ? Known::yes : x == Known::yes ? Known::no : x;
}

// x < y and x <= y as numbers (the zeros are equal).
template <class N>
Known less(const Real<N>& x, const Real<N>& y) {
  const int apart = compare(x.b, y.a);
  if (apart < 0 || (apart == 0 && (x.b_open || y.a_open))) return Known::yes;
  return compare(x.a, y.b) >= 0 ? Known::no : Known::maybe;
}
template <class N>
Known less_equal(const Real<N>& x, const Real<N>& y) {
  return negation(less(y, x));
}

template <class N>
Real<N> operator-(const Real<N>& x) {
  return {negated(x.b), negated(x.a), x.b_open, x.a_open};
}

// The lesser of two numbers. It reaches the lower bound if either can, and
// the upper one only if both can.
template <class N>
Real<N> least(const Real<N>& x, const Real<N>& y) {
  const bool x_low = precedes(x.a, y.a);
  const bool y_low = precedes(y.a, x.a);
  const bool x_high = precedes(x.b, y.b);
  const bool y_high = precedes(y.b, x.b);
  return {y_low ? y.a : x.a, y_high ? y.b : x.b,
          x_low   ? x.a_open
          : y_low ? y.a_open
                  : x.a_open && y.a_open,
          x_high   ? x.b_open
          : y_high ? y.b_open
                   : x.b_open || y.b_open};
}
template <class N>
Real<N> greatest(const Real<N>& x, const Real<N>& y) {
  return -least(-x, -y);
}

// An enclosure of a number that is one of the two.
template <class N>
Real<N> enclosing(const Real<N>& x, const Real<N>& y) {
  const Real<N> low = least(x, y);
  const Real<N> high = greatest(x, y);
  return {low.a, high.b, low.a_open, high.b_open};
}

// A point encloses itself, so its ends are closed. Arises where a number that
// lies strictly within bounds gives infinity.
template <class N>
Real<N> closed_if_point(Real<N> x) {
  if (x.is_point()) x.a_open = x.b_open = false;
  return x;
}

template <class N>
bool opposite_infinities(const N& x, const N& y) {
  return is_inf(x) && is_inf(y) && sign_bit(x) != sign_bit(y);
}

template <class N>
Real<N> operator+(const Real<N>& x, const Real<N>& y) {
  if (opposite_infinities(x.a, y.a) || opposite_infinities(x.b, y.b)) {
    return Real<N>::everything();
  }
  Outward<N> low = sum(x.a, y.a);
  if (x.is_point() && y.is_point()) return Real<N>::from(std::move(low));
  Outward<N> high = sum(x.b, y.b);
  const bool low_open = Real<N>::is_inexact(low) || x.a_open || y.a_open;
  const bool high_open = Real<N>::is_inexact(high) || x.b_open || y.b_open;
  return closed_if_point<N>(
      {std::move(low.down), std::move(high.up), low_open, high_open});
}

template <class N>
Real<N> operator-(const Real<N>& x, const Real<N>& y) {
  return x + (-y);
}

template <class N>
bool undefined_product(const N& x, const N& y) {
  return (is_zero(x) && is_inf(y)) || (is_inf(x) && is_zero(y));
}
template <class N>
bool undefined_quotient(const N& x, const N& y) {
  return (is_zero(x) && is_zero(y)) || (is_inf(x) && is_inf(y));
}

// Encloses op over the corners of x and y, where op has its extremes there.
template <class N>
Real<N> at_corners(Outward<N> (*op)(const N&, const N&),
                   bool (*undefined)(const N&, const N&), bool zero_divides,
                   const Real<N>& x, const Real<N>& y) {
  const bool x_point = x.is_point();
  const bool y_point = y.is_point();
  Real<N> result;
  bool first = true;
  for (const bool x_high : {false, true}) {
    const N& p = x_high ? x.b : x.a;
    const bool p_open = x_high ? x.b_open : x.a_open;
    for (const bool y_high : {false, true}) {
      const N& q = y_high ? y.b : y.a;
      const bool q_open = y_high ? y.b_open : y.a_open;
      if (!undefined(p, q)) {
        Real<N> corner = Real<N>::from(op(p, q));
        // A zero factor makes zero of whatever the other is.
        const bool reached = (!p_open && (!q_open || is_zero(p))) ||
                             (!q_open && is_zero(q) && !zero_divides);
        corner.a_open = corner.a_open || !reached;
        corner.b_open = corner.b_open || !reached;
        result = first ? std::move(corner) : enclosing(result, corner);
        first = false;
      }
      if (y_point) break;
    }
    if (x_point) break;
  }
  return first ? Real<N>::everything() : closed_if_point(std::move(result));
}

template <class N>
Outward<N> multiplied(const N& x, const N& y) {
  return product(x, y);
}
template <class N>
Outward<N> divided(const N& x, const N& y) {
  return quotient(x, y);
}

template <class N>
Real<N> operator*(const Real<N>& x, const Real<N>& y) {
  return at_corners(multiplied<N>, undefined_product<N>, false, x, y);
}

// May the number be zero?
template <class N>
bool touches_zero(const Real<N>& x) {
  const Real<N> zero = Real<N>::of(0.0);
  return less(x, zero) != Known::yes && less(zero, x) != Known::yes;
}

template <class N>
Real<N> operator/(const Real<N>& x, const Real<N>& y) {
  if (!y.is_point() && touches_zero(y)) return Real<N>::everything();
  return at_corners(divided<N>, undefined_quotient<N>, true, x, y);
}

// |x|: +0 where x may be zero.
template <class N>
Real<N> magnitude(const Real<N>& x) {
  if (!sign_bit(x.a)) return x;
  if (sign_bit(x.b)) return -x;
  return {exact<N>(0.0), greater(negated(x.a), x.b)};
}

// f on an enclosure. Requires x within f's domain, and not negative where f is
// even.
template <class N>
Real<N> apply(Elementary f, const Real<N>& x) {
  if (x.is_point()) return Real<N>::from(apply(f, x.a));
  const bool rising = is_rising(f);
  Outward<N> low = apply(f, rising ? x.a : x.b);
  Outward<N> high = apply(f, rising ? x.b : x.a);
  const bool low_open = rising ? x.a_open : x.b_open;
  const bool high_open = rising ? x.b_open : x.a_open;
  return {low.down, high.up, low_open || Real<N>::is_inexact(low),
          high_open || Real<N>::is_inexact(high)};
}

// A rising step function, exact on numbers. `at` gives its value at x,
// `before` just below x and `after` just above it.
template <class N>
struct Steps {
  N (*at)(const N&);
  N (*before)(const N&);
  N (*after)(const N&);
};
template <class N>
Real<N> stepwise(const Steps<N>& f, const Real<N>& x) {
  return {x.a_open && !is_inf(x.a) ? f.after(x.a) : f.at(x.a),
          x.b_open && !is_inf(x.b) ? f.before(x.b) : f.at(x.b)};
}

// A number just beside x: between x and every number of a narrower format
// (or midpoint of two) on that side.
inline double just_above(double x) { return next_up(x); }
inline double just_below(double x) { return next_down(x); }

// The ends, moved inward where they are open.
template <class N>
N inner_low(const Real<N>& x) {
  return x.a_open && !is_inf(x.a) ? just_above(x.a) : x.a;
}
template <class N>
N inner_high(const Real<N>& x) {
  return x.b_open && !is_inf(x.b) ? just_below(x.b) : x.b;
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_REAL_H_
