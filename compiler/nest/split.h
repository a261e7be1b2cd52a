// Long reductions of few rows, which threads could not share, in parts.
#ifndef ASSAY_COMPILER_NEST_SPLIT_H_
#define ASSAY_COMPILER_NEST_SPLIT_H_

#include "compiler/nest/nest.h"

namespace assay::compiler {

// A row's blocks (graph/order.h) are reduced each on its own anyway, and their
// results joined in sequence. Where rows are few and have many blocks, a kernel
// of its own reduces the blocks, side by side, and the kernel that was there
// joins what comes of them. Every bit of the result stays.
void split_reductions(Nest* nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_SPLIT_H_
