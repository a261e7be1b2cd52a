// DIR/SWEEP@COLUMN.jsonl: a header with the identities, then one tally per
// part, appended as it is counted. A killed sweep goes on with the parts that
// are missing.
#ifndef ASSAY_HARNESS_SWEEP_RECORDS_H_
#define ASSAY_HARNESS_SWEEP_RECORDS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/result.h"
#include "harness/records/files.h"
#include "reference/sweep/tally.h"

namespace assay::harness {

nlohmann::ordered_json to_json(const reference::Tally& t);
Result<reference::Tally> tally_from_json(const nlohmann::ordered_json& j);

class SweepRecords {
 public:
  // Takes hold of the file, and of its tallies if its header is ours; fails
  // saying what differs if it is not. `fresh` starts anew instead. Only one
  // process at a time may have the file.
  static Result<SweepRecords> open(const std::filesystem::path& dir,
                                   const std::string& name,
                                   const nlohmann::ordered_json& header,
                                   bool fresh);

  Status append(std::uint64_t part, const reference::Tally& tally);

  // By part.
  const std::map<std::uint64_t, reference::Tally>& parts() const {
    return parts_;
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  SweepRecords() = default;
  Status take(const nlohmann::ordered_json& header,
              const nlohmann::ordered_json& record, std::size_t line);

  std::filesystem::path file_;
  std::map<std::uint64_t, reference::Tally> parts_;
  Descriptor out_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SWEEP_RECORDS_H_
