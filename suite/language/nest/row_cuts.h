// Which slices of its operands a slice of a result is worked out from. A row of
// a result is what lies at one place of a dimension. Where the value of a row
// reads rows of some operands at the same place, and nothing else of them, the
// row is what the same call gives for these rows alone.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_ROW_CUTS_H_
#define ASSAY_SUITE_LANGUAGE_NEST_ROW_CUTS_H_

#include <map>
#include <optional>

#include "suite/language/nest/nest.h"

namespace assay::language {

// By value id, of all operands whose elements are read: the dimension whose
// places are those of the result's dimension, or kWhole where each row reads
// whatever of it.
inline constexpr int kWhole = -1;
using RowCuts = std::map<int, int>;

// Nothing where rows along `dimension` of the result are not worked out from
// rows of operands, or are numbered (arange). Requires a dimension of the
// result.
std::optional<RowCuts> row_cuts(const Nest& nest, int dimension);

// Do both say the same but for how many elements there are? A value may read a
// size, the number of elements for one.
bool same_but_for_sizes(const Nest& a, const Nest& b);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_ROW_CUTS_H_
