#include "harness/report/fold.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/matrix.h"

namespace assay::harness {
namespace {

constexpr const char* kFamily = "/cuda-sm_";

// What decides whether two columns look alike: subject and every cell.
std::vector<std::string> looks_of(const std::string& column, std::size_t index,
                                  const std::vector<MatrixRow>& matrix) {
  std::vector<std::string> out = {column.substr(0, column.find(kFamily))};
  for (const MatrixRow& row : matrix)
    out.push_back(cell_text(row.cells[index]));
  return out;
}

}  // namespace

Report folded(Report report) {
  const std::vector<MatrixRow> matrix = make_matrix(report);
  std::map<std::vector<std::string>, std::size_t> seen;  // to the kept column
  std::map<std::string, std::string> renamed;  // empty: it is folded away
  std::vector<ColumnInfo> kept;
  std::vector<std::string> before;  // the kept columns' own names
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const ColumnInfo& column = report.columns[i];
    const std::size_t target = column.name.find(kFamily);
    if (target != std::string::npos) {
      const auto [at, fresh] =
          seen.emplace(looks_of(column.name, i, matrix), kept.size());
      if (!fresh) {
        kept[at->second].name +=
            "," + column.name.substr(target + std::string(kFamily).size());
        renamed[column.name].clear();
        continue;
      }
    }
    kept.push_back(column);
    before.push_back(column.name);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    renamed[before[i]] = kept[i].name;
  }
  std::erase_if(report.results, [&](const CaseResult& r) {
    return renamed.at(r.column).empty();
  });
  for (CaseResult& r : report.results) r.column = renamed.at(r.column);
  report.columns = std::move(kept);
  return report;
}

}  // namespace assay::harness
