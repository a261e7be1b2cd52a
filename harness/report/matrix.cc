#include "harness/report/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::harness {
namespace {

bool is_wrong(CellStatus s) {
  return s != CellStatus::pass && s != CellStatus::quality_warning;
}

// A case that is declared unsupported or did not run is no failure.
bool is_failure(CellStatus s) { return s >= CellStatus::flaky; }

void add(Cell* cell, const CaseResult& r) {
  const bool first = cell->counts.empty();
  ++cell->counts[r.status];
  const bool wrong = is_wrong(r.status);
  if (wrong) ++cell->wrong;
  if (is_failure(r.status)) cell->known = cell->known && r.known;
  if (r.failure != FailureClass::none) {
    cell->failure = cell->failure == FailureClass::none
                        ? r.failure
                        : std::min(cell->failure, r.failure);
  }
  cell->worst = first ? r.status : std::max(cell->worst, r.status);
  if (!std::isnan(r.error_over_bound)) {
    cell->max_error = std::max(cell->max_error, r.error_over_bound);
  }
  if (!wrong) {
    const bool none_yet = cell->cases == cell->wrong;
    cell->evidence =
        none_yet ? r.evidence : std::min(cell->evidence, r.evidence);
  }
  if (r.lowering == Lowering::derived) ++cell->derived;
}

}  // namespace

std::vector<MatrixRow> make_matrix(const Report& report) {
  std::map<std::string, std::size_t> row_index;
  std::vector<MatrixRow> rows;
  std::map<std::string, std::size_t> row_of_case;
  for (const CaseInfo& c : report.cases) {
    const auto [at, fresh] = row_index.emplace(c.row, rows.size());
    if (fresh) {
      rows.push_back({c.row, std::vector<Cell>(report.columns.size()), 0});
      for (Cell& cell : rows.back().cells) cell.known = true;
    }
    row_of_case[c.path] = at->second;
  }
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    columns[report.columns[i].name] = i;
  }
  std::map<std::string, Verdict> verdicts;
  for (const CaseResult& r : report.results) {
    const auto row = row_of_case.find(r.case_path);
    const auto column = columns.find(r.column);
    if (row == row_of_case.end() || column == columns.end()) continue;
    Cell& cell = rows[row->second].cells[column->second];
    add(&cell, r);
    ++cell.cases;
    verdicts[r.case_path] = r.verdict;
  }
  std::map<std::string, std::size_t> due;
  for (const CaseInfo& c : report.cases) ++due[c.row];
  for (MatrixRow& row : rows) {
    for (Cell& cell : row.cells) {
      const std::size_t missing = due[row.name] - cell.cases;
      if (missing > 0) {
        cell.worst = cell.cases == 0
                         ? CellStatus::not_run
                         : std::max(cell.worst, CellStatus::not_run);
        cell.counts[CellStatus::not_run] += missing;
        cell.wrong += missing;
        cell.cases += missing;
      }
      if (!is_failure(cell.worst)) cell.known = false;
    }
  }
  for (const auto& [path, verdict] : verdicts) {
    if (verdict == Verdict::conform_but_disagree) {
      ++rows[row_of_case[path]].disagree;
    }
  }
  return rows;
}

std::string cell_word(const Cell& cell) {
  switch (cell.worst) {
    case CellStatus::pass:
      return "pass";
    case CellStatus::unsupported:
      return "unsupported";
    case CellStatus::not_run:
      return "not_run";
    case CellStatus::waived:
      return "waived";
    case CellStatus::quality_warning:
      return "warn";
    case CellStatus::hardware:
      return "hardware";
    case CellStatus::flaky:
      return cell.known ? "known" : "FLAKY";
    case CellStatus::mistrusted:
      return "MISTRUSTED";
    case CellStatus::fail:
      return cell.known ? "known" : "FAIL";
    case CellStatus::timeout:
      return "TIMEOUT";
    case CellStatus::crash:
      return cell.known ? "known" : "CRASH";
    case CellStatus::device_lost:
      return "LOST";
    case CellStatus::internal_error:
      return "ERROR";
  }
  return "ERROR";
}

std::string short_error(double error) {
  if (std::isinf(error)) return "inf";
  if (error == 0) return "0";
  if (error >= 1e4) return fmt::format("{:.0e}", error);
  if (error >= 100) return fmt::format("{:.0f}", error);
  return fmt::format("{:.2g}", error);
}

std::string cell_text(const Cell& cell) {
  std::string out = cell_word(cell);
  out += cell.wrong > 0 ? fmt::format(" {}/{}", cell.wrong, cell.cases)
                        : fmt::format(" {}", cell.cases);
  out += " " + short_error(cell.max_error);
  if (cell.failure > FailureClass::wrong_value) {
    out += fmt::format(" {}", failure_name(cell.failure));
  }
  const bool any_good = cell.wrong < cell.cases;
  if (any_good && cell.evidence != Evidence::ran) {
    out += fmt::format(" ({})", evidence_name(cell.evidence));
  }
  if (cell.derived > 0) out += fmt::format(" {}", kDerivedMark);
  return out;
}

bool any_derived(const std::vector<MatrixRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const MatrixRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(),
                       [](const Cell& cell) { return cell.derived > 0; });
  });
}

}  // namespace assay::harness
