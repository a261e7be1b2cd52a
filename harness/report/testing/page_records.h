// What a page holds, for tests: the other way round than html_page().
#ifndef ASSAY_HARNESS_REPORT_TESTING_PAGE_RECORDS_H_
#define ASSAY_HARNESS_REPORT_TESTING_PAGE_RECORDS_H_

#include <string>

namespace assay::harness::testing {

// What packed() made TEXT of; empty where TEXT is no zlib stream in base64.
std::string unpacked(const std::string& text);

// The JSON that the script of the page HTML will read; empty where HTML is no
// page.
std::string page_records(const std::string& html);

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_REPORT_TESTING_PAGE_RECORDS_H_
