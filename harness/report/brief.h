// The report of a large run in at most 60 lines: what kinds of promises each
// column kept, and the rows that are red, worst first.
#ifndef ASSAY_HARNESS_REPORT_BRIEF_H_
#define ASSAY_HARNESS_REPORT_BRIEF_H_

#include <string>

#include "harness/report/gate.h"
#include "harness/report/report.h"

namespace assay::harness {

// Runs of more rows than this are reported in brief.
inline constexpr std::size_t kBriefRows = 20;

// `rest` is the file that holds the whole matrix and every failure.
std::string brief_report(const Report& report, const GateDecision& decision,
                         const std::string& rest);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_BRIEF_H_
