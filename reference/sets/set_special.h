// The special functions (special.h) on sets.
#ifndef ASSAY_REFERENCE_SETS_SET_SPECIAL_H_
#define ASSAY_REFERENCE_SETS_SET_SPECIAL_H_

#include "reference/numbers/special.h"
#include "reference/sets/set_ops.h"

namespace assay::reference {

template <class N>
Real<Mp> in_mpfr(const Real<N>& x) {
  if constexpr (std::is_same_v<N, Mp>) {
    return x;
  } else {
    return {exact<Mp>(x.a), exact<Mp>(x.b), x.a_open, x.b_open};
  }
}

template <class N>
Real<N> from_mpfr(const Real<Mp>& x) {
  if constexpr (std::is_same_v<N, Mp>) {
    return x;
  } else {
    const double a = below(x.a), b = above(x.b);
    const auto same = [](const Mp& end, double y) {
      return compare(end, exact<Mp>(y)) == 0;
    };
    return closed_if_point<double>(
        {a, b, x.a_open || !same(x.a, a), x.b_open || !same(x.b, b)});
  }
}

// Between computed operands what is known is an enclosure of all values, of
// which those at the ends are surely members.
template <class N>
Set<N> apply(SpecialFunction f, const Set<N>& n, const Set<N>& x) {
  Set<N> r = from_operands(n, x);
  if (!r.has_values) return r;
  if (n.is_exact_point() && x.is_exact_point()) {
    const Real<Mp> order = in_mpfr(n.lo), at = in_mpfr(x.lo);
    if (is_undefined(f, order.a, at.a)) return without_values(r);
    const auto known = known_value(f, order.a, at.a);
    r.lo = r.hi =
        known ? Real<N>::of(*known) : from_mpfr<N>(apply(f, order, at));
    return r;
  }
  const auto over = [](const Set<N>& s) {
    const Real<Mp> lo = in_mpfr(s.lo), hi = in_mpfr(s.hi);
    return Real<Mp>{lo.a, hi.b};
  };
  const Real<Mp> orders = over(n), arguments = over(x);
  if (is_undefined_up_to(f, orders.b, arguments.b)) return without_values(r);
  const Real<N> all = from_mpfr<N>(apply(f, orders, arguments));
  if (may_be_undefined(f, orders.a, arguments.a)) r.may_nan = true;
  if (n.point && x.point) {
    r.lo = r.hi = all;
    r.may_nan = r.may_nan || is_inf(all.a) || is_inf(all.b);
    r.unsure = r.unsure || is_inf(all.a) || is_inf(all.b);
    return r;
  }
  r.lo = Real<N>::point(all.a);
  r.hi = Real<N>::point(all.b);
  r.may_nan = r.may_nan || is_inf(all.a) || is_inf(all.b);
  r.settle();
  return r;
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SETS_SET_SPECIAL_H_
