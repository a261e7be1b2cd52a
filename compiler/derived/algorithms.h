// Values that are made by an algorithm, since their definition says what they
// are and not how they are found: sorted lines, where extremes stand, and what
// is put where an index says. What
// the calls require is read from their specs, as of all that is derived.
#ifndef ASSAY_COMPILER_DERIVED_ALGORITHMS_H_
#define ASSAY_COMPILER_DERIVED_ALGORITHMS_H_

#include <optional>
#include <string_view>

#include "compiler/ops/arguments.h"

namespace assay::compiler {

// A call, and the node of its own value where a further output is asked for.
struct AlgorithmCall {
  const CallSite& site;
  NodeId first = -1;
};

// The node of an output, or nothing where only the definition covers the call.
using Algorithm = std::optional<NodeId> (*)(const AlgorithmCall&, Builder&);

// Null where there is none.
Algorithm find_algorithm(std::string_view aten, std::size_t output);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_ALGORITHMS_H_
