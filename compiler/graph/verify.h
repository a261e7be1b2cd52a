// The contract graph's rules, checked after import and after every pass.
#ifndef ASSAY_COMPILER_GRAPH_VERIFY_H_
#define ASSAY_COMPILER_GRAPH_VERIFY_H_

#include "compiler/graph/graph.h"
#include "core/result.h"

namespace assay::compiler {

// Operands stand before users and are as many as the operation takes; dtypes
// and shapes follow from the operands; casts are of the kind that their dtypes
// call for; contractions state an order. Errors name the node.
Status verify(const Body& body);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_VERIFY_H_
