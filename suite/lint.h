// Checks of specs together with their cases that need neither an oracle nor a
// subject: a promise that no case reaches certifies nothing.
#ifndef ASSAY_SUITE_LINT_H_
#define ASSAY_SUITE_LINT_H_

#include <vector>

#include "suite/case.h"
#include "suite/load.h"

namespace assay {

// For every operation: a form, an accuracy entry or a dtype that no case of
// it reaches, and a result dtype for which no accuracy is declared.
std::vector<Diagnostic> lint(const SpecSet& specs, const Expansion& cases);

}  // namespace assay

#endif  // ASSAY_SUITE_LINT_H_
