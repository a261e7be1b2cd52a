// The functions of static expressions, over operands rather than values.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_STATIC_FUNCTIONS_H_
#define ASSAY_SUITE_LANGUAGE_BIND_STATIC_FUNCTIONS_H_

#include <vector>

#include "core/result.h"
#include "suite/language/bind/operand.h"

namespace assay::language {

// Applies a function to evaluated arguments. `where`, `flat` and `given` are
// the evaluator's own.
Result<Operand> apply_static(FunctionId f, const std::vector<Operand>& args);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_STATIC_FUNCTIONS_H_
