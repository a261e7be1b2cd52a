// Who kills whom: which cases of an operation tell which of its wrong
// implementations from a right one.
#ifndef ASSAY_HARNESS_FAULTS_KILL_MATRIX_H_
#define ASSAY_HARNESS_FAULTS_KILL_MATRIX_H_

#include <cstddef>
#include <string>
#include <vector>

#include "harness/judge/golden_source.h"
#include "suite/cases/case.h"
#include "suite/language/model/fault_spec.h"
#include "suite/language/model/spec.h"

namespace assay::harness::faults {

struct Kill {
  const language::FaultSpec* fault = nullptr;
  std::vector<const cases::Case*> killers;  // in the order in which they came
  std::string clause;                       // by which the first one does
  std::size_t asked = 0;                    // cases
  std::string failed;  // why a case could not be asked; the fault's own fault
};

struct RowKills {
  std::string row;
  std::vector<Kill> kills;
  // Cases that flag a right implementation, with the reason: never due.
  std::vector<std::string> flagged;
  std::size_t controls = 0;  // cases that a right implementation was asked
};

struct KillOptions {
  bool all = false;      // every case against every fault, not the first killer
  bool control = false;  // a right implementation on every case
};

// `cases` are the row's, in the order in which they are preferred; refusals
// among them are left out. A case that killed a fault is asked first about the
// next one, so that few cases kill all.
RowKills kill_row(const std::string& row,
                  const std::vector<const language::FaultSpec*>& faults,
                  const std::vector<const cases::Case*>& cases,
                  const language::SpecSet& specs, const GoldenSource& oracle,
                  const KillOptions& options);

// Elements that a case reads and returns: what it costs.
std::int64_t size_of(const cases::Case& c);

// Puts first what says most plainly what is wrong: calls alone before those in
// company, of these the cheapest.
void prefer(std::vector<const cases::Case*>* cases);

}  // namespace assay::harness::faults

#endif  // ASSAY_HARNESS_FAULTS_KILL_MATRIX_H_
