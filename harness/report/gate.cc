#include "harness/report/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/records/shard.h"

namespace assay::harness {
namespace {

// What a failure group means for the exit code.
int weight(const FailureGroup& g) {
  switch (g.status) {
    case CellStatus::pass:
    case CellStatus::unsupported:
    case CellStatus::waived:
    case CellStatus::quality_warning:
    case CellStatus::hardware:
      return kConforms;
    case CellStatus::not_run:
    case CellStatus::device_lost:
      return kIncomplete;
    case CellStatus::mistrusted:
      return kOurFault;
    case CellStatus::internal_error:
      // A subject that breaks the protocol is at fault itself.
      return g.clause == "P0" ? kDoesNotConform : kOurFault;
    case CellStatus::flaky:
    case CellStatus::fail:
    case CellStatus::crash:
      return g.known ? kConforms : kDoesNotConform;
    case CellStatus::timeout:
      return kDoesNotConform;
  }
  return kOurFault;
}

std::string words(const Report& report, const FailureGroup& g) {
  return fmt::format("{} on {}: {} case{} {}, clause {}, e.g. {}", g.row,
                     report.columns[g.column].name, g.results.size(),
                     g.results.size() == 1 ? "" : "s",
                     kind_of(g.status, g.failure), g.clause,
                     g.results.front()->case_path);
}

struct Count {
  std::size_t executed = 0;
  std::size_t unsupported = 0;
  std::size_t not_run = 0;
  std::map<FailureClass, std::size_t> failures;
};

// "; fails: 12 wrong_value, 105 lost_error"
std::string words(const std::map<FailureClass, std::size_t>& failures) {
  std::vector<std::string> parts;
  for (const auto& [failure, n] : failures) {
    parts.push_back(fmt::format("{} {}", n, failure_name(failure)));
  }
  if (parts.empty()) return {};
  return fmt::format("; fails: {}", fmt::join(parts, ", "));
}

std::map<std::string, Count> count_columns(const Report& report) {
  std::map<std::string, Count> counts;
  for (const ColumnInfo& c : report.columns) {
    counts[c.name].not_run = report.cases.size();
  }
  for (const CaseResult& r : report.results) {
    Count& c = counts[r.column];
    if (r.status == CellStatus::not_run) continue;
    --c.not_run;
    ++(r.status == CellStatus::unsupported ? c.unsupported : c.executed);
    if (r.failure != FailureClass::none) ++c.failures[r.failure];
  }
  return counts;
}

}  // namespace

GateDecision decide(const Report& report) {
  std::vector<std::pair<int, std::string>> reasons;
  if (!report.lost.empty()) reasons.emplace_back(kIncomplete, report.lost);
  const std::size_t due = report.cases.size() * report.columns.size();
  if (report.results.size() < due) {
    reasons.emplace_back(
        kIncomplete, fmt::format("{} of {} results are missing{}",
                                 due - report.results.size(), due,
                                 report.interrupted ? " (interrupted)" : ""));
  }
  for (const FailureGroup& g : failure_groups(report)) {
    const int code = weight(g);
    if (code != kConforms) reasons.emplace_back(code, words(report, g));
  }
  GateDecision out;
  for (const StaleEntry& s : report.stale) {
    if (s.is_note) {
      out.notes.push_back(fmt::format("{}: {}", s.where, s.what));
      continue;
    }
    reasons.emplace_back(
        kDoesNotConform,
        fmt::format("{}: {}; update the entry", s.where, s.what));
  }
  const std::optional<Shard> shard = shard_of(report.header);
  const auto counts = count_columns(report);
  for (const ColumnInfo& column : report.columns) {
    const Count& c = counts.at(column.name);
    out.counts.push_back(fmt::format(
        "{}: {} executed, {} unsupported, {} not run{}", column.name,
        c.executed, c.unsupported, c.not_run, words(c.failures)));
    if (c.executed > 0 || c.unsupported == 0 || !report.filters.empty() ||
        shard) {
      continue;
    }
    reasons.emplace_back(
        kIncomplete,
        fmt::format("{} executed none of {} cases, {} are "
                    "unsupported",
                    column.name, report.cases.size(), c.unsupported));
  }
  std::stable_sort(
      reasons.begin(), reasons.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [code, text] : reasons) {
    out.exit_code = std::max(out.exit_code, code);
    out.because.push_back(std::move(text));
  }
  static const char* const kMeaning[] = {"conforms", "does not conform",
                                         "the spec or the harness is at fault",
                                         "incomplete"};
  out.meaning = kMeaning[out.exit_code];
  if (out.exit_code == kConforms && (!report.filters.empty() || shard)) {
    out.meaning = "nothing failed in the cases that were selected";
  }
  return out;
}

std::string to_string(const GateDecision& d) {
  std::string out;
  for (const std::string& count : d.counts) out += count + "\n";
  for (const std::string& note : d.notes) out += "note: " + note + "\n";
  const bool reasons = !d.because.empty();
  out += reasons ? fmt::format("exit {} ({}) because:", d.exit_code, d.meaning)
                 : fmt::format("exit {}: {}", d.exit_code, d.meaning);
  for (const std::string& reason : d.because) {
    out += fmt::format("\n  {}", reason);
  }
  return out;
}

}  // namespace assay::harness
