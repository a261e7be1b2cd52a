// Reading specs/boundaries.yaml.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_SOLVED_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_SOLVED_H_

#include "suite/language/read/read_fields.h"

namespace assay::language {

SolvedSet read_solved(const YamlNode& root, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_SOLVED_H_
