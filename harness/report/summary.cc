#include "harness/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/judge/show.h"
#include "harness/report/markdown.h"

namespace assay::harness {
namespace {

// With headings, a line that counts the rest and empty lines, these make 58.
constexpr std::size_t kColumns = 16;
constexpr std::size_t kFailures = 18;
constexpr std::size_t kReasons = 6;
constexpr std::size_t kLongest = 160;

using Lines = std::vector<std::string>;

// A code span inside a table.
std::string code(const std::string& text) {
  std::string out = "`";
  for (const char c : one_line(text, kLongest)) {
    if (c == '|') out += '\\';
    out += c == '`' ? '\'' : c;
  }
  return out + "`";
}

std::string plain(const std::string& text) {
  return markdown_escaped(one_line(text, kLongest));
}

bool is_failure(const FailureGroup& g) { return g.status >= CellStatus::flaky; }

void add_columns(const Report& report, Lines* out) {
  std::string head = "| wrong of run |", rule = "|---|";
  for (const CaseKind kind : kCaseKinds) {
    head += fmt::format(" {} |", kind_name(kind));
    rule += "--:|";
  }
  out->push_back(head + " of these known |");
  out->push_back(rule + "--:|");
  auto tallies = count_kinds(report);
  for (std::size_t i = 0; i < report.columns.size() && i < kColumns; ++i) {
    const std::string& name = report.columns[i].name;
    std::string line = fmt::format("| {} |", code(name));
    std::size_t known = 0;
    for (const CaseKind kind : kCaseKinds) {
      const KindTally& t = tallies[{kind, name}];
      line += t.wrong == 0 ? fmt::format(" 0 / {} |", t.run)
                           : fmt::format(" **{}** / {} |", t.wrong, t.run);
      known += t.known;
    }
    out->push_back(line + fmt::format(" {} |", known));
  }
  if (report.columns.size() > kColumns) {
    out->push_back(
        fmt::format("\nand {} more columns", report.columns.size() - kColumns));
  }
}

void add_failures(const Report& report, Lines* out) {
  std::vector<FailureGroup> groups = failure_groups(report);
  std::erase_if(
      groups, [](const FailureGroup& g) { return !is_failure(g) || g.known; });
  std::stable_sort(groups.begin(), groups.end(),
                   [](const FailureGroup& a, const FailureGroup& b) {
                     return a.status > b.status;
                   });
  if (groups.empty()) {
    out->push_back("\nNothing fails that is not known to.");
    return;
  }
  out->push_back("\nFailures that are not known:\n");
  out->push_back("| row | column | clause | what | cases | shown by |");
  out->push_back("|---|---|---|---|--:|---|");
  for (std::size_t i = 0; i < groups.size() && i < kFailures; ++i) {
    const FailureGroup& g = groups[i];
    out->push_back(
        fmt::format("| {} | {} | {} | {} | {} | {} |", code(g.row),
                    code(report.columns[g.column].name), code(g.clause),
                    plain(kind_of(g.status, g.failure)), g.results.size(),
                    code(repro_command(report, *g.results.front()))));
  }
  if (groups.size() > kFailures) {
    out->push_back(fmt::format("\nand {} more", groups.size() - kFailures));
  }
}

// Those that are no failure of a case, which the table has.
void add_reasons(const GateDecision& decision, Lines* out) {
  Lines reasons = decision.because;
  if (decision.exit_code == kDoesNotConform) {
    std::erase_if(reasons, [](const std::string& r) {
      return r.find(", clause ") != std::string::npos;
    });
  }
  if (reasons.empty()) return;
  out->push_back("");
  for (std::size_t i = 0; i < reasons.size() && i < kReasons; ++i) {
    out->push_back("- " + plain(reasons[i]));
  }
  if (reasons.size() > kReasons) {
    out->push_back(fmt::format("- and {} more", reasons.size() - kReasons));
  }
}

}  // namespace

std::string summary_report(const Report& report, const GateDecision& decision) {
  Lines lines = {
      fmt::format("### Assay: {}", plain(decision.meaning)), "",
      fmt::format("{} (exit {})", plain(title(report)), decision.exit_code)};
  if (!report.columns.empty()) {
    lines.emplace_back("");
    add_columns(report, &lines);
    add_failures(report, &lines);
  }
  add_reasons(decision, &lines);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace assay::harness
