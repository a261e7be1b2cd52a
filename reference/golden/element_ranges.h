// The ranges of values of which an element's acceptance set consists.
#ifndef ASSAY_REFERENCE_GOLDEN_ELEMENT_RANGES_H_
#define ASSAY_REFERENCE_GOLDEN_ELEMENT_RANGES_H_

#include <vector>

#include "reference/golden/golden.h"

namespace assay::reference {

// Rising and apart; none where the set has no values.
std::vector<ElementRange> ranges_of(const ElementSet& set);

// Makes the ranges of elements of `t`, which may stand in any order and
// overlap, the values of the set.
void put_ranges(DType t, std::vector<ElementRange> ranges, ElementSet* set);

// Admits all that `other` does as well. The clause stays.
void include(DType t, const ElementSet& other, ElementSet* set);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_GOLDEN_ELEMENT_RANGES_H_
