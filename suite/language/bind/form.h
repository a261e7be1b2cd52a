// Choice of a form and what follows from it: dimension symbols and the type
// of the result.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_FORM_H_
#define ASSAY_SUITE_LANGUAGE_BIND_FORM_H_

#include <cstddef>

#include "core/result.h"
#include "suite/language/bind/binding.h"

namespace assay::language {

// Chooses the form and binds dimension symbols from the operands' shapes.
// Call only when no requirement is violated; an error is a spec whose
// requirements do not imply its shapes.
Status select_form(Binding* b);

// dtype and sizes of an output. Requires a selected form.
Result<TensorType> infer_result(const Binding& b, std::size_t output = 0);
// Puts `first`, the first output of the call, into the scope of `b` under its
// name. Returns the type of output `output`, which is 1 or more.
Result<TensorType> bind_further(std::size_t output, TensorArg first,
                                Binding* b);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_FORM_H_
