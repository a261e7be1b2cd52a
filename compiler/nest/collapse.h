// Fewer, longer loops over the same points.
#ifndef ASSAY_COMPILER_NEST_COLLAPSE_H_
#define ASSAY_COMPILER_NEST_COLLAPSE_H_

#include "compiler/nest/nest.h"

namespace assay::compiler {

// Drops outer variables of extent 1 and merges neighbours that every index
// takes as one row-major number. The points, their order and what happens at
// each stay the same. Kernels without points are left alone.
void collapse(LoopKernel* k);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_COLLAPSE_H_
