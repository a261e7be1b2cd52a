// The matrix of a run that is going on: each row as soon as it is complete.
#ifndef ASSAY_HARNESS_REPORT_LIVE_H_
#define ASSAY_HARNESS_REPORT_LIVE_H_

#include <map>
#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay::harness {

class LiveMatrix {
 public:
  // `report` has its columns and cases; it must outlive this.
  LiveMatrix(const Report& report, bool colour);

  // The lines to print now: none, or the row that this result completes, with
  // the heading before the first one.
  std::string add(const CaseResult& result);

 private:
  struct Row {
    Report part;  // of this row's cases alone
    std::size_t due = 0;
  };

  const Report& report_;
  bool colour_;
  bool begun_ = false;
  std::map<std::string, std::string> row_of_;  // by case
  std::map<std::string, Row> rows_;
  std::size_t longest_ = 0;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_LIVE_H_
