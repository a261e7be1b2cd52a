// The exit code of a run beside a baseline: what fails there already may.
#ifndef ASSAY_HARNESS_REPORT_BASELINE_GATE_H_
#define ASSAY_HARNESS_REPORT_BASELINE_GATE_H_

#include <string>

#include "harness/records/baseline.h"
#include "harness/report/gate.h"

namespace assay::harness {

// 2 where the facts are others, 1 where more fails or a case of the baseline
// has no result, else 0. `file` is the baseline's.
GateDecision decide_by_baseline(const BaselineDiff& diff,
                                const std::string& file);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_BASELINE_GATE_H_
