// Scalar operations on single elements, for the interpreters.
#ifndef ASSAY_COMPILER_GRAPH_APPLY_H_
#define ASSAY_COMPILER_GRAPH_APPLY_H_

#include <cstdint>

#include "compiler/graph/scalar_op.h"

namespace assay::compiler {

// The element that `op` gives for `args`, bit patterns of dtype `t`. For select
// `t` is the dtype of the second and third operand.
std::uint64_t apply(ScalarOp op, DType t, const std::uint64_t* args);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_APPLY_H_
