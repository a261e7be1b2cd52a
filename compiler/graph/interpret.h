// The slow twin: evaluates a contract graph node by node, element by element.
// Compiled kernels must agree with it bit for bit (NaNs as one class).
#ifndef ASSAY_COMPILER_GRAPH_INTERPRET_H_
#define ASSAY_COMPILER_GRAPH_INTERPRET_H_

#include <vector>

#include "compiler/graph/graph.h"

namespace assay::compiler {

// One tensor per entry of body.outputs. Requires verify(body) and inputs of
// the body's types.
std::vector<Tensor> interpret(const Body& body,
                              const std::vector<Tensor>& inputs);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_INTERPRET_H_
