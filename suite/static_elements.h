// Elements that static expressions may read: those of shapes, lists and of
// tensors whose elements are known.
#ifndef ASSAY_SUITE_STATIC_ELEMENTS_H_
#define ASSAY_SUITE_STATIC_ELEMENTS_H_

#include <cstddef>

#include "suite/expr.h"
#include "suite/static_functions.h"

namespace assay {

// All stop the evaluation (EvaluationStop) where there is no such element.
// `e` is the access, for messages.

// `i` as a place among `n`.
std::size_t place(const Expr& e, std::int64_t i, std::size_t n);
// Trailing entries of `index` count; a dimension of size 1 repeats.
Operand element(const Expr& e, const TensorArg& t, const Shape& index);
// flat(x)[n].
Operand linear_element(const Expr& e, const TensorArg& t, const Shape& index);

}  // namespace assay

#endif  // ASSAY_SUITE_STATIC_ELEMENTS_H_
