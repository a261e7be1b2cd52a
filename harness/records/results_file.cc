#include "harness/records/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "harness/records/json_lines.h"
#include "harness/records/result_json.h"
#include "harness/records/seal.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kFormat = "assay_results";
constexpr int kVersion = 1;

// Fields of a header that say when, not what.
const std::set<std::string> kVolatile = {"started", "jobs"};

// A value of a header for a person.
std::string words(const ordered_json& value) {
  if (value.is_array() && value.empty()) return "none";
  return json_line(value);
}

ordered_json field(const ordered_json& of, const std::string& name) {
  const auto at = of.find(name);
  return at == of.end() ? ordered_json("not given") : *at;
}

ordered_json names_of(const ordered_json& columns) {
  ordered_json out = ordered_json::array();
  for (const ordered_json& c : columns) out.push_back(field(c, "column"));
  return out;
}

// The columns' names where those differ, else the first fact that does: all of
// what columns say of themselves would fill a screen.
std::string column_difference(const ordered_json& there,
                              const ordered_json& ours) {
  const ordered_json names = names_of(ours);
  if (names_of(there) != names) {
    return fmt::format("columns were {}, now they are {}",
                       words(names_of(there)), words(names));
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const ordered_json before = field(there[i], "facts");
    const ordered_json now = field(ours[i], "facts");
    ordered_json all = now;
    if (all.is_object() && before.is_object()) all.update(before);
    for (const auto& [fact, value] : all.items()) {
      const ordered_json was = field(before, fact);
      const ordered_json is = field(now, fact);
      if (was == is) continue;
      return fmt::format("{} of column {} was {}, now it is {}", fact,
                         words(names[i]), words(was), words(is));
    }
  }
  return fmt::format("the subjects were spelled {}, now {}", words(there),
                     words(ours));
}

}  // namespace

Result<ResultsFile> read_results(const fs::path& file) {
  ResultsFile out;
  const auto take = [&out](const ordered_json& record,
                           std::size_t line) -> Status {
    if (line == 1) {
      if (!record.contains(kFormat) || record[kFormat] != kVersion) {
        return Error{
            fmt::format("this is no results file of format {}: "
                        "its header lacks \"{}\": {}",
                        kVersion, kFormat, kVersion)};
      }
      out.header = record;
      return success();
    }
    Result<CaseResult> result = result_from_json(record);
    if (!result) return result.error();
    const Status whole = check_seal(record, &out.seal);
    if (!whole) {
      return Error{fmt::format("{}: start anew in another folder",
                               whole.error().message)};
    }
    out.results.push_back(std::move(result.value()));
    return success();
  };
  const Result<std::uint64_t> bytes = read_json_lines(file, take);
  if (!bytes) return bytes.error();
  out.valid_bytes = *bytes;
  return out;
}

std::string header_difference(const ordered_json& there,
                              const ordered_json& ours) {
  for (const auto& [name, value] : ours.items()) {
    if (kVolatile.count(name) != 0) continue;
    const auto before = there.find(name);
    if (before != there.end() && *before == value) continue;
    if (before == there.end()) {
      return fmt::format("its header does not say its {}", name);
    }
    if (name == "columns") return column_difference(*before, value);
    return fmt::format("{} was {}, now it is {}", name, words(*before),
                       words(value));
  }
  for (const auto& [name, value] : there.items()) {
    if (kVolatile.count(name) != 0 || ours.contains(name)) continue;
    return fmt::format("{} was {}, now there is none", name, words(value));
  }
  return {};
}

Result<Records> Records::open(const fs::path& dir, const ordered_json& header,
                              std::vector<CaseResult>* existing) {
  std::error_code error;
  const bool fresh = !fs::exists(dir, error);
  fs::create_directories(dir, error);
  if (error) {
    return Error{fmt::format("cannot make the folder {}: {}", dir.string(),
                             error.message())};
  }
  Result<Descriptor> lock = lock_folder(dir);
  if (!lock) return lock.error();
  Records out;
  out.dir_ = dir;
  out.header_ = ordered_json{{kFormat, kVersion}};
  out.header_.update(header);
  out.lock_ = std::move(lock.value());
  std::uint64_t keep = 0;
  if (!fresh && fs::exists(out.file(), error)) {
    if (existing == nullptr) {
      return Error{fmt::format(
          "{} holds the results of an earlier run: add --resume to go on "
          "with it, or name another folder with --out",
          dir.string())};
    }
    Result<ResultsFile> there = read_results(out.file());
    if (!there) return there.error();
    if (!there->header.is_null()) {
      const std::string difference =
          header_difference(there->header, out.header_);
      if (!difference.empty()) {
        return Error{fmt::format(
            "{} cannot be resumed: {}. Ask as it was asked, or name another "
            "folder with --out",
            out.file().string(), difference)};
      }
      keep = there->valid_bytes;
      out.seal_ = there->seal;
      *existing = std::move(there.value().results);
    }
  }
  const fs::path file = out.file();
  out.out_ = Descriptor(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  // A torn line would otherwise run into the next record.
  if (!out.out_.valid() ||
      ::ftruncate(out.out_.get(), static_cast<off_t>(keep)) != 0) {
    return Error{fmt::format("{}: {}", file.string(), errno_text())};
  }
  if (keep == 0) {
    const Status written =
        write_all(out.out_.get(), json_line(out.header_) + "\n", file);
    if (!written.ok()) return written.error();
  }
  return out;
}

Status Records::append(const CaseResult& result) {
  return write_all(out_.get(), sealed_line(to_json(result), &seal_), file());
}

Status Records::finish(const std::vector<CaseResult>& results) {
  std::string text = json_line(header_) + "\n";
  std::uint64_t seal = 0;
  for (const CaseResult& r : results) text += sealed_line(to_json(r), &seal);
  return replace_file(file(), text);
}

}  // namespace assay::harness
