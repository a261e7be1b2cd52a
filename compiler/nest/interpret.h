// Evaluates a nest, kernel by kernel and point by point.
#ifndef ASSAY_COMPILER_NEST_INTERPRET_H_
#define ASSAY_COMPILER_NEST_INTERPRET_H_

#include <vector>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// What compiled code would give: one tensor per output, row-major. Requires
// verify(nest), and constants and inputs of the nest's types.
std::vector<Tensor> interpret(const Nest& nest,
                              const std::vector<Tensor>& constants,
                              const std::vector<Tensor>& inputs);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_INTERPRET_H_
