// A made-up report of any size, for tests of the page: six versions side by
// side, targets of CUDA that look alike, every status and form of witness, and
// text that no page may take for markup.
#ifndef ASSAY_HARNESS_REPORT_TESTING_SAMPLE_REPORT_H_
#define ASSAY_HARNESS_REPORT_TESTING_SAMPLE_REPORT_H_

#include <cstddef>

#include "harness/report/gate.h"
#include "harness/report/page.h"
#include "harness/report/report.h"

namespace assay::harness::testing {

// Text that ends scripts, opens comments, is no UTF-8 or cannot be seen.
inline constexpr const char* kHostile =
    "</script><script>window.hostile = 1</script><!-- \x01\x1b[31m \xff\xc3 "
    "\xe2\x80\xa8 &lt; \"'` <img src=x onerror=window.hostile=2>";

struct SamplePage {
  Report report;
  GateDecision decision;
  PageInput input;  // points to both
};

// At least `records` records. The same arguments give the same report.
void make_sample(std::size_t records, SamplePage* out);

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_REPORT_TESTING_SAMPLE_REPORT_H_
