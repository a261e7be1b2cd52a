// Requirements and accuracy entries.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_PROMISES_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_PROMISES_H_

#include <string>

#include "suite/language/read/read_fields.h"

namespace assay::language {

Requirement read_requirement(const std::string& id, const YamlNode& key,
                             const YamlNode& body, Faults* faults);
Accuracy read_accuracy(const std::string& id, const YamlNode& key,
                       const YamlNode& body, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_PROMISES_H_
