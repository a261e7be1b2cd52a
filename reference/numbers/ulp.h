// Units in the last place and tolerance intervals (docs/accuracy.md).
//
// ulp(r) = 2^(clamp(floor(log2 |r|), emin, emax) - p + 1): at a power of two
// the upper binade's. A number that is exactly zero grants no units: relative
// to it every other result is infinitely wrong.
#ifndef ASSAY_REFERENCE_NUMBERS_ULP_H_
#define ASSAY_REFERENCE_NUMBERS_ULP_H_

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/dtype.h"
#include "reference/numbers/real.h"

namespace assay::reference {

// How far from the exact value a result may lie, measured in a format.
struct Tolerance {
  DType measured = DType::f32;
  double ulp = 0;
  std::optional<double> subnormal_ulp;  // in place of ulp, below 2^emin
  double absolute = 0;                  // at least this much
  // A relative error does not change a sign: the interval stops at zero.
  bool keeps_sign = false;
  // No result lies outside of these, but for exact values that do.
  std::optional<std::pair<double, double>> range;
  // Partial results may overflow although the exact value does not.
  bool positive_overflow = false;
  bool negative_overflow = false;
  bool nan = false;
  // More precision makes it narrower by more than may be granted beside it.
  bool unsure = false;
  // For the quality of sums alone (harness/judge/quality.h). `tree` is the
  // distance that a tree of the declared height grants, 0 where none is
  // declared. `spread` is u times the sum of the terms' magnitudes times the
  // root of the height: the scale of the error if rounding errors are random.
  double tree = 0;
  double spread = 0;
};

// 2^e, enclosed: beyond double's range the fast engine cannot hold it.
template <class N>
Real<N> power_of_two(int e) {
  if (e <= 1023) return Real<N>::of(std::ldexp(1.0, e));
  return Real<N>::of(0x1p1023) * Real<N>::of(std::ldexp(1.0, e - 1023));
}

inline double ulp_at(const FloatFormat& f, int exponent) {
  return std::ldexp(1.0,
                    std::clamp(exponent, f.emin, f.emax) - f.precision + 1);
}

template <class N>
double ulp_of_number(const FloatFormat& f, const N& magnitude) {
  if (is_zero(magnitude)) return ulp_at(f, f.emin);
  if (is_inf(magnitude)) return ulp_at(f, f.emax);
  return ulp_at(f, exponent(magnitude));
}

template <class N>
Real<N> ulp_of(const FloatFormat& f, const Real<N>& r) {
  const Real<N> m = magnitude(r);
  return {exact<N>(ulp_of_number(f, m.a)),
          exact<N>(ulp_of_number(f, inner_high(m)))};
}

// The tolerance at one exact value r.
template <class N>
Real<N> tolerance_at(const Tolerance& t, const Real<N>& r) {
  const FloatFormat f = float_format(t.measured);
  Real<N> units = Real<N>::of(t.ulp);
  if (t.subnormal_ulp) {
    const Real<N> normal = Real<N>::of(std::ldexp(1.0, f.emin));
    const Real<N> tiny = Real<N>::of(*t.subnormal_ulp);
    const Known subnormal = less(magnitude(r), normal);
    if (subnormal == Known::yes) units = tiny;
    if (subnormal == Known::maybe) units = enclosing(units, tiny);
  }
  Real<N> result = Real<N>::of(t.absolute);
  const bool exact_zero = r.is_point() && is_zero(r.a);
  if (!exact_zero && (t.ulp > 0 || t.subnormal_ulp)) {
    result = greatest(result, units * ulp_of(f, r));
  }
  return result;
}

// That of -x where x has this one.
inline Tolerance mirrored(Tolerance t) {
  if (t.range) t.range = std::make_pair(-t.range->second, -t.range->first);
  return t;
}

// The least value within tolerance of any member of [lo, hi].
template <class N>
Real<N> lowest_within(const Tolerance& t, const Real<N>& lo,
                      const Real<N>& hi) {
  if (lo.is_infinite_point()) return lo;
  Real<N> lowest = lo - tolerance_at(t, lo);
  const FloatFormat f = float_format(t.measured);
  const auto consider = [&](Known member, const Real<N>& candidate) {
    if (member == Known::yes) lowest = least(lowest, candidate);
    if (member == Known::maybe) lowest.a = lesser(lowest.a, candidate.a);
  };
  if (t.subnormal_ulp && *t.subnormal_ulp > t.ulp) {
    // The larger budget begins just inside the subnormal range, so only a set
    // that goes on beyond the edge has it.
    const Real<N> edge = Real<N>::of(-std::ldexp(1.0, f.emin));
    const double quantum = ulp_at(f, f.emin);
    consider(
        both(less_equal(lo, edge), less(edge, hi)),
        edge - greatest(Real<N>::of(*t.subnormal_ulp) * Real<N>::of(quantum),
                        Real<N>::of(t.absolute)));
  }
  if (!sign_bit(lo.a) && !is_inf(lo.b)) {
    // Above lo, the budget grows where the next binade begins; at the first
    // normal number only if subnormal ones have a smaller one.
    const bool grows_at_emin = t.subnormal_ulp && *t.subnormal_ulp < t.ulp;
    const int base = grows_at_emin ? f.emin - 1 : f.emin;
    const int at = is_zero(lo.a) ? base : exponent(lo.a);
    const int next = std::max(at, base) + 1;
    if (next <= f.emax) {
      const Real<N> p = power_of_two<N>(next);
      consider(both(less_equal(lo, p), less_equal(p, hi)),
               p - tolerance_at(t, p));
    }
  }
  if (t.keeps_sign && !sign_bit(lo.a)) {
    lowest = greatest(lowest, Real<N>::of(0.0));
  }
  if (t.range) {
    const Real<N> end = Real<N>::of(t.range->first);
    lowest = greatest(lowest, least(end, lo));
  }
  return lowest;
}

template <class N>
Real<N> highest_within(const Tolerance& t, const Real<N>& lo,
                       const Real<N>& hi) {
  if (!t.range) return -lowest_within(t, -hi, -lo);
  return -lowest_within(mirrored(t), -hi, -lo);
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_ULP_H_
