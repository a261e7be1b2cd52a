// What is kept of a failure while its program gets smaller.
#ifndef ASSAY_HARNESS_REDUCE_FAILURE_H_
#define ASSAY_HARNESS_REDUCE_FAILURE_H_

#include <string>

#include "harness/records/result.h"
#include "harness/subject/observation.h"

namespace assay::harness {

struct Failure {
  CellStatus status = CellStatus::pass;
  FailureClass failure = FailureClass::none;
  std::string clause;     // "exp/A1"
  std::string exception;  // that was raised, if one was
};

Failure failure_of(const CaseResult& result, const Observation& observation);

// Is the subject wrong here, in a way that a smaller program may show?
bool is_reducible(const Failure& f);

// The same status, class and exception. A lost or wrong error is one of the
// same requirement; of values the clause is of the same kind, since that of an
// earlier operation may be broken in the same way.
bool is_same(const Failure& a, const Failure& b);

// "fail, lost_error, bmm/E4"
std::string to_text(const Failure& f);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REDUCE_FAILURE_H_
