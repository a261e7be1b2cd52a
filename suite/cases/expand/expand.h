// From specs to cases: each operation alone, in contexts and with invalid
// inputs, and each program.
#ifndef ASSAY_SUITE_CASES_EXPAND_EXPAND_H_
#define ASSAY_SUITE_CASES_EXPAND_EXPAND_H_

#include <functional>
#include <string>
#include <vector>

#include "suite/cases/case.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

struct Expansion {
  std::vector<Case> cases;          // in path order, paths unique
  std::vector<std::string> errors;  // a spec whose cases cannot be made
  // Requirements for which no invalid input was found ("bmm/E2"), with why.
  std::vector<std::string> uncovered;
  // Cases that specs/profile.yaml names and that there are none of any more,
  // with their place.
  std::vector<std::string> outdated;
};

// Of all rows, or of those whose names are wanted: a row's cases are the same
// either way.
Expansion expand(
    const language::SpecSet& specs,
    const std::function<bool(const std::string& row)>& wanted = {});

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_EXPAND_EXPAND_H_
