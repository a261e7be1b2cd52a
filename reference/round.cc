#include "reference/round.h"

#include "reference/set_logic.h"

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

std::uint64_t width_mask(DType t) {
  const int bits = 8 * size_bytes(t);
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// An integer taken modulo 2^n into the range of `t`.
template <class N>
std::int64_t wrapped(DType t, const N& x) {
  std::uint64_t bits = low_64_bits(x) & width_mask(t);
  const int width = 8 * size_bytes(t);
  if (is_signed(t) && width < 64 && (bits >> (width - 1)) != 0) {
    bits |= ~width_mask(t);
  }
  return static_cast<std::int64_t>(bits);
}

template <class N>
Set<N> convert_to_integer(DType t, const Set<N>& x, OutOfRange policy) {
  Set<N> r = step_function(trunc_steps<N>(), x);
  if (x.may_nan) {
    Set<N> any = Set<N>::anything();
    any.unsure = x.unsure;
    return any;
  }
  const int value_bits = 8 * size_bytes(t) - (is_signed(t) ? 1 : 0);
  const double beyond = std::ldexp(1.0, value_bits);
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
    Set<N> w = Set<N>::of_integer(wrapped(t, r.lo.a));
    w.take_flags(r);
    return w;
  }
  const bool narrowable = policy == OutOfRange::wraps && r.point;
  Set<N> any = Set<N>::anything();
  any.unsure = x.unsure || inside == Known::maybe || narrowable;
  return any;
}

}  // namespace

std::uint64_t nearest_bits(DType t, double x) { return encode_float(t, x); }
std::uint64_t nearest_bits(DType t, const Mp& x) {
  if (t == DType::f64) return raw(mpfr_get_d(x.get(), MPFR_RNDN));
  return encode_float(t, rounded_to_odd(x));
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

bool represents(DType to, DType from) {
  if (to == from) return true;
  if (is_float(from)) {
    if (!is_float(to)) return false;
    const FloatFormat a = float_format(from);
    const FloatFormat b = float_format(to);
    return a.precision <= b.precision && a.emax <= b.emax &&
           a.emin - a.precision >= b.emin - b.precision;
  }
  if (to == DType::boolean) return false;
  if (is_float(to)) {
    const int bits = from == DType::boolean ? 1 : 8 * size_bytes(from);
    return bits - (is_signed(from) ? 1 : 0) <= float_format(to).precision;
  }
  return integer_min(to) <= integer_min(from) &&
         integer_max(from) <= integer_max(to);
}

template <class N>
Set<N> convert(DType t, const Set<N>& x, OutOfRange policy) {
  if (t == DType::boolean) return as_condition(x);
  if (!is_float(t)) return convert_to_integer(t, x, policy);
  if (!x.has_values) return x;
  Set<N> r = x;
  r.lo = nearest(t, x.lo);
  r.hi = x.point ? r.lo : nearest(t, x.hi);
  if (!r.point) r.settle();
  return r;
}

template Set<double> convert(DType, const Set<double>&, OutOfRange);
template Set<Mp> convert(DType, const Set<Mp>&, OutOfRange);

}  // namespace assay::reference
