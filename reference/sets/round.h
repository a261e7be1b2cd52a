// Numbers to elements of a dtype: one rounding, whatever the engine.
#ifndef ASSAY_REFERENCE_SETS_ROUND_H_
#define ASSAY_REFERENCE_SETS_ROUND_H_

#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/dtype.h"
#include "core/float_bits.h"
#include "reference/sets/set_ops.h"
#include "suite/language/functions/functions.h"
#include "suite/language/functions/promote.h"

namespace assay::reference {

// Bit pattern of the element nearest to x, ties to even; of the least element
// that is >= x; of the greatest that is <= x. x may be infinite.
std::uint64_t nearest_bits(DType t, double x,
                           Overflow overflow = Overflow::standard);
std::uint64_t nearest_bits(DType t, const Mp& x,
                           Overflow overflow = Overflow::standard);
std::uint64_t bits_at_or_above(DType t, double x);
std::uint64_t bits_at_or_above(DType t, const Mp& x);
std::uint64_t bits_at_or_below(DType t, double x);
std::uint64_t bits_at_or_below(DType t, const Mp& x);

// The elements that rounding the ends of an enclosure gives. An open end is
// rounded as what lies just inside of it, which decides ties.
struct RoundedEnds {
  std::uint64_t a, b;
};
template <class N>
RoundedEnds nearest_ends(DType t, const Real<N>& x,
                         Overflow overflow = Overflow::standard) {
  // Between neighbouring doubles the fast engine has no number left.
  const bool nudge = !(std::is_same_v<N, double> && t == DType::f64);
  const std::uint64_t a = nearest_bits(t, nudge ? inner_low(x) : x.a, overflow);
  if (x.is_point()) return {a, a};
  return {a, nearest_bits(t, nudge ? inner_high(x) : x.b, overflow)};
}

template <class N>
Real<N> nearest(DType t, const Real<N>& x) {
  const RoundedEnds e = nearest_ends(t, x);
  return {exact<N>(decode_float(t, e.a)), exact<N>(decode_float(t, e.b))};
}

using language::OutOfRange;
using language::represents;

// The members, with the overflow policy of `t` applied: what rounds to more
// than its largest number becomes that number or NaN, or stays as it is where
// rounding makes it infinity. Without a policy it may become any of these. All
// other members round without overflow.
inline bool rounds_to_infinity(DType t, std::optional<Overflow> overflow) {
  return overflow == Overflow::standard && float_format(t).has_infinity();
}
template <class N>
Set<N> with_overflow(DType t, const Set<N>& x,
                     std::optional<Overflow> overflow);

// Every member rounded to `t`: to nearest for floats; toward zero for
// integers; to x != 0 for bool.
template <class N>
Set<N> convert(DType t, const Set<N>& x, OutOfRange policy);

// The element of `t` after x on the way to y; y where they are equal. Requires
// members that are elements of `t`.
template <class N>
Set<N> element_after(DType t, const Set<N>& x, const Set<N>& y);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SETS_ROUND_H_
