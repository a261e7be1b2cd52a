#include "reference/elements/accuracy.h"

#include "reference/golden/element_ranges.h"

namespace assay::reference {
namespace {

using Bits = std::uint64_t;

Bits lower_bits(DType t, Bits x, Bits y) {
  return ordinal(t, y) < ordinal(t, x) ? y : x;
}
Bits negated_bits(DType t, Bits x) { return x ^ sign_bit_mask(t); }

// The least admissible element where the least exact value is `lo`, which
// rounds to `rounded`, and the least value within tolerance is `within`.
// Infinity stands at 2^(emax+1): it is admissible where that is within
// tolerance, and beyond it the last finite numbers are, as far as tolerance
// reaches.
template <class N>
Bits lowest_element(DType t, DType measured, Bits rounded, const N& lo,
                    const N& within) {
  if (measured != t) return lower_bits(t, rounded, nearest_bits(t, within));
  // Only results of the last binade reach infinity.
  const int emax = float_format(t).emax;
  const N last_binade = exact<N>(-std::ldexp(1.0, emax));
  const N infinity_at = power_of_two<N>(emax + 1).b;
  const bool reaches = compare(lo, last_binade) <= 0 &&
                       compare(negated(within), infinity_at) >= 0;
  if (reaches || (is_inf(within) && sign_bit(within))) {
    return negated_bits(t, positive_infinity_bits(t));
  }
  return lower_bits(t, rounded, bits_at_or_above(t, within));
}

// An end point among the elements: where its enclosure's ends lie.
using End = RoundedEnds;

template <class N>
Real<N> settled_end(const Tolerance& t, const Real<N>& lo,
                    const Real<N>& within) {
  if (within.is_point() || is_inf(within.a)) return within;
  const Real<N> outer = Real<N>::point(within.a);
  const Real<N> width = Real<N>::point(within.b) - outer;
  const Real<N> granted = tolerance_at(t, lo) * Real<N>::of(kWider);
  return less_equal(width, granted) == Known::yes ? outer : within;
}

template <class N>
End lowest_end(DType t, const std::optional<Tolerance>& tolerance,
               const Real<N>& lo, const Real<N>& hi) {
  const End rounded = nearest_ends(t, lo);
  if (!tolerance) return rounded;
  const DType measured = tolerance->measured;
  const Real<N> within =
      settled_end(*tolerance, lo, lowest_within(*tolerance, lo, hi));
  // The least double above a number is the double after it, but the least
  // above any number below b may be b itself: in f64 the fast engine has no
  // number between these two that would tell.
  const bool between = !(std::is_same_v<N, double> && t == DType::f64);
  return {
      lowest_element(t, measured, rounded.a, inner_low(lo), inner_low(within)),
      lowest_element(t, measured, rounded.b, between ? inner_high(lo) : lo.b,
                     between ? inner_high(within) : within.b)};
}

// By symmetry; an end of -x is a negated end of x.
template <class N>
End highest_end(DType t, const std::optional<Tolerance>& tolerance,
                const Real<N>& lo, const Real<N>& hi) {
  if (!tolerance) return nearest_ends(t, hi);
  const End negated = lowest_end(t, mirrored(*tolerance), -hi, -lo);
  return {negated_bits(t, negated.b), negated_bits(t, negated.a)};
}

bool only_zero_signs(DType t, const End& e) {
  return float_format(t).has_negative_zero() && ordinal(t, e.a) == -1 &&
         ordinal(t, e.b) == 0;
}

// Where an end of the range [low, high] is a zero, moves it out to the other.
void include_both_zeros(DType t, End* low, End* high) {
  if (!float_format(t).has_negative_zero()) return;
  const Bits minus_zero = from_ordinal(t, -1);
  for (Bits* end : {&low->a, &low->b}) {
    if (*end == 0) *end = minus_zero;
  }
  for (Bits* end : {&high->a, &high->b}) {
    if (*end == minus_zero) *end = 0;
  }
}

template <class N>
Real<N> as_real(DType t, const End& e) {
  return {exact<N>(decode_float(t, e.a)), exact<N>(decode_float(t, e.b))};
}

// What an intermediate of dtype `t` may be kept as: more precise, but of no
// wider range than the dtype that frameworks compute in. A value that
// overflows there is an infinity, which later operations see.
template <class N>
Real<N> within_range(DType t, const Real<N>& x) {
  const DType widest = opmath(t);
  const RoundedEnds rounded = nearest_ends(widest, x);
  Real<N> kept = x;
  if (is_inf_bits(widest, rounded.a)) {
    kept.a = exact<N>(decode_float(widest, rounded.a));
    kept.a_open = false;
  }
  if (is_inf_bits(widest, rounded.b)) {
    kept.b = exact<N>(decode_float(widest, rounded.b));
    kept.b_open = false;
  }
  return kept;
}

template <class N>
Admitted<N> admit_integer(const Rounding& rounding, const Set<N>& values) {
  Admitted<N> out{{}, convert(rounding.dtype, values, rounding.out_of_range)};
  Set<N>& set = out.in_flight;
  ElementSet& e = out.elements;
  e.unspecified = set.unspecified;
  e.undecided = set.unsure;
  e.has_values = true;
  if (e.unspecified || e.undecided) return out;
  const int width = 8 * size_bytes(rounding.dtype);
  const Bits mask = width == 64 ? ~Bits{0} : (Bits{1} << width) - 1;
  e.lo = low_64_bits(set.lo.a) & mask;
  e.hi = low_64_bits(set.hi.b) & mask;
  e.undecided = !set.lo.is_point() || !set.hi.is_point();
  return out;
}

template <class N>
Admitted<N> admit_float(const Rounding& rounding, const Set<N>& values,
                        const std::optional<Tolerance>& tolerance) {
  const DType t = rounding.dtype;
  Admitted<N> out{{}, values};
  ElementSet& e = out.elements;
  e.has_values = values.has_values;
  e.nan = values.may_nan;
  e.unspecified = values.unspecified;
  e.undecided = values.unsure;
  e.any_zero_sign = rounding.any_zero_sign;
  if (!values.has_values || values.unspecified) return out;

  End low = lowest_end(t, tolerance, values.lo, values.hi);
  End high = highest_end(t, tolerance, values.lo, values.hi);
  const bool infinite = values.lo.is_infinite_point() && values.point;
  if (tolerance && !infinite) {
    const Bits infinity = positive_infinity_bits(t);
    if (tolerance->positive_overflow) high = {infinity, infinity};
    if (tolerance->negative_overflow) {
      const Bits negative = negated_bits(t, infinity);
      low = {negative, negative};
    }
  }
  if (tolerance && tolerance->nan) e.nan = true;
  if (tolerance && tolerance->unsure && !infinite) e.undecided = true;
  if (rounding.any_zero_sign) include_both_zeros(t, &low, &high);
  // Where infinity begins is no double in this format.
  if (std::is_same_v<N, double> && t == DType::f64 && tolerance &&
      (std::fabs(below(values.lo.a)) >= 0x1p1022 ||
       std::fabs(above(values.hi.b)) >= 0x1p1022)) {
    e.undecided = e.undecided || !infinite;
  }
  for (const End& end : {low, high}) {
    const bool settled = rounding.settle_zero_signs && only_zero_signs(t, end);
    if (end.a != end.b && !settled) e.undecided = true;
  }
  e.lo = low.a;
  e.hi = high.b;

  Set<N>& flight = out.in_flight;
  flight.may_nan = e.nan;
  const bool rounds = rounding.is_cast || rounding.numerics == Numerics::strict;
  if (rounds) {
    flight.lo = as_real<N>(t, low);
    flight.hi = as_real<N>(t, high);
  } else {
    // Elements that a tolerance of t's own admits lie within it: only what
    // plain rounding gives may lie outside.
    if (tolerance && tolerance->measured == t && !is_inf_bits(t, low.a)) {
      low = nearest_ends(t, values.lo);
    }
    if (tolerance && tolerance->measured == t && !is_inf_bits(t, high.b)) {
      high = nearest_ends(t, values.hi);
    }
    if (rounding.any_zero_sign) include_both_zeros(t, &low, &high);
    // The ends of a range come from tolerances, which are settled outwards
    // (kWider); so is the rounding of an end. That of a point is left open.
    if (!values.point) {
      low.b = low.a;
      high.a = high.b;
    }
    flight.lo = least(values.lo, as_real<N>(t, low));
    flight.hi = greatest(values.hi, as_real<N>(t, high));
    if (tolerance) {
      flight.lo =
          least(flight.lo, lowest_within(*tolerance, values.lo, values.hi));
      flight.hi =
          greatest(flight.hi, highest_within(*tolerance, values.lo, values.hi));
    }
    flight.lo = within_range(t, flight.lo);
    flight.hi = within_range(t, flight.hi);
  }
  flight.point = false;
  flight.settle();
  return out;
}

template <class N>
Admitted<N> admit_interval(const Rounding& rounding, const Set<N>& values,
                           const std::optional<Tolerance>& tolerance) {
  return is_float(rounding.dtype) ? admit_float(rounding, values, tolerance)
                                  : admit_integer(rounding, values);
}

// Interval by interval.
template <class N>
Admitted<N> admit_values(const Rounding& rounding, const Set<N>& values,
                         const std::optional<Tolerance>& tolerance) {
  if (!values.pieces) return admit_interval(rounding, values, tolerance);
  std::optional<Admitted<N>> all;
  for (const Set<N>& part : taken_apart(values)) {
    Admitted<N> next = admit_interval(rounding, part, tolerance);
    if (!all) {
      all = std::move(next);
      continue;
    }
    include(rounding.dtype, next.elements, &all->elements);
    all->in_flight = unite(all->in_flight, next.in_flight);
  }
  return *std::move(all);
}

}  // namespace

template <class N>
Admitted<N> admit(const Rounding& rounding, const Set<N>& exact_values,
                  const std::optional<Tolerance>& tolerance) {
  const DType t = rounding.dtype;
  if (!is_float(t) || rounds_to_infinity(t, rounding.overflow)) {
    return admit_values(rounding, exact_values, tolerance);
  }
  const auto limited = [&](const Set<N>& x) {
    return with_overflow(t, x, rounding.overflow);
  };
  return admit_values(rounding, over_pieces(exact_values, limited), tolerance);
}

template Admitted<double> admit(const Rounding&, const Set<double>&,
                                const std::optional<Tolerance>&);
template Admitted<Mp> admit(const Rounding&, const Set<Mp>&,
                            const std::optional<Tolerance>&);

}  // namespace assay::reference
