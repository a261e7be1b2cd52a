// A part of a run, as the command line, the headers of files and messages
// spell it. What it holds: harness/shard/plan.h.
#ifndef ASSAY_HARNESS_RECORDS_SHARD_H_
#define ASSAY_HARNESS_RECORDS_SHARD_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/result.h"

namespace assay::harness {

inline constexpr int kMostShards = 10'000;

struct Shard {
  int index = 1;  // from 1 to `of`
  int of = 1;
  bool operator==(const Shard&) const = default;
};

// "2/8". An error says what is wrong with it.
Result<Shard> parse_shard(const std::string& text);
std::string to_string(const Shard& shard);

// The field of a header that says of which shard the records are:
// {"index": 2, "of": 8, "cases": 310, "plan": "9f..."}. A whole run's lacks it.
inline constexpr const char* kShardField = "shard";
std::optional<Shard> shard_of(const nlohmann::ordered_json& header);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_SHARD_H_
