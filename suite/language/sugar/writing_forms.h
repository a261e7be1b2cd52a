// `inplace: true` and `out: OVERLOAD`: operations that write what another one
// returns into a tensor. They are written out from that one's own sections, so
// that they cannot come apart.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_WRITING_FORMS_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_WRITING_FORMS_H_

#include <vector>

#include "suite/language/sugar/yaml_edit.h"
#include "suite/language/syntax/located_text.h"

namespace assay::language {

// Takes `inplace` and `out` from an operation whose short forms have been
// written out; gives the operations that they ask for.
//
// `NAME_`, of the overload `aten.NAME_.X`, writes into the first operand:
// - Its result has type, shape and strides of that, to which the shape that it
//   would have must come (a requirement, if it may not).
// - The operand is a tensor: cases that give a number in its place go.
// - Which memory may not be shared is a requirement, too.
// `NAME_out`, of the overload that is named, writes into a tensor of its own,
// passed by the name `out`:
// - Its result has the type of that, and strides too if it has the shape.
// - Memory may not be shared as TensorIterator says, unless it is said
//   otherwise.
// Of both the type that the result would have must be one that is cast to what
// it is written into (a requirement, if it may not). Their cases are those
// where the two are the same: a second rounding is none of the bounds'
// business. Truth values are numbers in an operand.
std::vector<YamlNode> take_writing_forms(YamlNode* op,
                                         std::vector<Fault>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_WRITING_FORMS_H_
