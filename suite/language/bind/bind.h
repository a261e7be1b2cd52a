// A call bound to the spec of its operation: which argument belongs to which
// parameter, what every symbol stands for, which promise the call breaks.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_BIND_H_
#define ASSAY_SUITE_LANGUAGE_BIND_BIND_H_

#include <functional>
#include <map>
#include <string>

#include "core/program.h"
#include "core/result.h"
#include "suite/language/bind/binding.h"
#include "suite/language/bind/form.h"
#include "suite/language/bind/static_eval.h"

namespace assay::language {

// The spec of a call, of real or of complex operands; null if there is none.
const OpSpec* spec_of_call(
    const SpecSet& specs, const Node& call,
    const std::function<bool(ValueRef)>& is_complex_value);

// Matches arguments to parameters by position and name, as a Python call
// does. `values` gives type and (where known) elements of each program value.
// An error is a call that the schema itself refuses.
Result<Binding> bind_call(const OpSpec& spec, const Node& call,
                          const std::map<int, TensorArg>& values);

// The call that gives these arguments, by parameter, in the order of the
// schema; those after the last that is given are left out.
Node make_call(const OpSpec& spec, const std::map<std::string, Arg>& given);

// The first requirement that does not hold, null if all hold. An error is a
// requirement that cannot be evaluated though all before it hold (spec bug, or
// elements that are not known).
Result<const Requirement*> first_violation(const Binding& b);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_BIND_H_
