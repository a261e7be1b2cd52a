// How a run ends, also one that was joined from parts: reports in the forms
// that were asked for, the gate, the exit code.
#ifndef ASSAY_HARNESS_COMMANDS_RUN_OUTCOME_H_
#define ASSAY_HARNESS_COMMANDS_RUN_OUTCOME_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "core/result.h"
#include "harness/commands/run/report_files.h"
#include "harness/records/baseline.h"
#include "harness/report/report.h"

namespace assay::harness {

struct OutcomeOptions {
  bool json = false;
  bool unfold = false;
  ReportFiles files;
  std::filesystem::path baseline;
};

void add_outcome_options(CLI::App* command, OutcomeOptions* o);

// Can the reports be written? To be asked before anything starts.
Status check_outcome(const OutcomeOptions& o);

// The baseline to compare with, if one is named.
Result<std::optional<Baseline>> baseline_of(const OutcomeOptions& o);

// Writes and prints the reports, the whole text to report.txt in `dir`; returns
// the exit code: by the known failures, or by the baseline.
int conclude(const OutcomeOptions& o, const Report& report,
             const Session& session, const std::filesystem::path& dir,
             const std::optional<Baseline>& baseline);

// Are terminals painted?
bool wants_colour();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_RUN_OUTCOME_H_
