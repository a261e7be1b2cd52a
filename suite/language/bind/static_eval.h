// Evaluation of static expressions: requirements, shapes, dtypes, heights and
// the bounds of ranges. Works on invalid calls too: what cannot be evaluated
// (dimension 1 of a vector) is an error, not a value.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_STATIC_EVAL_H_
#define ASSAY_SUITE_LANGUAGE_BIND_STATIC_EVAL_H_

#include <map>
#include <string>

#include "core/result.h"
#include "suite/language/bind/binding.h"

namespace assay::language {

// Evaluates a static expression. `indices` holds index variables (int64) and
// index packs (Shape) in scope.
Result<StaticValue> evaluate_static(
    const Expr& e, const Binding& b,
    const std::map<std::string, StaticValue>& indices = {});

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_STATIC_EVAL_H_
