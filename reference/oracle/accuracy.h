// From the exact values of an element and the tolerance that a spec grants to
// what may be returned and to what consumers may see.
#ifndef ASSAY_REFERENCE_ORACLE_ACCURACY_H_
#define ASSAY_REFERENCE_ORACLE_ACCURACY_H_

#include <cstdint>
#include <optional>

#include "reference/numbers/ulp.h"
#include "reference/oracle/golden.h"
#include "reference/sets/round.h"

namespace assay::reference {

// How a node's values become elements of its dtype.
struct Rounding {
  DType dtype = DType::f32;
  // An explicit cast: nothing in flight keeps more precision.
  bool is_cast = false;
  OutOfRange out_of_range = OutOfRange::wraps;
  std::optional<Overflow> overflow = Overflow::standard;  // none: any
  bool any_zero_sign = false;
  Numerics numerics = Numerics::fused;
  // A zero whose sign no precision decides is either zero.
  bool settle_zero_signs = false;
};

// A tolerance counts as up to this part of itself wider than stated, so that
// elements at its very end need no more precision. Where all is exact, its end
// is.
constexpr double kWider = 0x1p-16;

template <class N>
struct Admitted {
  ElementSet elements;  // without its clause
  Set<N> in_flight;
};

// Without a tolerance: the exact values, rounded once.
template <class N>
Admitted<N> admit(const Rounding& rounding, const Set<N>& exact_values,
                  const std::optional<Tolerance>& tolerance);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_ACCURACY_H_
