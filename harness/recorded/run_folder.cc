#include "harness/recorded/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "harness/recorded/sweep_folder.h"
#include "harness/records/results_file.h"
#include "harness/run/run.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

Status take_header(const ordered_json& h, Report* out) {
  try {
    out->header = h;
    out->header.erase("assay_results");  // the file's format
    h.at("program").get_to(out->version);
    h.at("profile").get_to(out->profile);
    h.at("numerics").get_to(out->numerics);
    h.at("filters").get_to(out->filters);
    for (const ordered_json& c : h.at("columns")) {
      out->columns.push_back({c.at("column").get<std::string>(),
                              c.at("subject").get<std::string>()});
    }
    return success();
  } catch (const std::exception& e) {
    return Error{fmt::format("its header is not whole: {}", e.what())};
  }
}

// Of a path alone: "bmm/E4/f16-f32".
CaseInfo info_from_path(const std::string& path) {
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string_view rest =
      std::string_view(path).substr(std::min(slash + 1, path.size()));
  return {path, path.substr(0, slash),
          rest.starts_with("E")   ? CaseKind::errors
          : rest.starts_with("B") ? CaseKind::boundaries
                                  : CaseKind::values};
}

// The cases that were recorded, as today's specs describe them.
std::vector<CaseInfo> recorded_cases(const std::vector<CaseResult>& results,
                                     const Session& session) {
  std::unordered_set<std::string> wanted;
  for (const CaseResult& r : results) wanted.insert(r.case_path);
  std::vector<const cases::Case*> there;
  for (const cases::Case& c : session.expansion.cases) {
    if (wanted.erase(c.path) != 0) there.push_back(&c);
  }
  std::vector<CaseInfo> out = case_infos(session.specs, there);
  // What the specs no longer have, in the order of the records.
  for (const CaseResult& r : results) {
    if (wanted.erase(r.case_path) != 0) {
      out.push_back(info_from_path(r.case_path));
    }
  }
  return out;
}

Status take_cases(const Session& session, RunFolder* out) {
  Report& report = out->report;
  const std::string ours = fmt::format("{:016x}", session.specs.hash);
  out->other_specs = report.header.value("spec_hash", "") != ours;
  const auto profile = cases::parse_profile(report.profile);
  if (!profile) {
    return Error{fmt::format("there is no profile {}", report.profile)};
  }
  if (out->other_specs) {
    report.cases = recorded_cases(report.results, session);
  } else {
    const auto selected = select_cases(session, report.filters, *profile);
    if (!selected) return selected.error();
    report.cases = case_infos(session.specs, *selected);
  }
  report.cases_in_suite = count_cases(session, report.filters);
  return success();
}

// Every record's column is in the header, and no record is there twice.
Status check_records(const Report& report) {
  std::set<std::string> columns;
  for (const ColumnInfo& c : report.columns) columns.insert(c.name);
  if (columns.size() != report.columns.size()) {
    return Error{"its header names a column twice"};
  }
  std::unordered_set<std::string> seen;
  for (const CaseResult& r : report.results) {
    if (columns.count(r.column) == 0) {
      return Error{
          fmt::format("{} has a result of {}, a column that the "
                      "header does not name",
                      r.case_path, r.column)};
    }
    if (!seen.insert(r.column + "\n" + r.case_path).second) {
      return Error{
          fmt::format("{} has two results of {}", r.case_path, r.column)};
    }
  }
  return success();
}

Status add_stale_entries(const fs::path& known, Report* report) {
  std::vector<KnownList> lists;
  std::vector<std::string> names;
  for (const ordered_json& c : report->header.at("columns")) {
    names.push_back(c.at("column").get<std::string>());
    std::map<std::string, std::string> facts;
    if (c.contains("facts")) c.at("facts").get_to(facts);
    Result<KnownList> list = load_known_of(known, names.back(), facts,
                                           report->header.value("cpu", ""));
    if (!list) return list.error();
    lists.push_back(std::move(*list));
  }
  report->stale = all_stale_entries(names, lists, report->results,
                                    extent_of(*report), today_utc());
  return success();
}

