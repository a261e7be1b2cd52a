// Loops of points, parted where a tensor is read across them.
#ifndef ASSAY_COMPILER_NEST_PART_H_
#define ASSAY_COMPILER_NEST_PART_H_

#include "compiler/nest/nest.h"

namespace assay::compiler {

// The opposite of collapse.h, where it is of use to a GPU: a loop over v < m n
// becomes two where some load takes v % n and v / n apart and its elements are
// neighbours along v / n, so that a tile of both can be read along them.
void part_loops(Nest* nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_PART_H_
