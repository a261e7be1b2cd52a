// A sweep over one subject: parts, threads, records.
#ifndef ASSAY_HARNESS_SWEEP_RUN_H_
#define ASSAY_HARNESS_SWEEP_RUN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "harness/sweep/records.h"
#include "harness/sweep/subject.h"

namespace assay::harness {

struct SweepSetup {
  const reference::Sweep* sweep = nullptr;
  const reference::Engine* engine = nullptr;  // null: MPFR alone
  std::int64_t length = 1 << 18;              // of one call
  // What is lost at most when a sweep is killed.
  std::uint64_t part = std::uint64_t{1} << 22;
  int jobs = 1;
  // One subject for each job; called by several threads.
  std::function<std::unique_ptr<SweepSubject>()> subject;
  SweepRecords* records = nullptr;
  const std::atomic<bool>* stop = nullptr;
  // Called by one thread at a time after each part.
  std::function<void(std::uint64_t inputs)> on_progress;
};

struct SweepOutcome {
  reference::Tally tally;  // of the parts that are there
  bool complete = false;
  // What ended it early, the stop flag aside, or first cost it a part.
  std::string fault;
  std::string slow;  // why the loops were not used
};

// Judges the parts that `records` lacks.
SweepOutcome run_sweep(const SweepSetup& setup);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SWEEP_RUN_H_
