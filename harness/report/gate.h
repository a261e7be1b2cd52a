// The exit code of a run, and the reasons for it in words.
#ifndef ASSAY_HARNESS_REPORT_GATE_H_
#define ASSAY_HARNESS_REPORT_GATE_H_

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay::harness {

inline constexpr int kConforms = 0;
inline constexpr int kDoesNotConform = 1;
inline constexpr int kOurFault = 2;  // spec, harness or usage
inline constexpr int kIncomplete = 3;

struct GateDecision {
  int exit_code = kConforms;
  // In words. "conforms" is said of whole profiles alone.
  std::string meaning;
  std::vector<std::string> because;  // most important first; empty if 0
  // Of each column, how many cases it executed and how many it did not.
  std::vector<std::string> counts;
  std::vector<std::string> notes;  // which decide nothing
};

// An incomplete run proves nothing either way, so 3 goes before 2 and 1; a
// fault of ours puts the failures in doubt, so 2 goes before 1. All reasons
// are listed, whichever decides. A column that executed none of a profile's
// cases leaves the run incomplete.
GateDecision decide(const Report& report);

// The counts and notes, then "exit 1 (...) because:" and a line for each
// reason, or "exit 0: ...".
std::string to_string(const GateDecision& decision);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_GATE_H_
