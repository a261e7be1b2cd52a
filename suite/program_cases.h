// Programs as cases: one per combination of a program's axes.
#ifndef ASSAY_SUITE_PROGRAM_CASES_H_
#define ASSAY_SUITE_PROGRAM_CASES_H_

#include <string>
#include <vector>

#include "suite/case.h"
#include "suite/spec.h"

namespace assay {

void add_program_cases(const SpecSet& specs, const ProgramSpec& spec,
                       std::vector<Case>* cases,
                       std::vector<std::string>* errors);

}  // namespace assay

#endif  // ASSAY_SUITE_PROGRAM_CASES_H_
