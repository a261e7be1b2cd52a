// Sizes that cases bind to the symbols of their parameters' shapes.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_SHAPES_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_SHAPES_H_

#include <optional>
#include <string>

#include "suite/language/read/read_params.h"
#include "suite/language/read/read_shared.h"

namespace assay::language {

// [3, 4], or 3 alone.
std::optional<Shape> read_sizes(const YamlNode& n, Faults* faults);
// {M: 2, S: [3, 4]}.
std::optional<SymbolSizes> read_binding(const YamlNode& n, Faults* faults);

// The bindings of a case group, whose `scalars` are known: a named set, or a
// list of bindings and of sizes that all tensors have.
void read_shapes(const YamlNode& n, const OpSpec& op, const NamedNodes& sets,
                 CaseGroup* group, Faults* faults);

// "T" for "T.1", "tensors" for "tensors.1": the key without the number of a
// list's member.
std::string without_member(const std::string& key);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_SHAPES_H_
