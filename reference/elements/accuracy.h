// What may be returned for an element and what its consumers may see, given its
// exact values and the tolerance that its spec grants.
#ifndef ASSAY_REFERENCE_ELEMENTS_ACCURACY_H_
#define ASSAY_REFERENCE_ELEMENTS_ACCURACY_H_

#include <cstdint>
#include <optional>

#include "reference/golden/golden.h"
#include "reference/numbers/ulp.h"
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

// A tolerance may be wider than stated by this part of itself, so that elements
// at its very end need no more precision. Where everything is exact, so is its
// end.
constexpr double kWider = 0x1p-16;

template <class N>
struct Admitted {
  ElementSet elements;  // its clause is not set
  Set<N> in_flight;
};

// Without a tolerance: the exact values, rounded once.
template <class N>
Admitted<N> admit(const Rounding& rounding, const Set<N>& exact_values,
                  const std::optional<Tolerance>& tolerance);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ELEMENTS_ACCURACY_H_
