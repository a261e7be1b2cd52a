// page_sample FILE RECORDS: writes the page of a made-up report, for the tests
// in a browser.
#include <cstdio>
#include <cstdlib>

#include "harness/records/files.h"
#include "harness/report/page.h"
#include "harness/report/testing/sample_report.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: page_sample FILE RECORDS\n");
    return 2;
  }
  assay::harness::testing::SamplePage sample;
  assay::harness::testing::make_sample(std::strtoul(argv[2], nullptr, 10),
                                       &sample);
  const assay::Status written = assay::harness::replace_file(
      argv[1], assay::harness::html_page(sample.input));
  if (written) return 0;
  std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return 3;
}
