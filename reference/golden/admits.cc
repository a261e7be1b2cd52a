#include "reference/golden/admits.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "reference/numbers/element_order.h"

namespace assay::reference {

bool admits(const ElementSet& set, DType t, std::uint64_t bits) {
  if (set.unspecified) return true;
  if (is_float(t) && is_nan_bits(t, bits)) return set.nan;
  if (!set.has_values) return false;
  const auto within = [&](std::uint64_t b) {
    const auto inside = [&](std::uint64_t lo, std::uint64_t hi) {
      return !precedes_element(t, b, lo) && !precedes_element(t, hi, b);
    };
    if (!set.pieces || !inside(set.lo, set.hi)) return inside(set.lo, set.hi);
    // The last range that does not begin after b.
    const auto next =
        std::upper_bound(set.pieces->begin(), set.pieces->end(), b,
                         [t](std::uint64_t x, const ElementRange& r) {
                           return precedes_element(t, x, r.lo);
                         });
    return inside(std::prev(next)->lo, std::prev(next)->hi);
  };
  if (within(bits)) return true;
  if (!set.any_zero_sign || !is_float(t) || decode_float(t, bits) != 0 ||
      !float_format(t).has_negative_zero()) {
    return false;
  }
  return within(from_ordinal(t, 0)) || within(from_ordinal(t, -1));
}

double error_over_bound(const GoldenOutput& golden, std::int64_t element,
                        std::uint64_t bits) {
  const auto i = static_cast<std::size_t>(element);
  const ElementSet& set = golden.elements[i];
  const DType t = golden.type.dtype;
  const double infinity = std::numeric_limits<double>::infinity();
  if (set.unspecified) return 0;
  const bool admitted = admits(set, t, bits);
  double got = number_of_bits(t, bits);
  const double exact = golden.exact[i];
  if (std::isnan(got)) return admitted ? 0 : infinity;
  if (!set.has_values) return infinity;
  if (got == exact) return admitted ? 0 : infinity;
  if (std::isinf(exact)) return admitted ? 1 : infinity;
  if (std::isinf(got)) {
    if (!admitted) return infinity;
    // Infinity stands where the next binade would begin.
    const double next = t == DType::f64 ? std::numeric_limits<double>::max()
                                        : beyond_largest(t);
    got = std::copysign(next, got);
  }
  const double distance = std::fabs(got - exact);
  const double bound = golden.bound[i];
  if (bound == 0) return distance == 0 ? 0 : infinity;
  // What is admitted is within the bound, whatever the rounding of these.
  const double ratio = distance / bound;
  return admitted ? std::min(ratio, 1.0) : std::max(ratio, 1.0);
}

double share_single_valued(const GoldenOutput& golden) {
  if (golden.elements.empty()) return 1;
  const auto single = [](const ElementSet& s) {
    if (s.unspecified) return false;
    if (!s.has_values) return true;
    return !s.nan && !s.any_zero_sign && s.lo == s.hi;
  };
  const auto n =
      std::count_if(golden.elements.begin(), golden.elements.end(), single);
  return static_cast<double>(n) / static_cast<double>(golden.elements.size());
}

}  // namespace assay::reference
