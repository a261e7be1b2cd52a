// Recognises sums of the terms whose key names a place, so that each term is
// looked at once, and not once for each place.
#ifndef ASSAY_COMPILER_DERIVED_SCATTER_H_
#define ASSAY_COMPILER_DERIVED_SCATTER_H_

#include <optional>
#include <vector>

#include "suite/language/nest/nest.h"

namespace assay::compiler {

// sum(k < terms: where(key == i and conditions, value, 0)), or the count or any
// of them: i is the index along `dimension`, and nothing else hangs on it.
struct Scatter {
  int dimension = 0;
  std::int64_t terms = 0;
  int key = -1;  // value nodes
  std::vector<int> conditions;
  int value = -1;  // none: 1
};

// `r`, of a definition of so many dimensions, as a scatter; nothing where it is
// none, or has too few terms to gain by it.
std::optional<Scatter> recognise_scatter(const language::Nest& nest,
                                         const language::ReductionNode& r,
                                         int rank);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_SCATTER_H_
