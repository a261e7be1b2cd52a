// The files of page/ as they were when this was built (embed.cmake,
// CMakeLists.txt), in the order in which they stand in the page. A null ends
// each list.
#ifndef ASSAY_HARNESS_REPORT_PAGE_PARTS_H_
#define ASSAY_HARNESS_REPORT_PAGE_PARTS_H_

#include <string>

namespace assay::harness {

extern const char* const kPageTemplate[];
extern const char* const kPageStyle[];
extern const char* const kPageScript[];

inline std::string joined(const char* const* files) {
  std::string text;
  for (; *files != nullptr; ++files) text += *files;
  return text;
}

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_PAGE_PARTS_H_
