// DIR/results.jsonl: a header line with the identities of the run, then one
// record per case and column, appended as it happens. A killed run leaves at
// most one torn line; a resumed one skips what is there.
#ifndef ASSAY_HARNESS_RECORDS_RESULTS_FILE_H_
#define ASSAY_HARNESS_RECORDS_RESULTS_FILE_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/records/files.h"
#include "harness/records/result.h"

namespace assay::harness {

// What the file holds. `valid_bytes` is where the last whole line ends.
// Each record is sealed (seal.h).
struct ResultsFile {
  nlohmann::ordered_json header;  // null: not even the header is whole
  std::vector<CaseResult> results;
  std::uint64_t valid_bytes = 0;
  std::uint64_t seal = 0;  // of the last record
};

// A torn last line is left out; any other fault is an error with its line.
Result<ResultsFile> read_results(const std::filesystem::path& file);

// What differs between two headers, for a person; empty if the second run
// may go on with the first one's file.
std::string header_difference(const nlohmann::ordered_json& there,
                              const nlohmann::ordered_json& ours);

class Records {
 public:
  // Takes hold of `dir` (made where needed). `existing` must be null unless
  // the run resumes: then it receives the results that are there, and the
  // header there must be ours. Nothing is written where this fails.
  static Result<Records> open(const std::filesystem::path& dir,
                              const nlohmann::ordered_json& header,
                              std::vector<CaseResult>* existing);

  // One line, handed to the kernel before this returns.
  Status append(const CaseResult& result);

  // Replaces the file by header and `results`, in their order.
  Status finish(const std::vector<CaseResult>& results);

  const std::filesystem::path& dir() const { return dir_; }
  std::filesystem::path file() const { return dir_ / "results.jsonl"; }

 private:
  Records() = default;

  std::filesystem::path dir_;
  nlohmann::ordered_json header_;
  Descriptor lock_;
  Descriptor out_;
  std::uint64_t seal_ = 0;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_RESULTS_FILE_H_
