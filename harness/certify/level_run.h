// Runs the cases that a level or a challenge asks for on one subject, and
// leaves records, recording and a log in a folder.
#ifndef ASSAY_HARNESS_CERTIFY_LEVEL_RUN_H_
#define ASSAY_HARNESS_CERTIFY_LEVEL_RUN_H_

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/certify/level.h"
#include "harness/records/result.h"

namespace assay::harness {

struct LevelRun {
  const Session& session;
  const Level& level;
  const std::vector<Duty>& duties;
  std::string subject;        // as on the command line
  std::filesystem::path dir;  // made where needed; holds no results yet
  int jobs = 1;
  std::chrono::milliseconds deadline{0};  // of one program; 0: the default
  std::function<void(const CaseResult&)> on_result = {};  // for progress
};

// An error: the subject does not start, the disk is full. Interrupted runs are
// errors, too; `*interrupted` tells them.
Status run_level(const LevelRun& run, bool* interrupted);

// Names of what it leaves there, beside results.jsonl.
inline constexpr const char* kRunRecording = "recording.jsonl";
inline constexpr const char* kRunLog = "log.txt";

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_LEVEL_RUN_H_
