// The report on the terminal.
#ifndef ASSAY_HARNESS_REPORT_TEXT_H_
#define ASSAY_HARNESS_REPORT_TEXT_H_

#include <string>

#include "harness/report/gate.h"
#include "harness/report/report.h"

namespace assay::harness {

struct TextOptions {
  bool colour = false;
};

// Title, matrix, legend, failures by row, verdicts, exit code with reasons.
std::string text_report(const Report& report, const GateDecision& decision,
                        const TextOptions& options = {});

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_TEXT_H_
