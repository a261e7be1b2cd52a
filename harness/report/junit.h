// The report as JUnit XML: up to three suites per column, a test per case.
// COLUMN has what passes and what fails, "COLUMN known failures" what is known
// and "COLUMN not judged" what is unsupported or did not run, both as
// "skipped", with the reason.
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
