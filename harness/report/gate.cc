#include "harness/report/gate.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::harness {
namespace {

// What a failure group means for the exit code.
int weight(const FailureGroup& g) {
  switch (g.status) {
    case CellStatus::pass:
    case CellStatus::unsupported:
    case CellStatus::waived:
    case CellStatus::quality_warning:
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
    case CellStatus::xpass:
    case CellStatus::timeout:
      return kDoesNotConform;
  }
  return kOurFault;
}

std::string words(const Report& report, const FailureGroup& g) {
  return fmt::format("{} on {}: {} case{} {}, clause {}, e.g. {}", g.row,
                     report.columns[g.column].name, g.results.size(),
                     g.results.size() == 1 ? "" : "s", status_name(g.status),
                     g.clause, g.results.front()->case_path);
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
  for (const StaleEntry& s : report.stale) {
    reasons.emplace_back(
        kDoesNotConform,
        fmt::format("{}: {}; update the entry", s.where, s.what));
  }
  std::stable_sort(
      reasons.begin(), reasons.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  GateDecision out;
  for (auto& [code, text] : reasons) {
    out.exit_code = std::max(out.exit_code, code);
    out.because.push_back(std::move(text));
  }
  return out;
}

std::string to_string(const GateDecision& d) {
  static const char* const kMeaning[] = {"conforms", "does not conform",
                                         "the spec or the harness is at fault",
                                         "incomplete"};
  if (d.because.empty())
    return fmt::format("exit {}: {}", d.exit_code, kMeaning[d.exit_code]);
  std::string out =
      fmt::format("exit {} ({}) because:", d.exit_code, kMeaning[d.exit_code]);
  for (const std::string& reason : d.because)
    out += fmt::format("\n  {}", reason);
  return out;
}

}  // namespace assay::harness
