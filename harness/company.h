// Cases that were compiled together. What fails in company is run again
// alone; what fails only in company is flaky, never a pass.
#ifndef ASSAY_HARNESS_COMPANY_H_
#define ASSAY_HARNESS_COMPANY_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/result.h"
#include "harness/subject.h"

namespace assay {

// Does the subject keep its promises here, as far as this case can tell?
bool conforms(const CaseResult& result);

// The result of a case that conformed in one run and not in another.
CaseResult flaky_result(const CaseResult& good, const CaseResult& bad,
                        const std::string& difference);

// A result with the observations that it rests on.
struct Finding {
  std::size_t case_index = 0;
  CaseResult result;
  std::vector<Observation> observations;
};

// A program of several cases that failed as a whole, and so was taken apart.
// If its parts all do well, the failure is put down to its first case.
class Company {
 public:
  // `observation` says how the whole failed.
  Company(std::vector<std::size_t> cases, Observation observation);

  // A part of it has failed as a whole in its turn: that explains this, and
  // its cases are no longer ours to watch.
  std::vector<Finding> part_failed(const std::vector<std::size_t>& cases);

  // The finding about one of its cases, alone or in a smaller company.
  // Returns what can be reported now.
  std::vector<Finding> settle(Finding finding);

 private:
  std::vector<Finding> close_if_complete();

  Observation observation_;
  std::string description_;
  std::size_t first_ = 0;
  std::size_t remaining_ = 0;
  bool explained_ = false;
  std::optional<Finding> withheld_;  // of the first case
};

}  // namespace assay

#endif  // ASSAY_HARNESS_COMPANY_H_
