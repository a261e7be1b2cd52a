// Boundaries and cases of an operation.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_CASES_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_CASES_H_

#include <string>

#include "suite/language/read/read_shapes.h"

namespace assay::language {

CaseGroup read_case_group(const std::string& id, const YamlNode& key,
                          const YamlNode& body, const OpSpec& op,
                          const Shared& shared, Faults* faults);
Boundary read_boundary(const std::string& id, const YamlNode& key,
                       const YamlNode& body, const OpSpec& op,
                       const SolvedSet& solved, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_CASES_H_
