// Programs as cases: one per combination of a program's axes.
#ifndef ASSAY_SUITE_CASES_EXPAND_PROGRAM_CASES_H_
#define ASSAY_SUITE_CASES_EXPAND_PROGRAM_CASES_H_

#include <string>
#include <vector>

#include "suite/cases/case.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

void add_program_cases(const language::SpecSet& specs,
                       const language::ProgramSpec& spec,
                       std::vector<Case>* cases,
                       std::vector<std::string>* errors);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_EXPAND_PROGRAM_CASES_H_
