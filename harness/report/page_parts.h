// The files of page/ as they were when this was built: `style` and `script`
// are theirs one after another (embed.cmake, CMakeLists.txt).
#ifndef ASSAY_HARNESS_REPORT_PAGE_PARTS_H_
#define ASSAY_HARNESS_REPORT_PAGE_PARTS_H_

namespace assay::harness {

extern const char kPageTemplate[];
extern const char kPageStyle[];
extern const char kPageScript[];

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_PAGE_PARTS_H_
