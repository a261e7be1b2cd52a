// The folders of shards: which of them are parts of one run.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/records/recording.h"
#include "harness/records/results_file.h"
#include "harness/shard/join.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json whole(ordered_json header) {
  header.erase(kShardField);
  return header;
}

std::string plan_name(const ordered_json& header) {
  return header.at(kShardField).value("plan", "");
}

// What keeps `b` from being a part of the run that `a` is a part of.
std::string difference(const ShardFolder& a, const ShardFolder& b) {
  if (a.shard.of != b.shard.of) {
    return fmt::format("that is shard {}, this is shard {}", to_string(a.shard),
                       to_string(b.shard));
  }
  std::string out = header_difference(whole(a.header), whole(b.header));
  if (out.empty() && plan_name(a.header) != plan_name(b.header)) {
    out = fmt::format("the plan of its shards was {}, now it is {}",
                      plan_name(a.header), plan_name(b.header));
  }
  return out;
}

std::vector<std::string> column_names(const ordered_json& header) {
  std::vector<std::string> out;
  for (const auto& c : header.value("columns", ordered_json::array())) {
    out.push_back(c.value("column", ""));
  }
  return out;
}

// Nothing where there are no results yet: its run never began.
Result<std::vector<ShardFolder>> read_folder(const fs::path& dir) {
  const fs::path file = dir / "results.jsonl";
  std::error_code error;
  std::vector<ShardFolder> none;
  if (!fs::exists(file, error)) return none;
  Result<ResultsFile> read = read_results(file);
  if (!read) return read.error();
  if (read->header.is_null()) return none;
  const std::optional<Shard> shard = shard_of(read->header);
  if (!shard) {
    return Error{fmt::format(
        "{}: these are no results of a shard: they are whole", dir.string())};
  }
  const Result<std::vector<fs::path>> recordings = recordings_in(dir);
  if (!recordings) return recordings.error();
  return std::vector<ShardFolder>{{dir, *shard, std::move(read->header),
                                   std::move(read->results), *recordings}};
}

void name_missing(const std::vector<fs::path>& dirs,
                  const std::vector<fs::path>& empty, ShardFolders* shards,
                  std::vector<JoinFault>* faults) {
  std::vector<char> there(static_cast<std::size_t>(shards->count) + 1);
  for (const ShardFolder& f : shards->folders) {
    there[static_cast<std::size_t>(f.shard.index)] = 1;
  }
  for (int i = 1; i <= shards->count; ++i) {
    if (there[static_cast<std::size_t>(i)]) continue;
    JoinFault fault;
    fault.shard = {i, shards->count};
    fault.rerun = true;
    // A folder a shard, in their order: then it is known which one is empty.
    const auto at = static_cast<std::size_t>(i - 1);
    const bool in_order =
        dirs.size() == static_cast<std::size_t>(shards->count) &&
        std::find(empty.begin(), empty.end(), dirs[at]) != empty.end();
    if (in_order) fault.dir = dirs[at];
    fault.text = fmt::format(
        "shard {} is missing{}", to_string(fault.shard),
        in_order ? fmt::format(": {} holds no results", dirs[at].string())
                 : "");
    faults->push_back(fault);
  }
}

}  // namespace

ShardFolders read_shards(const std::vector<fs::path>& dirs,
                         std::vector<JoinFault>* faults) {
  ShardFolders out;
  std::vector<fs::path> empty;
  const auto complain = [&](std::string text) {
    faults->push_back({std::move(text), {}, {}, false});
  };
  for (const fs::path& dir : dirs) {
    Result<std::vector<ShardFolder>> read = read_folder(dir);
    if (!read) {
      complain(read.error().message);
    } else if (read->empty()) {
      empty.push_back(dir);
    } else {
      out.folders.push_back(std::move(read->front()));
    }
  }
  if (out.folders.empty()) {
    for (const fs::path& dir : empty) {
      complain(fmt::format("{} holds no results", dir.string()));
    }
    return out;
  }
  const ShardFolder first = out.folders.front();
  std::map<int, fs::path> seen;
  std::erase_if(out.folders, [&](const ShardFolder& f) {
    const std::string other = difference(first, f);
    if (!other.empty()) {
      complain(fmt::format("{} is no part of the run of {}: {}", f.dir.string(),
                           first.dir.string(), other));
      return true;
    }
    const auto [at, fresh] = seen.emplace(f.shard.index, f.dir);
    if (fresh) return false;
    complain(fmt::format("shard {} is there twice: in {} and in {}",
                         to_string(f.shard), at->second.string(),
                         f.dir.string()));
    return true;
  });
  std::sort(out.folders.begin(), out.folders.end(),
            [](const ShardFolder& a, const ShardFolder& b) {
              return a.shard.index < b.shard.index;
            });
  out.count = first.shard.of;
  out.header = whole(first.header);
  out.columns = column_names(first.header);
  for (const ShardFolder& f : out.folders) {
    const std::string started = f.header.value("started", "");
    if (started < out.header.value("started", "")) {
      out.header["started"] = started;
    }
  }
  name_missing(dirs, empty, &out, faults);
  return out;
}

}  // namespace assay::harness
