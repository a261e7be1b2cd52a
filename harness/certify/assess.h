// What a level makes of results: which count, which are waived, which keep the
// product from being certified.
#ifndef ASSAY_HARNESS_CERTIFY_ASSESS_H_
#define ASSAY_HARNESS_CERTIFY_ASSESS_H_

#include <map>
#include <string>

#include "harness/certify/level.h"
#include "harness/certify/objections.h"
#include "harness/records/known.h"
#include "harness/records/result.h"

namespace assay::harness {

class Assessment {
 public:
  // `waivers` are the failures that the submission asks to be forgiven; they
  // end on the day `today`. All must outlive it.
  Assessment(const Level& level, const KnownList& waivers, std::string today,
             Objections* objections)
      : level_(level),
        waivers_(waivers),
        today_(std::move(today)),
        objections_(objections) {}

  // `result` is told in the matrix, `counted` decides: the same, but for what
  // a declaration excuses.
  void add(const Duty& duty, const CaseResult& result, CaseResult counted);

  // "4812 cases: 4800 pass, 12 fail; fails: 10 wrong_value, 2 lost_error"
  std::string summary() const;
  // The same by row: matrix.txt of a submission, a function of the results.
  std::string matrix() const;
  std::size_t waived() const { return waived_; }

 private:
  void object(const Duty& duty, const CaseResult& result);

  const Level& level_;
  const KnownList& waivers_;
  std::string today_;
  Objections* objections_;
  std::map<std::string, std::map<CellStatus, std::size_t>> rows_;
  std::map<FailureClass, std::size_t> classes_;  // of fails
  std::size_t waived_ = 0;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_ASSESS_H_
