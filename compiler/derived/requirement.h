// A requirement on elements as code, which tells in no time that a call may
// run. Which clause refuses, and how, is for the requirements themselves to
// say (derivation.h).
#ifndef ASSAY_COMPILER_DERIVED_REQUIREMENT_H_
#define ASSAY_COMPILER_DERIVED_REQUIREMENT_H_

#include <optional>

#include "compiler/derived/lower_nest.h"
#include "suite/language/bind/binding.h"
#include "suite/language/syntax/expr.h"

namespace assay::compiler {

// The node, bool[], that holds whether the requirement does; nothing where it
// has no text, or where something is rounded on the way, so that code might
// find it kept although it is not.
std::optional<NodeId> lower_requirement(const language::Binding& call,
                                        const language::Expr& requirement,
                                        const NodeOfValue& node_of,
                                        Builder* builder);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_REQUIREMENT_H_
