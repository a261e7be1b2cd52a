// The terms of accuracy entries beside what the cases need of them.
#ifndef ASSAY_HARNESS_COMMANDS_SPECS_LINT_TERMS_H_
#define ASSAY_HARNESS_COMMANDS_SPECS_LINT_TERMS_H_

#include <string>
#include <vector>

#include "suite/cases/case.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// What is wrong with the entries of the specs of `cases`, one message each.
// Requires all cases of these specs, since one alone may need a term.
std::vector<std::string> check_terms(
    const language::SpecSet& specs,
    const std::vector<const cases::Case*>& cases, int jobs);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_SPECS_LINT_TERMS_H_
