// The report as JUnit XML: a suite per column, a test per case. Known
// failures and unsupported cases are "skipped", with the reason.
#ifndef ASSAY_HARNESS_REPORT_JUNIT_H_
#define ASSAY_HARNESS_REPORT_JUNIT_H_

#include <string>

#include "harness/report/report.h"

namespace assay::harness {

std::string junit_report(const Report& report);

// Text as XML content or attribute: escaped, well-formed UTF-8, without the
// control characters that XML 1.0 has no spelling for.
std::string xml_escaped(const std::string& text);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_JUNIT_H_
