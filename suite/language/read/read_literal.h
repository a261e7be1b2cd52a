// Literals, arguments and input generators of a spec.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_LITERAL_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_LITERAL_H_

#include <optional>
#include <string>
#include <vector>

#include "suite/language/read/read_fields.h"

namespace assay::language {

// 1, 0.5, 0x1.8p-3, 0x7fc00001:f32, inf, nan, -0.0, max, next(v, k), true.
std::optional<Literal> read_literal(const YamlNode& n, Faults* faults);
std::vector<Literal> read_literals(const YamlNode& n, Faults* faults);

// A value for a parameter that is no tensor (for a tensor: none, or where it
// may be a Python number, a number).
std::optional<Arg> read_arg(const YamlNode& n, const Param& p, Faults* faults);

// Does a mapping with this key give a generator, {uniform: [0, 1]}?
bool is_generator(const std::string& key);
std::optional<Generator> read_generator(const YamlNode& n, Faults* faults);
std::optional<Layout> read_layout(const YamlNode& n, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_LITERAL_H_
