// Shards joined to the run that they are parts of: who does not belong, what
// is there twice and what is missing is named, and then nothing is joined.
#ifndef ASSAY_HARNESS_SHARD_JOIN_H_
#define ASSAY_HARNESS_SHARD_JOIN_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/records/result.h"
#include "harness/records/shard.h"
#include "harness/shard/plan.h"
#include "suite/cases/case.h"

namespace assay::harness {

// A folder that a shard left.
struct ShardFolder {
  std::filesystem::path dir;
  Shard shard;
  nlohmann::ordered_json header;
  std::vector<CaseResult> results;
  std::vector<std::filesystem::path> recordings;  // in name order
};

// What a person must mend: a line of text, and which shard it is about.
struct JoinFault {
  std::string text;
  Shard shard;
  std::filesystem::path dir;  // of its results; empty: not known
  bool rerun = false;         // running the shard (--resume) mends it
};

struct ShardFolders {
  std::vector<ShardFolder> folders;  // in the order of shards
  nlohmann::ordered_json header;     // of the whole run
  std::vector<std::string> columns;
  int count = 0;  // of shards
};

// Reads the folders; those that are of one run. Where two differ, the first
// one counts. `faults` receives what is wrong; a missing shard is only one if
// there is one at all.
ShardFolders read_shards(const std::vector<std::filesystem::path>& dirs,
                         std::vector<JoinFault>* faults);

// Every result of the shards, each of them once, if all is there and nothing
// else; in no order and as the shards judged it. `plan` is that of `cases`.
std::vector<CaseResult> join(const ShardFolders& shards,
                             const std::vector<const cases::Case*>& cases,
                             const ShardPlan& plan,
                             std::vector<JoinFault>* faults);

// Joins the recordings of the shards into `file`, shard by shard, if they have
// any. Requires that join() found no fault. What is wrong is added to `faults`,
// and `file` then is not there.
Status join_recordings(const ShardFolders& shards,
                       const std::vector<const cases::Case*>& cases,
                       const ShardPlan& plan, const std::filesystem::path& file,
                       std::vector<JoinFault>* faults);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SHARD_JOIN_H_
