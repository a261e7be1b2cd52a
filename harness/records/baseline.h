// Baselines: the exact statuses of one run, which the CI of a project gates on.
// They are statements of a machine and hold for the same facts alone, except
// those that say which version of a subject is tested; what people say of a
// compiler stands in known failures (known.h).
//
// The file is JSON lines: a header with the identities of the run, then a line
// per case and column.
#ifndef ASSAY_HARNESS_RECORDS_BASELINE_H_
#define ASSAY_HARNESS_RECORDS_BASELINE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "harness/records/result.h"

namespace assay::harness {

struct BaselineEntry {
  CellStatus status = CellStatus::not_run;
  FailureClass failure = FailureClass::none;
  std::string clause;
  std::uint64_t output_hash = 0;
};

struct Baseline {
  nlohmann::ordered_json header;
  // By case and column, the column's name without its version.
  std::map<std::pair<std::string, std::string>, BaselineEntry> entries;
};

// "inductor@2.11.0/cpu": "inductor/cpu", which the next version is too.
std::string unversioned(std::string column);

// `header` and `results` are those of a run. Results that say nothing of the
// subject (not run, our fault) are left out.
Baseline make_baseline(const nlohmann::ordered_json& header,
                       const std::vector<CaseResult>& results);

Result<Baseline> read_baseline(const std::filesystem::path& file);
Status write_baseline(const std::filesystem::path& file, const Baseline& b);

// What a run says beside a baseline, a line each, "CASE on COLUMN: ...".
struct BaselineDiff {
  // Facts of the machine or of a column that differ: nothing else is compared.
  std::vector<std::string> facts;
  std::vector<std::string> failures;  // that were none, or were others
  std::vector<std::string> fixed;
  std::vector<std::string> bits;     // as right as before, with other bits
  std::vector<std::string> missing;  // of the run's columns, not in the run
  std::size_t fresh = 0;             // results of which the baseline is silent
  std::size_t same = 0;
};

// Columns that only one of them has are left out. `missing` counts only where
// the run was of the same profile, with no filters.
BaselineDiff diff_baseline(const Baseline& before, const Baseline& now);

// What `now` fails that `before` does not: a baseline may only shrink.
std::vector<std::string> growth(const Baseline& before, const Baseline& now);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_BASELINE_H_
