// Programs and contexts. A program is read once for every combination of its
// axes, after `${axis}` has been replaced in its tree.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_PROGRAM_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_PROGRAM_H_

#include <string>
#include <vector>

#include "suite/language/read/read_fields.h"

namespace assay::language {

// Names of a program's sections, in their order.
const std::vector<std::string>& program_sections();

ProgramSpec read_program(const YamlNode& root, Faults* faults);
std::vector<ContextSpec> read_contexts(const YamlNode& root, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_PROGRAM_H_
