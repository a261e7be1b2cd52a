// The report as Markdown, for results/ and for pull requests.
#ifndef ASSAY_HARNESS_REPORT_MARKDOWN_H_
#define ASSAY_HARNESS_REPORT_MARKDOWN_H_

#include <string>

#include "harness/report/gate.h"
#include "harness/report/report.h"

namespace assay::harness {

// Text inside a table's cell.
std::string markdown_escaped(const std::string& text);

std::string markdown_report(const Report& report, const GateDecision& decision);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_MARKDOWN_H_
