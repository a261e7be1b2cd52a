// Checks of specs together with their cases that need neither an oracle nor a
// subject: a promise that no case reaches certifies nothing.
#ifndef ASSAY_SUITE_CASES_LINT_H_
#define ASSAY_SUITE_CASES_LINT_H_

#include <vector>

#include "suite/cases/expand/expand.h"
#include "suite/language/load.h"

namespace assay::cases {

// For every operation: a form, an accuracy entry or a dtype that no case of
// it reaches, and a result dtype for which no accuracy is declared.
std::vector<language::Diagnostic> lint(const language::SpecSet& specs,
                                       const Expansion& cases);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_LINT_H_
