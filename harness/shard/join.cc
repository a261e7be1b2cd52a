#include "harness/shard/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/records/recording.h"
#include "harness/records/results_file.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Of the faults of one kind in one folder so many are named.
constexpr std::size_t kNamed = 3;

// What one shard may hold, and what of it was seen.
class Due {
 public:
  Due(const ShardFolders& shards, const std::vector<const cases::Case*>& cases,
      const ShardPlan& plan)
      : plan_(plan) {
    for (std::size_t i = 0; i < cases.size(); ++i) at_[cases[i]->path] = i;
    columns_.insert(shards.columns.begin(), shards.columns.end());
  }

  // Why the shard has no business with this; empty if it has.
  std::string foreign(const Shard& shard, const std::string& path,
                      const std::string& column) const {
    const auto at = at_.find(path);
    if (at == at_.end()) return "the run has no such case";
    if (columns_.count(column) == 0) return "the run has no such column";
    const Shard owner{plan_.owner[at->second], shard.of};
    if (owner == shard) return {};
    return fmt::format("the case is one of shard {}", to_string(owner));
  }

 private:
  const ShardPlan& plan_;
  std::map<std::string, std::size_t> at_;
  std::set<std::string> columns_;
};

using Seen = std::set<std::pair<std::string, std::string>>;

// "a/C1 on eager, b/C1 on eager and 12 more"
class Names {
 public:
  void add(const std::string& path, const std::string& column,
           const std::string& why = {}) {
    ++count_;
    if (count_ > kNamed) return;
    if (count_ > 1) text_ += ", ";
    text_ += fmt::format("{} on {}", path, column);
    if (!why.empty()) text_ += fmt::format(" ({})", why);
  }
  std::size_t count() const { return count_; }
  std::string text() const {
    return count_ <= kNamed
               ? text_
               : fmt::format("{} and {} more", text_, count_ - kNamed);
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

Names missing(const ShardFolders& shards, const ShardFolder& f,
              const std::vector<const cases::Case*>& cases,
              const ShardPlan& plan, const Seen& seen) {
  Names out;
  for (const std::size_t i : plan.cases_of(f.shard)) {
    for (const std::string& column : shards.columns) {
      if (!seen.contains({cases[i]->path, column})) {
        out.add(cases[i]->path, column);
      }
    }
  }
  return out;
}

std::string named(const ShardFolder& f) {
  return fmt::format("{} (shard {})", f.dir.string(), to_string(f.shard));
}

ordered_json bare(ordered_json header) {
  for (const char* field : {"assay_recording", "assay_results", "seal"}) {
    header.erase(field);
  }
  return header;
}

// Copies the observations of one shard; the first fault that it meets.
Status copy_observations(const ShardFolders& shards, const ShardFolder& f,
                         const std::vector<const cases::Case*>& cases,
                         const ShardPlan& plan, const Due& due,
                         RecordingWriter* to) {
  Seen seen;
  RecordingReader reader;
  reader.on_header = [&](const ordered_json& header) -> Status {
    const std::string other = header_difference(bare(f.header), bare(header));
    if (other.empty()) return success();
    return Error{
        fmt::format("this was not recorded with the results there: {}", other)};
  };
  reader.on_observation = [&](const RecordedObservation& o) -> Status {
    const std::string why = due.foreign(f.shard, o.case_path, o.column);
    if (!why.empty()) {
      return Error{
          fmt::format("{} on {} is foreign: {}", o.case_path, o.column, why)};
    }
    seen.emplace(o.case_path, o.column);
    return to->append(o);
  };
  for (const fs::path& file : f.recordings) {
    const Status read = read_recording(file, reader);
    if (!read) return read;
  }
  const Names lost = missing(shards, f, cases, plan, seen);
  if (lost.count() == 0) return success();
  return Error{
      fmt::format("{} has no observation of {}", named(f), lost.text())};
}

}  // namespace

std::vector<CaseResult> join(const ShardFolders& shards,
                             const std::vector<const cases::Case*>& cases,
                             const ShardPlan& plan,
                             std::vector<JoinFault>* faults) {
  const Due due(shards, cases, plan);
  std::vector<CaseResult> out;
  for (const ShardFolder& f : shards.folders) {
    Seen seen;
    Names foreign, doubled;
    for (const CaseResult& r : f.results) {
      const std::string why = due.foreign(f.shard, r.case_path, r.column);
      if (!why.empty()) {
        foreign.add(r.case_path, r.column, why);
      } else if (!seen.emplace(r.case_path, r.column).second) {
        doubled.add(r.case_path, r.column);
      } else {
        out.push_back(r);
      }
    }
    if (foreign.count() > 0) {
      faults->push_back({fmt::format("{} holds foreign results: {}", named(f),
                                     foreign.text()),
                         f.shard, f.dir, false});
    }
    const Names lost = missing(shards, f, cases, plan, seen);
    if (lost.count() > 0) {
      faults->push_back(
          {fmt::format("{} lacks {} of {} results: {}", named(f), lost.count(),
                       lost.count() + seen.size(), lost.text()),
           f.shard, f.dir, true});
    } else if (doubled.count() > 0) {
      faults->push_back(
          {fmt::format("{} holds results twice: {}", named(f), doubled.text()),
           f.shard, f.dir, true});
    }
  }
  return out;
}

Status join_recordings(const ShardFolders& shards,
                       const std::vector<const cases::Case*>& cases,
                       const ShardPlan& plan, const fs::path& file,
                       std::vector<JoinFault>* faults) {
  const auto recorded =
      std::count_if(shards.folders.begin(), shards.folders.end(),
                    [](const ShardFolder& f) { return !f.recordings.empty(); });
  if (recorded == 0) return success();
  for (const ShardFolder& f : shards.folders) {
    if (!f.recordings.empty()) continue;
    faults->push_back(
        {fmt::format("{} has no recording, others have", named(f)), f.shard,
         f.dir, true});
  }
  if (!faults->empty()) return success();
  Result<RecordingWriter> to =
      RecordingWriter::create(file, bare(shards.header));
  if (!to) return to.error();
  const Due due(shards, cases, plan);
  for (const ShardFolder& f : shards.folders) {
    const Status copied =
        copy_observations(shards, f, cases, plan, due, &to.value());
    if (!copied) {
      faults->push_back({copied.error().message, f.shard, f.dir, false});
    }
  }
  std::error_code error;
  if (!faults->empty()) fs::remove(file, error);
  return success();
}

}  // namespace assay::harness
