// One case on one subject, for the commands that look closely at a case.
#ifndef ASSAY_HARNESS_RUN_OBSERVE_H_
#define ASSAY_HARNESS_RUN_OBSERVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/judge/adjudicate.h"
#include "harness/records/result.h"
#include "harness/subject/executor.h"

namespace assay::harness {

struct Observed {
  std::string column;
  Observation observation;
  CaseResult result;
};

// Of a program that must be refused, where the column promises no errors: it is
// not asked.
Observation not_promised();

// Runs the case and judges it. `needs_types` as in ColumnPlan.
Observed observe(const PreparedCase& prepared, const std::string& column,
                 Executor& executor, bool needs_types,
                 const Adjudicator& adjudicator);

// Elements worth looking at: the worst ones of each observation, the first
// that two conforming observations disagree on, else the one nearest to its
// bound. (output, element) pairs without repetition.
struct Place {
  int output = 0;
  std::int64_t element = 0;
  bool operator==(const Place&) const = default;
};
std::vector<Place> places_of_interest(const PreparedCase& prepared,
                                      const std::vector<Observed>& observed,
                                      const Adjudicator& adjudicator,
                                      std::size_t limit);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_OBSERVE_H_
