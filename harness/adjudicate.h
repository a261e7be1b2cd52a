// From an observation to a result: the golden of a case, made once and shared
// by the columns that follow one release of PyTorch, made coherent with what
// was returned, then judged.
#ifndef ASSAY_HARNESS_ADJUDICATE_H_
#define ASSAY_HARNESS_ADJUDICATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/executor.h"
#include "harness/result.h"
#include "reference/oracle.h"
#include "suite/case.h"
#include "suite/spec.h"

namespace assay {

// What is worked out once per case. Thread-safe where it says so.
struct PreparedCase {
  const Case* source = nullptr;
  std::vector<Tensor> inputs;
  Golden golden;
  std::string fault;    // there is no golden, and why
  std::string vacuous;  // the golden could not tell right from wrong, and why
  bool coherent = false;
  OracleOptions asked;  // what the golden was asked for with

  // Goldens made coherent with one set of returned bits each: columns that
  // agree share them. Guarded by `mutex`.
  mutable std::mutex mutex;
  mutable std::map<std::uint64_t, std::shared_ptr<const Golden>> seen;
  // The same case for subjects that follow a release of PyTorch whose promises
  // are others. Guarded by `mutex`.
  mutable std::map<TorchVersion, std::unique_ptr<const PreparedCase>> editions;
};

class Adjudicator {
 public:
  // Both must outlive it. `specs` may be null (witnesses name no operands).
  Adjudicator(const GoldenSource& oracle, Profile profile, const SpecSet* specs)
      : oracle_(oracle), profile_(profile), specs_(specs) {}

  // Asks the oracle. Never fails: a missing golden is part of the answer.
  std::unique_ptr<PreparedCase> prepare(
      const Case& c, TorchVersion torch = kDefaultTorch) const;

  // By the promises of the release that the subject follows. Called by
  // several threads at once. The caller sets column and verdict.
  CaseResult result(const PreparedCase& prepared,
                    const Observation& observation) const;

  // `prepared`, or the edition of it that `observation` is judged by.
  const PreparedCase& edition(const PreparedCase& prepared,
                              const Observation& observation) const;
  // The golden that `observation` is judged by.
  Result<Golden> golden_for(const PreparedCase& prepared,
                            const Observation& observation) const;

  const GoldenSource& oracle() const { return oracle_; }
  Profile profile() const { return profile_; }

 private:
  Result<std::shared_ptr<const Golden>> coherent(
      const PreparedCase& prepared, const Observation& observation) const;

  const GoldenSource& oracle_;
  Profile profile_;
  const SpecSet* specs_;
};

}  // namespace assay

#endif  // ASSAY_HARNESS_ADJUDICATE_H_
