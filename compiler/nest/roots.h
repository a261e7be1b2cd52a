// The roots of a body: the nodes that get a buffer of their own. Chosen before
// kernels are formed.
#ifndef ASSAY_COMPILER_NEST_ROOTS_H_
#define ASSAY_COMPILER_NEST_ROOTS_H_

#include <vector>

#include "compiler/graph/graph.h"

namespace assay::compiler {

struct Roots {
  std::vector<bool> live;  // per node: needed for an output
  // Per node: a root. All others are computed where they are read.
  std::vector<bool> stored;
};

// Contractions, reductions and concatenations are roots. So are values that
// have several readers and are costly to recompute, expressions that would grow
// too large, and operands of contractions that are no strided views.
Roots choose_roots(const Body& body);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_ROOTS_H_
