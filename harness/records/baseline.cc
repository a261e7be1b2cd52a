#include "harness/records/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/records/files.h"
#include "harness/records/json_lines.h"
#include "harness/records/result_json.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

constexpr const char* kMark = "assay_baseline";

bool fails(const BaselineEntry& e) { return e.status >= CellStatus::flaky; }

std::string words(const BaselineEntry& e) {
  std::string out = status_name(e.status);
  if (e.failure != FailureClass::none) {
    out += fmt::format(" {}", failure_name(e.failure));
  }
  return fails(e) ? fmt::format("{} by {}", out, e.clause) : out;
}

bool alike(const BaselineEntry& a, const BaselineEntry& b) {
  return a.status == b.status && a.failure == b.failure && a.clause == b.clause;
}

// Facts that say what is tested: a baseline is there to compare one with the
// next.
// CUDA's libraries come with torch; the driver is the machine's.
const std::set<std::string> kOfTheSubject = {"torch",  "git",     "version",
                                             "plugin", "program", "abi",
                                             "cuda",   "cudnn",   "cublas"};

}  // namespace

std::string unversioned(std::string column) {
  const std::size_t at = column.find('@');
  if (at == std::string::npos) return column;
  const std::size_t end =
      std::min(column.find_first_of("/+{", at), column.size());
  return column.erase(at, end - at);
}

namespace {

// Where it runs: of the machine, and of each column.
std::map<std::string, std::string> facts_of(const ordered_json& header) {
  std::map<std::string, std::string> out;
  for (const char* name : {"cpu", "cpu_flags", "numerics"}) {
    out[name] = header.value(name, "");
  }
  for (const auto& c : header.value("columns", ordered_json::array())) {
    const std::string column = unversioned(c.value("column", ""));
    const ordered_json facts = c.value("facts", ordered_json::object());
    for (const auto& [name, value] : facts.items()) {
      if (kOfTheSubject.contains(name)) continue;
      out[fmt::format("{} of {}", name, column)] =
          value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return out;
}

std::set<std::string> columns_of(const ordered_json& header) {
  std::set<std::string> out;
  for (const auto& c : header.value("columns", ordered_json::array())) {
    out.insert(unversioned(c.value("column", "")));
  }
  return out;
}

ordered_json line_of(const std::pair<std::string, std::string>& id,
                     const BaselineEntry& e) {
  return {{"case", id.first},
          {"column", id.second},
          {"status", status_name(e.status)},
          {"class", failure_name(e.failure)},
          {"clause", e.clause},
          {"output_hash", fmt::format("{:016x}", e.output_hash)}};
}

Status take_line(const ordered_json& j, Baseline* out) {
  try {
    BaselineEntry e;
    const auto status = parse_status(j.at("status"));
    const auto failure = parse_failure(j.at("class"));
    if (!status || !failure) return Error{"unknown status or class"};
    e.status = *status;
    e.failure = *failure;
    e.clause = j.at("clause");
    e.output_hash =
        std::stoull(j.at("output_hash").get<std::string>(), nullptr, 16);
    out->entries[{j.at("case"), unversioned(j.at("column"))}] = std::move(e);
    return success();
  } catch (const std::exception& e) {
    return Error{e.what()};
  }
}

}  // namespace

Baseline make_baseline(const ordered_json& header,
                       const std::vector<CaseResult>& results) {
  Baseline out;
  out.header = {{kMark, 1}};
  for (const auto& [key, value] : header.items()) out.header[key] = value;
  for (const CaseResult& r : results) {
    const bool ours = r.status == CellStatus::not_run ||
                      r.status == CellStatus::device_lost ||
                      r.status == CellStatus::mistrusted;
    if (ours) continue;
    out.entries[{r.case_path, unversioned(r.column)}] = {
        r.status, r.failure, r.clause, r.output_hash};
  }
  return out;
}

Result<Baseline> read_baseline(const std::filesystem::path& file) {
  Baseline out;
  const auto read = read_json_lines(
      file, [&out](const ordered_json& j, std::size_t line) -> Status {
        if (line > 1) return take_line(j, &out);
        if (!j.contains(kMark)) {
          return Error{"this is no baseline: make one with assay baseline"};
        }
        out.header = j;
        return success();
      });
  if (!read) return read.error();
  if (out.header.is_null()) {
    return Error{fmt::format("{}: the file is empty", file.string())};
  }
  return out;
}

Status write_baseline(const std::filesystem::path& file, const Baseline& b) {
  std::string text = json_line(b.header) + "\n";
  for (const auto& [id, entry] : b.entries) {
    text += json_line(line_of(id, entry)) + "\n";
  }
  return replace_file(file, text);
}

BaselineDiff diff_baseline(const Baseline& before, const Baseline& now) {
  BaselineDiff out;
  const auto then_facts = facts_of(before.header);
  for (const auto& [name, value] : facts_of(now.header)) {
    const auto then = then_facts.find(name);
    if (then == then_facts.end() || then->second == value) continue;
    out.facts.push_back(
        fmt::format("{}: {} then, {} now", name, then->second, value));
  }
  if (!out.facts.empty()) return out;
  for (const auto& [id, entry] : now.entries) {
    const std::string name = fmt::format("{} on {}", id.first, id.second);
    const auto then = before.entries.find(id);
    if (then == before.entries.end()) {
      ++out.fresh;
      if (fails(entry)) {
        out.failures.push_back(fmt::format("{}: {}", name, words(entry)));
      }
      continue;
    }
    const BaselineEntry& was = then->second;
    if (!alike(was, entry)) {
      (fails(entry) || entry.status == CellStatus::unsupported ? out.failures
                                                               : out.fixed)
          .push_back(fmt::format("{}: {} then, {} now", name, words(was),
                                 words(entry)));
    } else if (was.output_hash != entry.output_hash && !fails(entry)) {
      out.bits.push_back(name);
    } else {
      ++out.same;
    }
  }
  const auto whole = [](const ordered_json& h) {
    return h.value("filters", ordered_json::array()).empty();
  };
  if (!whole(now.header) ||
      now.header.value("profile", "") != before.header.value("profile", "")) {
    return out;
  }
  const std::set<std::string> columns = columns_of(now.header);
  for (const auto& [id, entry] : before.entries) {
    if (columns.contains(id.second) && !now.entries.contains(id)) {
      out.missing.push_back(fmt::format("{} on {}", id.first, id.second));
    }
  }
  return out;
}

std::vector<std::string> growth(const Baseline& before, const Baseline& now) {
  std::vector<std::string> out;
  for (const auto& [id, entry] : now.entries) {
    const auto was = before.entries.find(id);
    const bool failed = was != before.entries.end() && fails(was->second);
    if (!fails(entry) || failed) continue;
    out.push_back(
        fmt::format("{} on {}: {}", id.first, id.second, words(entry)));
  }
  return out;
}

}  // namespace assay::harness
