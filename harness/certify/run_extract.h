// What a submission keeps of a run's folder: one column's records and
// observations of the cases that are asked for, in path order.
#ifndef ASSAY_HARNESS_CERTIFY_RUN_EXTRACT_H_
#define ASSAY_HARNESS_CERTIFY_RUN_EXTRACT_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/certify/level.h"
#include "harness/records/result.h"

namespace assay::harness {

struct RunExtract {
  nlohmann::ordered_json header;  // of one column, all cases of the extract
  std::string column;
  std::vector<CaseResult> results;           // in path order
  std::filesystem::path records, recording;  // written below `to`
};

// Reads `run`, writes below the folder `to`. `subject` as in
// SubmissionRequest. Cases that the run lacks are left out.
Result<RunExtract> extract_run(const std::filesystem::path& run,
                               const std::string& subject,
                               const std::vector<Duty>& duties,
                               const std::string& level,
                               const std::filesystem::path& to);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_RUN_EXTRACT_H_
