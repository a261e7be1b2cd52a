// Where the words of a formula change along its last dimension: at the ends of
// what is padded, at the seam of what is rolled. Between, indices are sums.
#ifndef ASSAY_COMPILER_NEST_PIECES_H_
#define ASSAY_COMPILER_NEST_PIECES_H_

#include <vector>

#include "compiler/graph/formula.h"

namespace assay::compiler {

// The first places of the pieces of its last dimension, of `extent` elements:
// {0} where it is not worth parting it.
std::vector<std::int64_t> pieces_of(const Formula& formula, int last,
                                    std::int64_t extent);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_PIECES_H_
