// How a run is split into shards that different machines run: a function of
// the cases that were selected, of what they cost by the committed table, and
// of how many shards there are. So every shard works out the same plan, and
// who joins them can tell whether they followed it.
#ifndef ASSAY_HARNESS_SHARD_PLAN_H_
#define ASSAY_HARNESS_SHARD_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/records/shard.h"
#include "suite/cases/case.h"

namespace assay::harness {

struct ShardPlan {
  // Of the whole run, for slow columns: cases by position, heavy packs first.
  // No pack is split, so that a compiler sees the programs of a whole run.
  std::vector<std::vector<std::size_t>> packs;
  std::vector<int> owner;          // of each case, the shard, from 1 on
  std::vector<std::int64_t> cost;  // expected of each shard
  std::uint64_t hash = 0;          // of the paths of all cases and their owners

  // The positions of the cases of a shard, in order.
  std::vector<std::size_t> cases_of(const Shard& shard) const;
};

// `costs` by case, in any unit. A row stays in one shard unless it is dearer
// than half of what a shard should cost. A shard may be empty.
ShardPlan plan_shards(const std::vector<const cases::Case*>& cases,
                      const std::vector<std::int64_t>& costs, int shards);

// The packs of one shard, of cases by their position among the shard's own.
std::vector<std::vector<std::size_t>> packs_of(const ShardPlan& plan,
                                               const Shard& shard);

// The field kShardField of a shard's header.
nlohmann::ordered_json shard_header(const ShardPlan& plan, const Shard& shard);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SHARD_PLAN_H_
