// From a spec's nest to graph nodes that compute it: a formula for each
// definition, in native arithmetic. Nothing of accuracy is seen here.
#ifndef ASSAY_COMPILER_DERIVED_LOWER_NEST_H_
#define ASSAY_COMPILER_DERIVED_LOWER_NEST_H_

#include <functional>

#include "compiler/graph/builder.h"
#include "core/result.h"
#include "suite/language/nest/nest.h"

namespace assay::compiler {

// The node that holds a value of the program.
using NodeOfValue = std::function<NodeId(int value)>;

// The node that gives the nest's value. Reals are computed in f64 if an operand
// or the result is f64, or if neither has a float type; in f32 otherwise.
// Whole numbers are computed in i64, modulo 2^64. An error is what native
// arithmetic has no words for.
Result<NodeId> lower_nest(const language::Nest& nest,
                          const NodeOfValue& node_of, Builder* builder);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_LOWER_NEST_H_
