// A planned program as a case.
#ifndef ASSAY_SUITE_MAKE_CASE_H_
#define ASSAY_SUITE_MAKE_CASE_H_

#include <string>

#include "suite/case.h"
#include "suite/contexts.h"

namespace assay {

struct CaseNames {
  std::string path, spec, clause, context, must_raise, control;
};

// Inputs are made anew at every call, from the plans alone. The case is in
// the quick profile only if the caller says so.
Case make_case(const CaseNames& names, PlannedProgram planned);

}  // namespace assay

#endif  // ASSAY_SUITE_MAKE_CASE_H_
