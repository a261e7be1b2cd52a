// Choice of a form and what follows from it: dimension symbols and the type
// of the result.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_FORM_H_
#define ASSAY_SUITE_LANGUAGE_BIND_FORM_H_

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "suite/language/bind/binding.h"

namespace assay::language {

// Chooses the form and binds dimension symbols from the operands' shapes.
// Call only when no requirement is violated; an error is a spec whose
// requirements do not imply its shapes.
Status select_form(Binding* b);

// How many tensors the call returns, of a list its members. Requires a selected
// form.
Result<std::size_t> bound_outputs(const Binding& b);
// Where a list comes back: says which member is meant from now on.
void choose_member(std::size_t output, Binding* b);

// dtype and sizes of an output. Requires a selected form.
Result<TensorType> infer_result(const Binding& bound, std::size_t output = 0);
// Puts `outputs`, those of the call that output `output` may read, into the
// scope of `b` under their names: the first for one after it, all for a
// relation. Returns the type of output `output`, which is 1 or more.
Result<TensorType> bind_further(std::size_t output,
                                std::vector<TensorArg> outputs, Binding* b);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_FORM_H_
