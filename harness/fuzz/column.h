// A column of a fuzzing run, and the other executions of the bundled compiler
// beside it: its interpreters of the graph and of the nest, and what runs the
// nest by blocks, all of which have to give the bits of the compiled text.
#ifndef ASSAY_HARNESS_FUZZ_COLUMN_H_
#define ASSAY_HARNESS_FUZZ_COLUMN_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/fuzz/worker_pool.h"
#include "harness/records/known.h"
#include "harness/run/scheduler.h"

namespace assay::harness {

struct FuzzColumn {
  std::string name;      // "bundled/cpu-avx512"
  std::string spelling;  // as on the command line
  std::shared_ptr<WorkerPool> workers;
  KnownList known;
  bool packs = false;  // compiles slowly enough for packs to be worth it
  bool needs_types = false;
  bool promises_errors = true;
  // The column, by index, that gives the same bits. Nothing: it stands alone.
  std::optional<std::size_t> twin_of;
};

// Starts the subjects and, of the bundled compiler on the CPU, its other
// engines. `known` is the folder of known failures, empty for none. An
// error says what could not be started or read.
Result<std::vector<FuzzColumn>> open_columns(
    const std::vector<std::string>& spellings,
    const std::filesystem::path& known);

ColumnPlan plan_of(const FuzzColumn& column);

// Is a failure listed? By clause, status and class alone: what an entry says of
// cases and of the size of an error is about those of the suite.
bool is_known(const FuzzColumn& column, CaseResult result,
              const std::string& op);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_COLUMN_H_
