// Invalid inputs as cases: alone, and in the contexts in which people meet
// them. The control of each is the valid case that it was made from.
#ifndef ASSAY_SUITE_CASES_EXPAND_NEGATIVE_CASES_H_
#define ASSAY_SUITE_CASES_EXPAND_NEGATIVE_CASES_H_

#include <string>
#include <vector>

#include "suite/cases/expand/op_cases.h"

namespace assay::cases {

void add_negative_cases(OpCases* cases, std::vector<std::string>* uncovered);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_EXPAND_NEGATIVE_CASES_H_
