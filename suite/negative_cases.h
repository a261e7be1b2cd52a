// Invalid inputs as cases: alone, and in the company that people meet them
// in, each with the valid case it was made from as its control.
#ifndef ASSAY_SUITE_NEGATIVE_CASES_H_
#define ASSAY_SUITE_NEGATIVE_CASES_H_

#include <string>
#include <vector>

#include "suite/op_cases.h"

namespace assay {

void add_negative_cases(OpCases* cases, std::vector<std::string>* uncovered);

}  // namespace assay

#endif  // ASSAY_SUITE_NEGATIVE_CASES_H_
