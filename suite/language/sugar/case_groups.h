// Several case groups in one entry: ranges of ids, `each`, `groups`, families
// of cases, defaults.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_CASE_GROUPS_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_CASE_GROUPS_H_

#include "suite/language/sugar/case_fields.h"

namespace assay::language {

// A section `cases`, with one entry per group. Its defaults replace those in
// `defaults`, which may be null.
YamlNode write_out_cases(const YamlNode& cases, const YamlNode* defaults,
                         const CaseContext& context, const Shared& shared,
                         Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_CASE_GROUPS_H_
