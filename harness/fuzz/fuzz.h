// A fuzzing run: draws programs, asks every column, collects what it finds.
#ifndef ASSAY_HARNESS_FUZZ_FUZZ_H_
#define ASSAY_HARNESS_FUZZ_FUZZ_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/fuzz/column.h"
#include "harness/fuzz/findings.h"
#include "harness/fuzz/generator.h"
#include "harness/judge/adjudicate.h"

namespace assay::harness {

struct FuzzSetup {
  const CallTemplates& templates;
  const Adjudicator& adjudicator;
  const std::vector<FuzzColumn>& columns;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  // programs from here on, up to before `end`
  std::uint64_t end = 0;
  std::chrono::steady_clock::time_point until = {};  // then none begins
  int jobs = 1;
  std::filesystem::path out = {};  // a folder that is there
  int reduce_trials = 300;  // programs for one reduction, 0: none is made
  const std::atomic<bool>* stop = nullptr;
  // Called for each finding when it was made.
  std::function<void(const FuzzFinding&)> on_finding = {};
};

struct FuzzReport {
  std::uint64_t drawn = 0;   // programs, from the first on
  std::size_t refused = 0;   // of those judged: must be refused
  std::size_t returned = 0;  // of those judged: must return
  std::size_t vacuous = 0;   // dropped: nobody could fail them
  // Dropped: the oracle could not say, or said otherwise than the suite, and
  // why, with a program that shows it. The latter is a fault of ours.
  std::map<std::string, std::uint64_t> undecided, at_odds;
  std::size_t undecided_count = 0;
  std::vector<std::map<CellStatus, std::size_t>> statuses;  // by column
  // What a column declared that it cannot do, and how often.
  std::map<std::pair<std::size_t, std::string>, std::size_t> unsupported;
  std::vector<FuzzFinding> findings;
  std::map<std::pair<std::size_t, std::string>, std::size_t> known;
  bool interrupted = false;
  std::string lost;  // why it ended early, if that was our fault
};

FuzzReport fuzz(const FuzzSetup& setup);

// "fuzz/1/731"
std::string fuzz_path(std::uint64_t seed, std::uint64_t number);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_FUZZ_H_
