// Runs every case on every column: `jobs` threads, each driving one worker at
// a time or working out a golden. Slow columns have as many workers as are of
// use, fast ones share what jobs there are beyond the columns. Columns advance
// in step, so that goldens are shared and verdicts come early.
#ifndef ASSAY_HARNESS_RUN_SCHEDULER_H_
#define ASSAY_HARNESS_RUN_SCHEDULER_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/adjudicate.h"
#include "harness/records/result.h"
#include "harness/run/pack.h"
#include "harness/subject/executor.h"
#include "suite/cases/case.h"

namespace assay::harness {

struct ColumnPlan {
  std::string name;
  bool slow = false;         // pack cases
  bool needs_types = false;  // outputs are allocated by the harness
  // False: programs that must be refused are not asked (not_promised).
  bool promises_errors = true;
  bool promises_rows = false;  // a row alone is asked for, too (rows.h)
  ExecutorFactory make;
  std::unique_ptr<Executor> started;  // one that is there already, or null
  std::set<std::string> done;         // case paths that a resumed run skips
  // Is this failure on the column's list? Then a pack is believed: the case is
  // not compiled again alone. None: it always is.
  std::function<bool(const CaseResult&)> expected;
};

struct ScheduleOptions {
  int jobs = 1;
  // Of one program: for subjects that compile fast; for `slow` ones, which get
  // two seconds more for each further case of a pack.
  std::chrono::milliseconds deadline{60'000};
  std::chrono::milliseconds slow_deadline{180'000};
  // Set from outside to stop: cases in flight end, none begins.
  const std::atomic<bool>* stop = nullptr;
  // The packs of slow columns where those of the cases alone would be others:
  // a part of a run (harness/shard) has the packs of the whole. Empty: none
  // are.
  std::vector<std::vector<std::size_t>> packs = {};
};

// Takes findings one at a time. False stops the run (a full disk).
using FindingSink = std::function<bool(std::size_t column, const Finding&)>;

struct ScheduleStats {
  bool complete = false;      // every case of every column has its finding
  std::string lacking;        // what we lacked to ask a subject, if anything
  double golden_seconds = 0;  // spent in the oracle, over all threads
  std::vector<std::pair<double, std::string>> slowest_goldens;
  std::vector<double> column_seconds;  // time that workers were busy
  std::vector<std::size_t> programs;   // that were compiled, packed or not
};

// Ends early where a subject cannot be asked for a reason of ours (no shared
// memory, say). That is no finding, so a resumed run asks it again.
ScheduleStats run_schedule(const std::vector<const cases::Case*>& cases,
                           std::vector<ColumnPlan> columns,
                           const Adjudicator& adjudicator,
                           const ScheduleOptions& options,
                           const FindingSink& sink);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_SCHEDULER_H_
