#include "reference/sets/round.h"

#include "reference/sets/set_logic.h"

namespace assay::reference {
namespace {

// `odd` is x or, where x is no double, a double rounded to odd: enough to
// place x among the elements of a narrower format.
std::uint64_t above_narrow(DType t, double odd) {
  std::uint64_t bits = encode_float(t, odd);
  while (decode_float(t, bits) < odd) {
    bits = from_ordinal(t, ordinal(t, bits) + 1);
  }
  return bits;
}

std::uint64_t below_narrow(DType t, double odd) {
  std::uint64_t bits = encode_float(t, odd);
  while (decode_float(t, bits) > odd) {
    bits = from_ordinal(t, ordinal(t, bits) - 1);
  }
  return bits;
}

std::uint64_t raw(double x) { return std::bit_cast<std::uint64_t>(x); }

template <class N>
Set<N> convert_to_integer(DType t, const Set<N>& x, OutOfRange policy) {
  Set<N> r = step_function(trunc_steps<N>(), x);
  if (x.may_nan) {
    Set<N> any = Set<N>::anything();
    any.unsure = x.unsure;
    return any;
  }
  const double beyond = std::ldexp(1.0, magnitude_bits(t));
  const Real<N> least_value = Real<N>::of(is_signed(t) ? -beyond : 0.0);
  const Known inside =
      both(less_equal(least_value, r.lo), less(r.hi, Real<N>::of(beyond)));
  if (inside == Known::yes) {
    // An integer has no negative zero.
    const Real<N> zero = Real<N>::of(0.0);
    r.lo = r.lo + zero;
    r.hi = r.point ? r.lo : r.hi + zero;
    return r;
  }
  if (inside == Known::no && policy == OutOfRange::wraps &&
      r.is_exact_point() && !is_inf(r.lo.a)) {
    // Modulo 2^n into the range of t.
    Set<N> w = Set<N>::of_element(t, low_64_bits(r.lo.a) & width_mask(t));
    w.take_flags(r);
    return w;
  }
  const bool narrowable = policy == OutOfRange::wraps && r.point;
  Set<N> any = Set<N>::anything();
  any.unsure = x.unsure || inside == Known::maybe || narrowable;
  return any;
}

}  // namespace

std::uint64_t nearest_bits(DType t, double x, Overflow overflow) {
  return encode_float(t, x, RoundingMode::nearest_even, overflow);
}
std::uint64_t nearest_bits(DType t, const Mp& x, Overflow overflow) {
  const double d =
      t == DType::f64 ? mpfr_get_d(x.get(), MPFR_RNDN) : rounded_to_odd(x);
  return nearest_bits(t, d, overflow);
}

std::uint64_t bits_at_or_above(DType t, double x) {
  return t == DType::f64 ? raw(x) : above_narrow(t, x);
}
std::uint64_t bits_at_or_above(DType t, const Mp& x) {
  return t == DType::f64 ? raw(above(x)) : above_narrow(t, rounded_to_odd(x));
}
std::uint64_t bits_at_or_below(DType t, double x) {
  return t == DType::f64 ? raw(x) : below_narrow(t, x);
}
std::uint64_t bits_at_or_below(DType t, const Mp& x) {
  return t == DType::f64 ? raw(below(x)) : below_narrow(t, rounded_to_odd(x));
}

template <class N>
Set<N> with_overflow(DType t, const Set<N>& x,
                     std::optional<Overflow> overflow) {
  const bool has_infinity = float_format(t).has_infinity();
  if (!x.has_values || rounds_to_infinity(t, overflow)) return x;
  const RoundedEnds low = nearest_ends(t, x.lo, Overflow::nan);
  const RoundedEnds high = nearest_ends(t, x.hi, Overflow::nan);
  const auto beyond = [t](std::uint64_t bits) { return is_nan_bits(t, bits); };
  const bool low_beyond = beyond(low.a) || beyond(low.b);
  const bool high_beyond = beyond(high.a) || beyond(high.b);
  if (!low_beyond && !high_beyond) return x;
  const Real<N> last =
      Real<N>::point(exact<N>(decode_float(t, largest_bits(t))));
  const auto within = [&](const Real<N>& end) {
    return greatest(least(end, last), -last);
  };
  Set<N> saturated = x;
  saturated.lo = within(x.lo);
  saturated.hi = x.point ? saturated.lo : within(x.hi);
  if (!saturated.point) saturated.settle();
  if (overflow == Overflow::saturate) return saturated;
  if (overflow == Overflow::saturate_finite) {
    const Known infinite = contains_infinity(x);
    if (infinite == Known::no) return saturated;
    if (x.lo.is_infinite_point() && x.point) {
      return with_overflow<N>(t, x, Overflow::standard);
    }
    saturated.unsure = saturated.unsure || infinite == Known::maybe;
    for (const double end : {-kInfinity, kInfinity}) {
      const Set<N> at = Set<N>::of(end);
      const Known member = end < 0 ? contains_negative_infinity(x)
                                   : contains_positive_infinity(x);
      if (member == Known::no) continue;
      saturated = unite(saturated, with_overflow<N>(t, at, Overflow::standard));
    }
    return saturated;
  }
  saturated.may_nan = true;
  if (!overflow) return has_infinity ? unite(saturated, x) : saturated;
  // What becomes NaN has to be known.
  saturated.unsure = saturated.unsure || beyond(low.a) != beyond(low.b) ||
                     beyond(high.a) != beyond(high.b);
  saturated.has_values =
      !((low_beyond && !sign_bit(x.lo.a)) || (high_beyond && sign_bit(x.hi.b)));
  return saturated;
}

template <class N>
Set<N> convert(DType t, const Set<N>& x, OutOfRange policy) {
  if (t == DType::boolean) return as_condition(x);
  if (!is_float(t)) return convert_to_integer(t, x, policy);
  Set<N> r = with_overflow<N>(t, x, Overflow::standard);
  if (!r.has_values) return r;
  r.lo = nearest(t, r.lo);
  r.hi = r.point ? r.lo : nearest(t, r.hi);
  if (!r.point) r.settle();
  return r;
}

namespace {

template <class N>
bool is_element(DType t, const Real<N>& x) {
  return x.is_point() &&
         compare(exact<N>(decode_float(t, nearest_bits(t, x.a))), x.a) == 0;
}

// The neighbour of an element.
template <class N>
Real<N> neighbour(DType t, const Real<N>& x, int steps) {
  return Real<N>::of(decode_float(t, step(t, nearest_bits(t, x.a), steps)));
}

}  // namespace

template <class N>
Set<N> element_after(DType t, const Set<N>& x, const Set<N>& y) {
  Set<N> r = from_operands(x, y);
  if (!r.has_values) return r;
  if (!is_element(t, x.lo) || !is_element(t, x.hi)) {
    r = Set<N>::anything();
    r.unsure = true;
    return r;
  }
  const Known rises = less(x.lo, y.hi);
  const Known falls = less(y.lo, x.hi);
  r.unsure_if_maybe(rises);
  r.unsure_if_maybe(falls);
  if (rises == Known::no && falls == Known::no) {
    r.lo = y.lo;
    r.hi = y.hi;
  } else {
    r.lo = falls == Known::no ? neighbour(t, x.lo, 1) : neighbour(t, x.lo, -1);
    r.hi = rises == Known::no ? neighbour(t, x.hi, -1) : neighbour(t, x.hi, 1);
  }
  r.settle();
  return r;
}

template Set<double> element_after(DType, const Set<double>&,
                                   const Set<double>&);
template Set<Mp> element_after(DType, const Set<Mp>&, const Set<Mp>&);
template Set<double> with_overflow(DType, const Set<double>&,
                                   std::optional<Overflow>);
template Set<Mp> with_overflow(DType, const Set<Mp>&, std::optional<Overflow>);
template Set<double> convert(DType, const Set<double>&, OutOfRange);
template Set<Mp> convert(DType, const Set<Mp>&, OutOfRange);

}  // namespace assay::reference