Status read_results_of(const fs::path& file, const Session& session,
                       const fs::path& known, RunFolder* out) {
  Result<ResultsFile> results = read_results(file);
  if (!results) return results.error();
  const auto fault = [&](const std::string& what) {
    return Error{fmt::format("{}: {}", file.string(), what)};
  };
  if (results->header.is_null()) {
    return fault("it has no whole line: its run ended before it began");
  }
  Report& report = out->report;
  Status done = take_header(results->header, &report);
  if (!done) return fault(done.error().message);
  report.results = std::move(results->results);
  if (done = check_records(report); !done) return fault(done.error().message);
  if (done = take_cases(session, out); !done) {
    return fault(done.error().message);
  }
  const auto due =
      report.header.value("cases", report.cases.size()) * report.columns.size();
  report.interrupted = report.results.size() < due;
  if (known.empty()) return success();
  return add_stale_entries(known, &report);
}

}  // namespace

Result<RunFolder> read_run_folder(const fs::path& path, const Session& session,
                                  const fs::path& known) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Error{fmt::format("there is no folder {}", path.string())};
  }
  RunFolder out;
  const bool folder = fs::is_directory(status);
  const fs::path whole = fs::weakly_canonical(path, error);
  out.label = (folder ? whole : whole.parent_path()).filename().string();
  const fs::path file = folder ? path / "results.jsonl" : path;
  if (fs::exists(file, error)) {
    const Status done = read_results_of(file, session, known, &out);
    if (!done) return done.error();
  }
  if (folder) {
    Result<std::vector<PageSweep>> sweeps = read_sweeps(path, session.specs);
    if (!sweeps) return sweeps.error();
    out.sweeps = std::move(*sweeps);
  }
  if (out.report.header.is_null() && out.sweeps.empty()) {
    return Error{fmt::format(
        "{} holds neither results.jsonl nor records of sweeps: name the "
        "folder of a run (out/latest) or of `assay exhaustive`",
        path.string())};
  }
  return out;
}

Result<Report> side_by_side(const std::vector<RunFolder>& folders) {
  Report out;
  std::set<std::string> columns, cases;
  std::set<std::string> profiles;
  for (const RunFolder& f : folders) {
    const Report& r = f.report;
    if (r.header.is_null()) continue;
    if (out.header.is_null()) {
      out = r;
      out.columns.clear();
      out.cases.clear();
      out.results.clear();
      out.stale.clear();
      out.profile.clear();
    }
    if (r.numerics != out.numerics) {
      return Error{fmt::format(
          "{} was judged by {} numerics, what comes before it by {}: make a "
          "report of each",
          f.label, r.numerics, out.numerics)};
    }
    if (profiles.insert(r.profile).second) {
      out.profile += (out.profile.empty() ? "" : " and ") + r.profile;
    }
    out.interrupted = out.interrupted || r.interrupted;
    std::map<std::string, std::string> renamed;
    for (ColumnInfo c : r.columns) {
      std::string& name = renamed[c.name] = c.name;
      for (int n = 2; !columns.insert(name).second; ++n) {
        name = n == 2 ? fmt::format("{} [{}]", c.name, f.label)
                      : fmt::format("{} [{} {}]", c.name, f.label, n);
      }
      c.name = name;
      out.columns.push_back(std::move(c));
    }
    for (const CaseInfo& c : r.cases) {
      if (cases.insert(c.path).second) out.cases.push_back(c);
    }
    for (CaseResult result : r.results) {
      result.column = renamed.at(result.column);
      out.results.push_back(std::move(result));
    }
    out.stale.insert(out.stale.end(), r.stale.begin(), r.stale.end());
  }
  return out;
}

}  // namespace assay::harness
