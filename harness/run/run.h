// A run: schedule, known failures, records, verdicts. What the command line
// and the tests share; it knows nothing of either.
#ifndef ASSAY_HARNESS_RUN_RUN_H_
#define ASSAY_HARNESS_RUN_RUN_H_

#include <functional>
#include <string>
#include <vector>

#include "harness/judge/adjudicate.h"
#include "harness/records/known.h"
#include "harness/records/recording.h"
#include "harness/records/results_file.h"
#include "harness/run/scheduler.h"

namespace assay::harness {

struct RunSetup {
  std::vector<const cases::Case*> cases;
  std::vector<ColumnPlan> columns;
  std::vector<KnownList> known;      // one per column; may be empty
  std::vector<CaseResult> existing;  // of the run that is resumed
  Records* records = nullptr;        // may be null
  RecordingWriter* recording = nullptr;
  ScheduleOptions options;
  std::string today;
  std::function<void(const CaseResult&)> on_result;  // for progress
};

struct RunOutcome {
  // In the order of cases, then columns; final, with verdicts.
  std::vector<CaseResult> results;
  bool complete = false;
  // Why the run ended early: results could not be kept ("no space left ..."),
  // or a subject not be asked. Empty if all went well.
  std::string lost;
  ScheduleStats stats;
};

RunOutcome run_cases(RunSetup setup, const Adjudicator& adjudicator);

// Applies `known` (one list per column) afresh and sets the verdicts; sorts
// by the order of `cases`, then of `columns`.
void finalise(const std::vector<std::string>& case_order,
              const std::vector<std::string>& columns,
              const std::vector<KnownList>& known, const std::string& today,
              std::vector<CaseResult>* results);

// Over all columns.
std::vector<StaleEntry> all_stale_entries(
    const std::vector<std::string>& columns,
    const std::vector<KnownList>& known, const std::vector<CaseResult>& results,
    const RunExtent& extent, const std::string& today);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_RUN_H_
