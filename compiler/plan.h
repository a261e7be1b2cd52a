// Which nodes of a body get a buffer of their own, before kernels are formed.
#ifndef ASSAY_COMPILER_PLAN_H_
#define ASSAY_COMPILER_PLAN_H_

#include <vector>

#include "compiler/graph.h"

namespace assay::compiler {

struct Plan {
  std::vector<bool> live;  // needed for an output
  // Stored in a buffer. All others are computed where they are read.
  std::vector<bool> root;
};

// Contractions, reductions and concatenations are roots; so are values that
// are dear to recompute and have several readers, expressions that would grow
// too large, and what a contraction reads where it is no strided view.
Plan make_plan(const Body& body, std::size_t program_outputs);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_PLAN_H_
