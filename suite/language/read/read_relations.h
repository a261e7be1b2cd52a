// Relations: what holds of all results of a call together, where no formula
// says what each of them is.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_RELATIONS_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_RELATIONS_H_

#include "suite/language/lets/lets.h"
#include "suite/language/read/read_fields.h"

namespace assay::language {

// Reads `relations: {R1: "name[i < n] = condition"}` into the form. A relation
// becomes one more output of truth values, over its indices' ranges.
void read_relations(const YamlNode& n, Form* form, Lets* lets, Faults* faults);

// An output that has no value of its own: `relations` decides about it.
void leave_open(const YamlNode& relations, OutputSpec* out);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_RELATIONS_H_
