// Element types for which ATen has no kernel, whatever else an operation
// requires: the guard that operations have in common, by hand. ATen looks for
// kernels by element type (aten/src/ATen/Dispatch.h, AT_DISPATCH_SWITCH).
#ifndef ASSAY_COMPILER_OPS_KERNELS_H_
#define ASSAY_COMPILER_OPS_KERNELS_H_

#include <span>
#include <string_view>

#include "compiler/graph/graph.h"
#include "compiler/ops/guard.h"

namespace assay::compiler {

// Asks the clauses K1 and so on that the operation of that spec has. Its
// operands are refused by their types where all have such a type, the first
// among them, but for indices and truth values, and none is empty: with no
// elements no kernel is looked for.
bool kernels_exist(std::string_view spec, std::span<const Type> operands,
                   Guards& g);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_OPS_KERNELS_H_
