// Requirements and accuracy entries.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_PROMISES_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_PROMISES_H_

#include <string>

#include "suite/language/read/read_fields.h"

namespace assay::language {

// What clauses that refuse have in common: errors and source.
Requirement read_refusal(const std::string& id, const YamlNode& key,
                         const Fields& f, Faults* faults);
Requirement read_requirement(const std::string& id, const YamlNode& key,
                             const YamlNode& body, Faults* faults);
Accuracy read_accuracy(const std::string& id, const YamlNode& key,
                       const YamlNode& body, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_PROMISES_H_
