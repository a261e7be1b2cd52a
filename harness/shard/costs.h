// What cases cost, as it was recorded (results/costs.json, which `assay costs`
// writes): seconds of one case, by row and by kind of column, and those cases
// by themselves whose golden is dear. By this a run is split into shards, so
// the same table gives the same shards anywhere.
#ifndef ASSAY_HARNESS_SHARD_COSTS_H_
#define ASSAY_HARNESS_SHARD_COSTS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "suite/cases/case.h"

namespace assay::harness {

// The kind of what is no column's: the golden, worked out once for all.
inline constexpr const char* kGoldenKind = "golden";
// A golden from so many seconds on is recorded by itself.
inline constexpr double kDearGolden = 0.25;

// "inductor@2.11.0/cuda-sm_90" is of the kind "inductor/cuda".
std::string cost_kind(const std::string& column);

struct CostTable {
  // By row, then kind: mean seconds of a case.
  std::map<std::string, std::map<std::string, double>> rows;
  std::map<std::string, double> goldens;  // dear ones, by case
};

// The committed table.
std::filesystem::path costs_file();

// A missing file is an empty table.
Result<CostTable> load_costs(const std::filesystem::path& file);
// Two digits of each number: what is below that is weather.
std::string to_text(const CostTable& table);

// Of each case, in microseconds, at least 1: its golden and what all columns
// take. A row that the table lacks costs what rows do on the average.
std::vector<std::int64_t> costs_of(const std::vector<const cases::Case*>& cases,
                                   const std::vector<std::string>& columns,
                                   const CostTable& table);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SHARD_COSTS_H_
