#include "harness/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "harness/judge/coherence.h"
#include "harness/records/shard.h"

namespace assay::harness {

namespace {

CaseKind kind_of(const cases::Case& c) {
  if (!c.must_raise.empty()) return CaseKind::errors;
  if (needs_coherence(c.program)) return CaseKind::coherence;
  const auto converts = [](const Node& n) {
    return n.op.find("._to_copy.") != std::string::npos;
  };
  if (std::any_of(c.program.nodes.begin(), c.program.nodes.end(), converts)) {
    return CaseKind::casts;
  }
  return c.clause.starts_with("B") ? CaseKind::boundaries : CaseKind::values;
}

// The first of them: a shell may have spelled out thousands.
std::string shown(const std::vector<std::string>& filters) {
  constexpr std::size_t kShown = 8;
  const std::size_t n = std::min(filters.size(), kShown);
  std::string out =
      fmt::format("{}", fmt::join(std::span(filters).first(n), " "));
  if (filters.size() > n) {
    out += fmt::format(" and {} more", filters.size() - n);
  }
  return out;
}

}  // namespace

const char* kind_name(CaseKind kind) {
  switch (kind) {
    case CaseKind::errors:
      return "errors";
    case CaseKind::values:
      return "values";
    case CaseKind::boundaries:
      return "boundaries";
    case CaseKind::casts:
      return "casts";
    case CaseKind::coherence:
      break;
  }
  return "coherence";
}

std::vector<CaseInfo> case_infos(const language::SpecSet& specs,
                                 const std::vector<const cases::Case*>& cases) {
  std::set<std::string> programs;
  for (const language::ProgramSpec& p : specs.programs) programs.insert(p.name);
  std::vector<CaseInfo> out;
  for (const cases::Case* c : cases)
    out.push_back({c->path, c->spec, kind_of(*c)});
  std::stable_sort(out.begin(), out.end(),
                   [&](const CaseInfo& a, const CaseInfo& b) {
                     const bool pa = programs.count(a.row) != 0;
                     const bool pb = programs.count(b.row) != 0;
                     return pa != pb ? pa : a.row < b.row;
                   });
  return out;
}

std::map<std::pair<CaseKind, std::string>, KindTally> count_kinds(
    const Report& report) {
  std::map<std::string, CaseKind> kinds;
  for (const CaseInfo& c : report.cases) kinds[c.path] = c.kind;
  std::map<std::pair<CaseKind, std::string>, KindTally> out;
  for (const CaseResult& r : report.results) {
    if (r.status == CellStatus::unsupported ||
        r.status == CellStatus::not_run) {
      continue;
    }
    KindTally& t = out[{kinds[r.case_path], r.column}];
    ++t.run;
    if (r.status < CellStatus::flaky) continue;
    ++t.wrong;
    if (r.known) ++t.known;
  }
  return out;
}

std::string shell_quoted(const std::string& word) {
  const bool plain =
      !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               (c >= '0' && c <= '9') ||
               std::string_view("@%+=:,./-_").find(c) != std::string_view::npos;
      });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

RunExtent extent_of(const Report& report) {
  RunExtent out;
  out.whole = report.profile == "full" && report.filters.empty() &&
              !report.interrupted && !shard_of(report.header);
  if (!out.whole) return out;
  std::set<std::string> rows;
  for (const CaseInfo& c : report.cases) rows.insert(c.row);
  out.rows.assign(rows.begin(), rows.end());
  return out;
}

std::string title(const Report& r) {
  std::string scope;
  if (r.interrupted) scope += ", INCOMPLETE";
  if (const auto shard = shard_of(r.header)) {
    scope += fmt::format(", SHARD {}", to_string(*shard));
  }
  if (!r.filters.empty()) {
    scope += fmt::format(", PARTIAL (filter {})", shown(r.filters));
  }
  return fmt::format("assay {}: {} profile{}, {} of {} cases, {} numerics",
                     r.version, r.profile, scope, r.cases.size(),
                     r.cases_in_suite, r.numerics);
}

std::vector<FailureGroup> failure_groups(const Report& report) {
  std::map<std::string, std::string> rows;
  for (const CaseInfo& c : report.cases) rows[c.path] = c.row;
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    columns[report.columns[i].name] = i;
  }
  using Key = std::tuple<std::string, std::size_t, std::string, CellStatus,
                         FailureClass, bool>;
  std::map<Key, FailureGroup> groups;
  for (const CaseResult& r : report.results) {
    if (r.status == CellStatus::pass) continue;
    const std::string& row = rows[r.case_path];
    const std::size_t column = columns[r.column];
    const bool declared = r.status == CellStatus::unsupported;
    FailureGroup& g = groups[Key{row, column, declared ? r.reason : r.clause,
                                 r.status, r.failure, r.known}];
    g.row = row;
    g.column = column;
    if (!declared) g.clause = r.clause;
    g.status = r.status;
    g.failure = r.failure;
    g.known = r.known;
    g.results.push_back(&r);
  }
  std::vector<FailureGroup> out;
  for (auto& [key, group] : groups) {
    std::stable_sort(group.results.begin(), group.results.end(),
                     [](const CaseResult* a, const CaseResult* b) {
                       return a->error_over_bound > b->error_over_bound;
                     });
    out.push_back(std::move(group));
  }
  return out;
}

std::string kind_of(CellStatus status, FailureClass failure) {
  if (failure == FailureClass::none) return status_name(status);
  return fmt::format("{} {}", status_name(status), failure_name(failure));
}

std::string repro_command(const Report& report, const CaseResult& result) {
  std::string out =
      fmt::format("./assay repro {}", shell_quoted(result.case_path));
  for (const ColumnInfo& c : report.columns) {
    if (c.name == result.column && !c.spelling.empty()) {
      out += fmt::format(" --subject {}", shell_quoted(c.spelling));
    }
  }
  if (report.numerics == "strict") out += " --strict";
  return out;
}

std::map<Verdict, std::size_t> count_verdicts(const Report& report) {
  std::map<std::string, Verdict> by_case;
  for (const CaseResult& r : report.results) by_case[r.case_path] = r.verdict;
  std::map<Verdict, std::size_t> counts;
  for (const auto& [path, verdict] : by_case) ++counts[verdict];
  return counts;
}

}  // namespace assay::harness
