// From an observation to a result: the golden of a case, made once and shared
// by the columns that follow one release of PyTorch, made coherent with what
// was returned, then judged; a wrong value is judged again by less, to say
// what is wrong with it.
#ifndef ASSAY_HARNESS_JUDGE_ADJUDICATE_H_
#define ASSAY_HARNESS_JUDGE_ADJUDICATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/golden_source.h"
#include "harness/records/result.h"
#include "harness/subject/observation.h"
#include "reference/oracle/oracle.h"
#include "suite/cases/case.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// What is worked out once per case.
struct PreparedCase {
  const cases::Case* source = nullptr;
  std::vector<Tensor> inputs;
  reference::Golden golden;
  std::string fault;    // there is no golden, and why
  std::string vacuous;  // the golden could not tell right from wrong, and why
  bool coherent = false;
  // Asks what relates the results, where operations of the program say that.
  std::optional<Program> related;
  reference::OracleOptions asked;  // what the golden was asked for with

  // Goldens made coherent with one set of returned bits each: columns that
  // agree share them. Guarded by `mutex`.
  mutable std::mutex mutex;
  mutable std::map<std::uint64_t, std::shared_ptr<const reference::Golden>>
      seen;
  // The same case for subjects that follow a release of PyTorch with other
  // promises. Guarded by `mutex`.
  mutable std::map<TorchVersion, std::unique_ptr<const PreparedCase>> editions;
};

class Adjudicator {
 public:
  // Both must outlive it. `specs` may be null (witnesses name no operands).
  Adjudicator(const GoldenSource& oracle, reference::Numerics numerics,
              const language::SpecSet* specs)
      : oracle_(oracle), numerics_(numerics), specs_(specs) {}

  // Asks the oracle. Never fails: a missing golden is part of the answer.
  std::unique_ptr<PreparedCase> prepare(
      const cases::Case& c, TorchVersion torch = kDefaultTorch) const;

  // Judges by the promises of the release that the subject follows, and by what
  // it declares of subnormal numbers: a pass by that alone says so. Called by
  // several threads at once. The caller sets column and verdict.
  CaseResult result(const PreparedCase& prepared,
                    const Observation& observation) const;

  // `prepared`, or the edition of it that `observation` is judged by.
  const PreparedCase& edition(const PreparedCase& prepared,
                              const Observation& observation) const;
  // The golden that `observation` is judged by.
  Result<reference::Golden> golden_for(const PreparedCase& prepared,
                                       const Observation& observation) const;

  const GoldenSource& oracle() const { return oracle_; }
  reference::Numerics numerics() const { return numerics_; }
  const language::SpecSet* specs() const { return specs_; }  // or null

 private:
  Result<std::shared_ptr<const reference::Golden>> coherent(
      const PreparedCase& prepared, const Observation& observation) const;

  // Without what the subject declares.
  CaseResult undeclared_result(const PreparedCase& prepared,
                               const Observation& observation) const;
  // Of what was returned, without its alternatives.
  CaseResult result_of_one(const PreparedCase& prepared,
                           const Observation& observation) const;
  // What a case whose values are wrong is called: by which lesser promise they
  // would be right.
  FailureClass class_of(const PreparedCase& prepared,
                        const Observation& observation) const;
  bool right_by(const PreparedCase& prepared, const reference::Golden& golden,
                const Observation& observation) const;

  const GoldenSource& oracle_;
  reference::Numerics numerics_;
  const language::SpecSet* specs_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_ADJUDICATE_H_
