// Recorded observations: what subjects did, bit for bit, so that it can be
// judged again without them. JSON lines, each sealed (seal.h); the first is
// the header.
#ifndef ASSAY_HARNESS_RECORDS_RECORDING_H_
#define ASSAY_HARNESS_RECORDS_RECORDING_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "harness/records/files.h"
#include "harness/subject/observation.h"
#include "suite/cases/case.h"

namespace assay::harness {

// How a recording is called in a folder of a run that knows what it wants.
inline constexpr const char* kRecordingFile = "recording.jsonl";

struct RecordedObservation {
  std::string case_path;
  std::uint64_t case_hash = 0;  // identity_of the case it was made with
  std::string column;
  Observation observation;
};

// Hash of a case's program and inputs, bit for bit: an observation of another
// program, or of other inputs, says nothing of this one.
std::uint64_t identity_of(const cases::Case& c,
                          const std::vector<Tensor>& inputs);

nlohmann::ordered_json to_json(const RecordedObservation& o);
Result<RecordedObservation> observation_from_json(
    const nlohmann::ordered_json& record);

// Case and column of observations.
using RecordedCases = std::set<std::pair<std::string, std::string>>;

class RecordingWriter {
 public:
  // Starts a new file with `header`; refuses to overwrite one.
  static Result<RecordingWriter> create(const std::filesystem::path& file,
                                        const nlohmann::ordered_json& header);
  // Goes on with the file of a run that was killed, whose header must be
  // `header`; says which observations are `there`. Without one, starts it.
  static Result<RecordingWriter> resume(const std::filesystem::path& file,
                                        const nlohmann::ordered_json& header,
                                        RecordedCases* there);
  Status append(const RecordedObservation& o);

 private:
  RecordingWriter() = default;
  std::filesystem::path file_;
  Descriptor out_;
  std::uint64_t seal_ = 0;
};

struct RecordingReader {
  // Called once per file with its header, before its observations.
  std::function<Status(const nlohmann::ordered_json& header)> on_header;
  std::function<Status(RecordedObservation)> on_observation;
};

// The recordings (*.jsonl) of a folder in name order; none is no error.
Result<std::vector<std::filesystem::path>> recordings_in(
    const std::filesystem::path& dir);

// A file, or all recordings (*.jsonl) of a folder in name order; results
// files among them are passed over. A torn last line is left out. Stops at
// the first error; a header or record that was edited is one.
Status read_recording(const std::filesystem::path& path,
                      const RecordingReader& reader);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_RECORDING_H_
