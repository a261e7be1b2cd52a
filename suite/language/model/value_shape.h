// What kind of function of its operands an operation is, as its value shows.
#ifndef ASSAY_SUITE_LANGUAGE_MODEL_VALUE_SHAPE_H_
#define ASSAY_SUITE_LANGUAGE_MODEL_VALUE_SHAPE_H_

#include "suite/language/model/spec.h"

namespace assay::language {

// Is every element of the result a function of the elements at its own place
// (after broadcasting) and of nothing else? Such operations may be given any
// shape, and a vector of special values shows all that a matrix shows.
bool is_pointwise(const OpSpec& spec);
// Does the value combine several elements of an operand?
bool has_reduction(const OpSpec& spec);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_MODEL_VALUE_SHAPE_H_
