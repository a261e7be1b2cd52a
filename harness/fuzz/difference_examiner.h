// Asks two executions of one compiler whether they still differ.
#ifndef ASSAY_HARNESS_FUZZ_DIFFERENCE_EXAMINER_H_
#define ASSAY_HARNESS_FUZZ_DIFFERENCE_EXAMINER_H_

#include <vector>

#include "harness/reduce/search.h"
#include "harness/subject/executor.h"

namespace assay::harness {

class DifferenceExaminer : public Examiner {
 public:
  // All must outlive it.
  DifferenceExaminer(const language::SpecSet& specs, Executor& a, Executor& b)
      : specs_(specs), a_(a), b_(b) {}

  // Whatever both return tells: no oracle is asked.
  Examined examine(const Candidate& c, bool must_tell) override;
  // What the first execution returns for it.
  std::vector<GivenTensor> values_of(const Candidate& c, ValueRef v) override;

 private:
  Observation run(const Candidate& c, Executor& executor) const;

  const language::SpecSet& specs_;
  Executor& a_;
  Executor& b_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_DIFFERENCE_EXAMINER_H_
