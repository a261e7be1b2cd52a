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

// Which rows are wanted, by name; empty: all. A row's cases are the same either
// way.
using RowFilter = std::function<bool(const std::string& row)>;

Expansion expand(const language::SpecSet& specs, const RowFilter& wanted = {});

// The two steps of expand(). Quotas choose each row's standard cases;
Expansion expand_by_quota(const language::SpecSet& specs,
                          const RowFilter& wanted = {});
// then specs/profile.yaml chooses the quick ones, whose controls are standard
// ones.
void mark_quick(const language::QuickCases& quick, const RowFilter& wanted,
                Expansion* out);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_EXPAND_EXPAND_H_
