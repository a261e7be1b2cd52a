// Set<N>: the values that an element may take. All numbers from `lo` to `hi`
// (in the order of ends, -0 below +0; infinities are members like others), or
// those of several intervals between them, and NaN where flagged. The end
// points are real numbers of which each is known to lie in an enclosure; an
// operation on sets is exact interval arithmetic on those end points, so more
// precision narrows the enclosures and changes nothing else.
//
// Operations (set_ops.h, set_binary.h, set_logic.h, round.h) take sets of one
// interval; over_pieces() in pieces.h applies them to any.
#ifndef ASSAY_REFERENCE_SETS_SET_H_
#define ASSAY_REFERENCE_SETS_SET_H_

#include <cmath>
#include <memory>
#include <vector>

#include "core/integer_bits.h"
#include "reference/numbers/real.h"

namespace assay::reference {

template <class N>
struct Interval {
  Real<N> lo, hi;
};

template <class N>
struct Set {
  Real<N> lo, hi;
  // Two intervals or more, rising and surely apart, from lo to hi; null where
  // all from lo to hi are members.
  std::shared_ptr<const std::vector<Interval<N>>> pieces;
  bool point = true;       // lo and hi are one real number, enclosed once
  bool has_values = true;  // false: NaN is all there is
  bool may_nan = false;
  bool unspecified = false;  // an undefined clause: anything at all
  // A discrete choice (sign, order, domain) could not be made at this
  // precision; whatever depends on it is undecided.
  bool unsure = false;

  static Set of(Real<N> x) {
    Set s;
    s.lo = x;
    s.hi = std::move(x);
    return s;
  }
  static Set of(double x) {
    if (std::isnan(x)) return only_nan();
    return of(Real<N>::of(x));
  }
  static Set of_integer(std::int64_t n) { return of(Real<N>::of_integer(n)); }
  // The value of an integer element or bool.
  static Set of_element(DType t, std::uint64_t bits) {
    return is_signed(t) ? of_integer(integer_of_bits(t, bits))
                        : of(Real<N>::of_unsigned(bits));
  }
  static Set range(Real<N> low, Real<N> high) {
    Set s;
    s.lo = std::move(low);
    s.hi = std::move(high);
    s.settle();
    return s;
  }
  static Set only_nan() {
    Set s = of(Real<N>::of(0.0));
    s.has_values = false;
    s.may_nan = true;
    return s;
  }
  static Set anything() {
    Set s = range(Real<N>::of(-kInfinity), Real<N>::of(kInfinity));
    s.may_nan = true;
    s.unspecified = true;
    return s;
  }

  bool is_exact_point() const { return point && lo.is_point(); }

  // Recognises a point by its ends.
  void settle() {
    point = lo.is_point() && hi.is_point() && identical_numbers(lo.a, hi.a);
  }
  // A NaN arises if `k` holds.
  void nan_if(Known k) {
    if (k == Known::yes) may_nan = true;
    if (k == Known::maybe) unsure = true;
  }
  void unsure_if_maybe(Known k) {
    if (k == Known::maybe) unsure = true;
  }
  void take_flags(const Set& other) {
    may_nan = may_nan || other.may_nan;
    unspecified = unspecified || other.unspecified;
    unsure = unsure || other.unsure;
  }
};

template <class N>
Known contains_zero(const Set<N>& x) {
  if (!x.has_values) return Known::no;
  const Real<N> zero = Real<N>::of(0.0);
  return both(less_equal(x.lo, zero), less_equal(zero, x.hi));
}

template <class N>
Known contains_positive_infinity(const Set<N>& x) {
  if (!x.has_values || !is_inf(x.hi.b) || sign_bit(x.hi.b)) return Known::no;
  return x.hi.is_point() ? Known::yes : Known::maybe;
}
template <class N>
Known contains_negative_infinity(const Set<N>& x) {
  if (!x.has_values || !is_inf(x.lo.a) || !sign_bit(x.lo.a)) return Known::no;
  return x.lo.is_point() ? Known::yes : Known::maybe;
}
template <class N>
Known contains_infinity(const Set<N>& x) {
  return either(contains_positive_infinity(x), contains_negative_infinity(x));
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SETS_SET_H_
