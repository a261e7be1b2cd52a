// Invalid inputs as cases: alone, and in the company that people meet them
// in, each with the valid case it was made from as its control.
#ifndef ASSAY_SUITE_CASES_EXPAND_NEGATIVE_CASES_H_
#define ASSAY_SUITE_CASES_EXPAND_NEGATIVE_CASES_H_

#include <string>
#include <vector>

#include "suite/cases/expand/op_cases.h"

namespace assay::cases {

void add_negative_cases(OpCases* cases, std::vector<std::string>* uncovered);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_EXPAND_NEGATIVE_CASES_H_
