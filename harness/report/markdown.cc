#include "harness/report/markdown.h"

#include <fmt/format.h>

#include <string_view>

#include "harness/records/result_json.h"
#include "harness/report/matrix.h"

namespace assay::harness {
namespace {

const char* mark(const Cell& cell) {
  if (cell.worst == CellStatus::pass) return "";
  return cell.worst >= CellStatus::flaky ? "**" : "*";
}

void write_matrix(const Report& report, const std::vector<MatrixRow>& rows,
                  std::string* out) {
  *out += "| |";
  for (const ColumnInfo& c : report.columns) {
    *out += fmt::format(" {} |", markdown_escaped(c.name));
  }
  *out += " differ |\n|---|";
  for (std::size_t i = 0; i < report.columns.size(); ++i) *out += "---|";
  *out += "---|\n";
  for (const MatrixRow& row : rows) {
    *out += fmt::format("| {} |", markdown_escaped(row.name));
    for (const Cell& cell : row.cells) {
      *out += fmt::format(" {0}{1}{0} |", mark(cell),
                          markdown_escaped(cell_text(cell)));
    }
    *out += row.disagree == 0 ? " - |\n" : fmt::format(" {} |\n", row.disagree);
  }
}

void write_failures(const Report& report, std::string* out) {
  const std::vector<FailureGroup> groups = failure_groups(report);
  if (groups.empty()) return;
  *out += "\n## What is not a pass\n\n";
  *out += "| row | column | clause | status | cases | example | reason |\n";
  *out += "|---|---|---|---|---|---|---|\n";
  for (const FailureGroup& g : groups) {
    const CaseResult& r = *g.results.front();
    *out += fmt::format(
        "| {} | {} | {} | {}{} | {} | {} | {}{} |\n", markdown_escaped(g.row),
        markdown_escaped(report.columns[g.column].name),
        markdown_escaped(g.clause), g.known ? "known " : "",
        markdown_escaped(kind_of(g.status, g.failure)), g.results.size(),
        markdown_escaped(r.case_path), markdown_escaped(r.reason),
        r.known_link.empty() ? "" : fmt::format(" ([link]({}))", r.known_link));
  }
}

}  // namespace

std::string markdown_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|\\<*_`[").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown_report(const Report& report,
                            const GateDecision& decision) {
  std::string out = fmt::format("# {}\n\n", title(report));
  const std::vector<MatrixRow> rows = make_matrix(report);
  write_matrix(report, rows, &out);
  out +=
      "\nA cell: worst status, cases (wrong/all), largest error over its "
      "bound. \"known\" is a failure listed in `results/known`. *differ*: "
      "cases where all columns conform with different bits.\n";
  if (any_derived(rows)) {
    out += fmt::format("\n{}: {}\n", kDerivedMark, kDerivedNote);
  }
  write_failures(report, &out);
  out += "\n## Verdicts\n\n";
  for (const auto& [verdict, n] : count_verdicts(report)) {
    out += fmt::format("- {}: {}\n", verdict_name(verdict), n);
  }
  out += fmt::format("\n## Exit\n\n```\n{}\n```\n", to_string(decision));
  out += fmt::format(
      "\n## Identities\n\n```json\n{}\n```\n",
      report.header.dump(2, ' ', false,
                         nlohmann::ordered_json::error_handler_t::replace));
  return out;
}

}  // namespace assay::harness
