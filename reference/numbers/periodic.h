// sin, cos and tan where the argument is not one number: which quadrants it
// reaches through, and enclosures of the function there.
#ifndef ASSAY_REFERENCE_NUMBERS_PERIODIC_H_
#define ASSAY_REFERENCE_NUMBERS_PERIODIC_H_

#include <algorithm>

#include "reference/numbers/real.h"

namespace assay::reference {

// floor(x / (pi / 2)) of a finite number, exactly.
Mp quadrant(const Mp& x);
Mp quadrant(double x);

// Do the numbers from lo to hi reach a boundary of quadrants, counted from 0,
// whose number is `place` modulo 4? There sin has its maximum (1) and minimum
// (3), cos (0 and 2), and tan its poles (1 and 3).
Known reaches_boundary(const Mp& lo, const Mp& hi, unsigned place);

template <class N>
Known reaches_boundary(const Real<N>& lo, const Real<N>& hi, unsigned place) {
  const Known wide = reaches_boundary(quadrant(lo.a), quadrant(hi.b), place);
  const Known narrow = reaches_boundary(quadrant(lo.b), quadrant(hi.a), place);
  return wide == narrow ? wide : Known::maybe;
}

// f on an enclosure of one number. sin and cos are enclosed by their slope,
// which is at most 1: the enclosure narrows with that of the argument.
template <class N>
Real<N> apply_periodic(Elementary f, const Real<N>& x) {
  if (x.is_point()) return Real<N>::from(apply(f, x.a));
  const bool bounded = f != Elementary::tan;
  const Real<N> one = Real<N>::of(1.0);
  if (is_inf(x.a) || is_inf(x.b)) {
    return bounded ? Real<N>{exact<N>(-1.0), exact<N>(1.0)}
                   : Real<N>::everything();
  }
  const Outward<N> low = apply(f, x.a);
  if (!bounded) {
    const Mp q = quadrant(x.a), p = quadrant(x.b);
    const bool pole = reaches_boundary(q, p, 1) == Known::yes ||
                      reaches_boundary(q, p, 3) == Known::yes;
    return pole ? Real<N>::everything() : Real<N>{low.down, apply(f, x.b).up};
  }
  const N width = sum(x.b, negated(x.a)).up;
  const Real<N> r = {sum(low.down, negated(width)).down, sum(low.up, width).up};
  return greatest(least(r, one), -one);
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_PERIODIC_H_
