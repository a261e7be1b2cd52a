// `inplace: true`: a second operation that writes what the first returns into
// its first operand. It is written out from the first one's own sections, so
// that the two cannot come apart.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_IN_PLACE_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_IN_PLACE_H_

#include <optional>

#include "suite/language/sugar/yaml_edit.h"
#include "suite/language/syntax/located_text.h"

namespace assay::language {

// Takes `inplace` from an operation whose short forms have been written out.
// Where it was true: the operation `NAME_` of the overload `aten.NAME_.X`.
// - Its result has type, shape and strides of the first operand, to which the
//   shape that it would have must come (a requirement, if it may not).
// - The type that it would have must be one that is cast to the operand's (a
//   requirement, too). Its cases are those where the two are the same: a second
//   rounding is none of the bounds' business. Truth values are numbers there.
// - The operand is a tensor: cases that give a number in its place go.
std::optional<YamlNode> take_in_place(YamlNode* op, std::vector<Fault>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_IN_PLACE_H_
