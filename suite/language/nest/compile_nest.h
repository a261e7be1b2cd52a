// From a bound call to its nest.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_COMPILE_NEST_H_
#define ASSAY_SUITE_LANGUAGE_NEST_COMPILE_NEST_H_

#include <memory>

#include "core/result.h"
#include "suite/language/nest/nest.h"

namespace assay::language {

// `binding` has its form selected; `type` is that of output `output`. An error
// is a spec that says something no nest can hold, and names it.
Result<std::unique_ptr<Nest>> compile_nest(Binding binding, TensorType type,
                                           int value, std::size_t output = 0,
                                           TorchVersion torch = kDefaultTorch);

// What the expression, a requirement of `binding`, comes to, as the only
// definition of a nest: true or false. An error is what no nest can hold.
Result<std::unique_ptr<Nest>> compile_condition(Binding binding,
                                                const Expr& condition);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_COMPILE_NEST_H_
