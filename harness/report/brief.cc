#include "harness/report/brief.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "harness/records/baseline.h"
#include "harness/report/matrix.h"

namespace assay::harness {
namespace {

constexpr std::size_t kRedRows = 24;
constexpr std::size_t kReasons = 8;
constexpr std::size_t kNotes = 3;
constexpr std::size_t kLongest = 110;

std::string cut(std::string text) {
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

std::string table(const Report& report) {
  auto tallies = count_kinds(report);
  std::string out = fmt::format("{:<14}", "wrong of run");
  for (const ColumnInfo& c : report.columns) {
    out += fmt::format("  {:>18}", unversioned(c.name));
  }
  out += "\n";
  for (const CaseKind kind : kCaseKinds) {
    std::string line = fmt::format("{:<14}", kind_name(kind));
    for (const ColumnInfo& c : report.columns) {
      const KindTally& t = tallies[{kind, c.name}];
      line += fmt::format("  {:>18}", fmt::format("{} / {}", t.wrong, t.run));
    }
    out += line + "\n";
  }
  return out;
}

// What makes a row bad: failures that nobody knows of, then how many columns
// and cases are wrong.
using Badness = std::tuple<std::size_t, std::size_t, std::size_t>;

Badness badness(const MatrixRow& row) {
  std::size_t unknown = 0, columns = 0, cases = 0;
  for (const Cell& cell : row.cells) {
    if (cell.worst < CellStatus::flaky) continue;
    unknown += cell.known ? 0 : 1;
    ++columns;
    for (const auto& [status, n] : cell.counts) {
      if (status >= CellStatus::flaky) cases += n;
    }
  }
  return {unknown, columns, cases};
}

std::string red_rows(const Report& report, const std::string& rest) {
  std::vector<MatrixRow> rows = make_matrix(report);
  std::string note;
  if (any_derived(rows)) {
    note = fmt::format("{}: derived from the spec (docs/results.md)\n",
                       kDerivedMark);
  }
  std::vector<MatrixRow> red;
  for (MatrixRow& row : rows) {
    if (std::get<1>(badness(row)) > 0) red.push_back(std::move(row));
  }
  std::stable_sort(red.begin(), red.end(),
                   [](const MatrixRow& a, const MatrixRow& b) {
                     return badness(a) > badness(b);
                   });
  if (red.empty()) {
    return fmt::format("{}No row is red. All rows: {}\n", note, rest);
  }
  std::string out = note +
                    "Rows that are red, worst first; wrong cases of all, "
                    "largest error over its bound:\n";
  for (std::size_t i = 0; i < red.size() && i < kRedRows; ++i) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < red[i].cells.size(); ++c) {
      const Cell& cell = red[i].cells[c];
      if (cell.worst < CellStatus::flaky) continue;
      // Columns that say the same are said together.
      const std::string text = cell_text(cell);
      const std::string name = unversioned(report.columns[c].name);
      if (!cells.empty() && cells.back().ends_with(": " + text)) {
        cells.back().insert(cells.back().find(": "), ", " + name);
      } else {
        cells.push_back(fmt::format("{}: {}", name, text));
      }
    }
    out += "  " +
           cut(fmt::format("{}  {}", red[i].name, fmt::join(cells, "; "))) +
           "\n";
  }
  if (red.size() > kRedRows) {
    out += fmt::format("  and {} more rows. ", red.size() - kRedRows);
  }
  return out + fmt::format("All rows and every failure: {}\n", rest);
}

std::string first_of(const std::vector<std::string>& all, std::size_t most,
                     const std::string& before) {
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < most; ++i) {
    out += before + cut(all[i]) + "\n";
  }
  if (all.size() > most) {
    out += fmt::format("{}and {} more\n", before, all.size() - most);
  }
  return out;
}

}  // namespace

std::string brief_report(const Report& report, const GateDecision& d,
                         const std::string& rest) {
  std::string out = title(report) + "\n\n" + table(report) + "\n" +
                    red_rows(report, rest) + "\n";
  for (const std::string& count : d.counts) out += cut(count) + "\n";
  out += first_of(d.notes, kNotes, "note: ");
  out += d.because.empty()
             ? fmt::format("exit {}: {}\n", d.exit_code, d.meaning)
             : fmt::format("exit {} ({}) because:\n", d.exit_code, d.meaning);
  return out + first_of(d.because, kReasons, "  ");
}

}  // namespace assay::harness
