// Where a function changes its behaviour in a format, found by solving: the
// last input before overflow, underflow, saturation and the end of the domain,
// and where it changes sign.
#ifndef ASSAY_REFERENCE_CERTIFY_BOUNDARIES_H_
#define ASSAY_REFERENCE_CERTIFY_BOUNDARIES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "reference/certify/real_function.h"

namespace assay::reference {

struct Boundary {
  // Two neighbours in the order of elements, between which it lies.
  std::uint64_t before, after;
  // "domain", "overflow", "underflow", "subnormal", "saturation" (f(x) rounds
  // to what f has at an infinity), "sign", "identity" (f(x) rounds to x).
  std::string_view what;
};

inline constexpr std::size_t kAllBoundaries = ~std::size_t{0};

// At most `most` of every kind, those nearest to zero first. They are found on
// a grid of 2^12 elements, all powers of two and the other boundaries, and
// narrowed to neighbours. One that appears and disappears between two points of
// the grid is not seen.
std::vector<Boundary> solve_boundaries(const RealFunction& f, DType t,
                                       std::size_t most = 8);

// Does the condition that `what` names hold for exactly one of `before` and the
// next element?
bool is_boundary(const RealFunction& f, DType t, std::uint64_t before,
                 std::string_view what);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_CERTIFY_BOUNDARIES_H_
