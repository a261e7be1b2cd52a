// Values that a row's stages hand on to one another.
#ifndef ASSAY_COMPILER_NEST_FORWARD_H_
#define ASSAY_COMPILER_NEST_FORWARD_H_

#include "compiler/nest/nest.h"

namespace assay::compiler {

// Where a stage of a kernel stores an element and a later one loads it in the
// same iteration, the later one uses the value itself. A temporary that nobody
// else reads is not stored any more, and has no elements. On a CPU such a
// temporary is one row in its cache; on a GPU it would be whole in memory.
void forward_stores(Nest* nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_FORWARD_H_
