// Questions about a golden's elements.
#ifndef ASSAY_REFERENCE_GOLDEN_ADMITS_H_
#define ASSAY_REFERENCE_GOLDEN_ADMITS_H_

#include <cstdint>

#include "reference/golden/golden.h"

namespace assay::reference {

// Is `bits` of dtype `t` in the set?
bool admits(const ElementSet& set, DType t, std::uint64_t bits);

// |got - exact| / bound: at most 1 where `bits` is admissible, otherwise at
// least 1, and infinity where the classes differ (NaN, infinity, sign of zero).
double error_over_bound(const GoldenOutput& golden, std::int64_t element,
                        std::uint64_t bits);

// Share of elements with exactly one admissible bit pattern (NaN counts as
// one).
double share_single_valued(const GoldenOutput& golden);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_GOLDEN_ADMITS_H_
