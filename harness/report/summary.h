// The report as a comment on a change request.
#ifndef ASSAY_HARNESS_REPORT_SUMMARY_H_
#define ASSAY_HARNESS_REPORT_SUMMARY_H_

#include <string>

#include "harness/report/gate.h"
#include "harness/report/report.h"

namespace assay::harness {

inline constexpr std::size_t kSummaryLines = 60;

// Markdown of at most kSummaryLines lines: the decision, what each column got
// wrong by kind of promise, the failures that nobody knows of with the command
// that repeats each, and what is known in one line a column.
std::string summary_report(const Report& report, const GateDecision& decision);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_SUMMARY_H_
