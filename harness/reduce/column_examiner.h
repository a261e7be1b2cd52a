// Asks the oracle and one subject whether a failure remains.
#ifndef ASSAY_HARNESS_REDUCE_COLUMN_EXAMINER_H_
#define ASSAY_HARNESS_REDUCE_COLUMN_EXAMINER_H_

#include <vector>

#include "harness/judge/adjudicate.h"
#include "harness/reduce/failure.h"
#include "harness/reduce/search.h"
#include "harness/subject/executor.h"

namespace assay::harness {

// A case on the subject, and what the judge says of it.
struct Attempt {
  Observation observation;
  CaseResult result;
};
Attempt attempt(const PreparedCase& prepared, Executor& executor,
                const Adjudicator& adjudicator);

class ColumnExaminer : public Examiner {
 public:
  // All must outlive it. `wanted`: the failure that has to remain.
  ColumnExaminer(const Adjudicator& adjudicator, Executor& executor,
                 Failure wanted)
      : adjudicator_(adjudicator),
        executor_(executor),
        wanted_(std::move(wanted)) {}

  Examined examine(const Candidate& c, bool must_tell) override;
  // What the oracle takes for exact, as near as its dtype and the sets allow;
  // then what the subject returns for it.
  std::vector<GivenTensor> values_of(const Candidate& c, ValueRef v) override;

 private:
  const Adjudicator& adjudicator_;
  Executor& executor_;
  Failure wanted_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REDUCE_COLUMN_EXAMINER_H_
