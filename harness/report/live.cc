#include "harness/report/live.h"

#include <algorithm>

#include "harness/report/matrix_text.h"

namespace assay::harness {

LiveMatrix::LiveMatrix(const Report& report, bool colour)
    : report_(report), colour_(colour) {
  for (const CaseInfo& c : report.cases) {
    row_of_[c.path] = c.row;
    Row& row = rows_[c.row];
    row.part.cases.push_back(c);
    row.due += report.columns.size();
    longest_ = std::max(longest_, c.row.size());
  }
}

std::string LiveMatrix::add(const CaseResult& result) {
  const auto name = row_of_.find(result.case_path);
  if (name == row_of_.end()) return "";
  const auto at = rows_.find(name->second);
  if (at == rows_.end()) return "";
  at->second.part.results.push_back(result);
  if (--at->second.due > 0) return "";
  Report part = std::move(at->second.part);
  rows_.erase(at);
  part.columns = report_.columns;
  const std::vector<MatrixRow> rows = make_matrix(part);
  // As wide as the longest name and the cells that most rows have; what is
  // wider moves the rest of its line.
  MatrixRow widest = rows.front();
  widest.name = std::string(longest_, ' ');
  for (Cell& c : widest.cells) c = Cell{};
  const MatrixText text(report_.columns, {widest}, colour_);
  std::string out = begun_ ? "" : text.heading("");
  begun_ = true;
  return out + text.row(rows.front(), "");
}

}  // namespace assay::harness
