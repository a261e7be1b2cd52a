// The folder of a run, read back as a report.
#ifndef ASSAY_HARNESS_RECORDED_RUN_FOLDER_H_
#define ASSAY_HARNESS_RECORDED_RUN_FOLDER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/report/page.h"
#include "harness/report/report.h"
#include "harness/run/session.h"

namespace assay::harness {

struct RunFolder {
  std::string label;         // the folder's name
  Report report;             // without columns where there are only sweeps
  bool other_specs = false;  // the run had other specs than the session
  std::vector<PageSweep> sweeps;
};

// `path` is a folder that holds results.jsonl, records of exhaustive sweeps or
// both, or a results file. Where the run had the session's specs, the report
// has every case that was selected, else those that were recorded. `known` is
// the folder of known failures, for entries that no longer hold; empty: none.
Result<RunFolder> read_run_folder(const std::filesystem::path& path,
                                  const Session& session,
                                  const std::filesystem::path& known);

// Several runs side by side. Columns that occur twice are told apart by the
// labels. An error if the runs were judged by different numerics.
Result<Report> side_by_side(const std::vector<RunFolder>& folders);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDED_RUN_FOLDER_H_
