#include "reference/golden/element_ranges.h"

#include <algorithm>
#include <utility>

#include "reference/numbers/element_order.h"

namespace assay::reference {
namespace {

// Is there a value of `t` between x and y, of which x comes first?
bool are_apart(DType t, std::uint64_t x, std::uint64_t y) {
  const std::int64_t place = place_in_order(t, x);
  const std::int64_t next = place_in_order(t, y);
  return next > place && next - 1 > place;
}

}  // namespace

std::vector<ElementRange> ranges_of(const ElementSet& set) {
  if (!set.has_values) return {};
  return set.pieces ? *set.pieces : std::vector<ElementRange>{{set.lo, set.hi}};
}

void put_ranges(DType t, std::vector<ElementRange> ranges, ElementSet* set) {
  set->pieces = nullptr;
  set->has_values = !ranges.empty();
  if (ranges.empty()) return;
  std::sort(ranges.begin(), ranges.end(),
            [t](const ElementRange& x, const ElementRange& y) {
              return precedes_element(t, x.lo, y.lo);
            });
  std::vector<ElementRange> apart;
  for (const ElementRange& r : ranges) {
    if (apart.empty() || are_apart(t, apart.back().hi, r.lo)) {
      apart.push_back(r);
    } else if (precedes_element(t, apart.back().hi, r.hi)) {
      apart.back().hi = r.hi;
    }
  }
  set->lo = apart.front().lo;
  set->hi = apart.back().hi;
  if (apart.size() == 1) return;
  set->pieces =
      std::make_shared<const std::vector<ElementRange>>(std::move(apart));
}

void include(DType t, const ElementSet& other, ElementSet* set) {
  std::vector<ElementRange> ranges = ranges_of(*set);
  for (const ElementRange& r : ranges_of(other)) ranges.push_back(r);
  put_ranges(t, std::move(ranges), set);
  set->nan = set->nan || other.nan;
  set->unspecified = set->unspecified || other.unspecified;
  set->undecided = set->undecided || other.undecided;
  set->any_zero_sign = set->any_zero_sign || other.any_zero_sign;
}

}  // namespace assay::reference
