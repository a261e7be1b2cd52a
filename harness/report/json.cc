#include "harness/report/json.h"

#include <nlohmann/json.hpp>

#include "harness/records/result_json.h"
#include "harness/report/matrix.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

ordered_json cell_json(const Cell& cell, const std::string& column) {
  ordered_json counts = ordered_json::object();
  for (const auto& [status, n] : cell.counts) counts[status_name(status)] = n;
  ordered_json out = {{"column", column},
                      {"status", status_name(cell.worst)},
                      {"class", failure_name(cell.failure)},
                      {"known", cell.known},
                      {"cases", cell.cases},
                      {"wrong", cell.wrong},
                      {"counts", counts},
                      {"max_error_over_bound", cell.max_error},
                      {"evidence", evidence_name(cell.evidence)}};
  if (cell.derived > 0) out["derived"] = cell.derived;
  if (cell.max_error > 1e308) out["max_error_over_bound"] = "inf";
  return out;
}

}  // namespace

std::string json_report(const Report& report, const GateDecision& decision) {
  ordered_json out = {{"assay_report", 1}, {"title", title(report)}};
  out["complete"] =
      report.results.size() == report.cases.size() * report.columns.size() &&
      !report.interrupted;
  out["header"] = report.header;
  out["columns"] = ordered_json::array();
  for (const ColumnInfo& c : report.columns) {
    out["columns"].push_back({{"name", c.name}, {"subject", c.spelling}});
  }
  out["rows"] = ordered_json::array();
  for (const MatrixRow& row : make_matrix(report)) {
    ordered_json cells = ordered_json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      cells.push_back(cell_json(row.cells[i], report.columns[i].name));
    }
    out["rows"].push_back({{"row", row.name},
                           {"cells", cells},
                           {"conform_but_disagree", row.disagree}});
  }
  out["verdicts"] = ordered_json::object();
  for (const auto& [verdict, n] : count_verdicts(report)) {
    out["verdicts"][verdict_name(verdict)] = n;
  }
  out["results"] = ordered_json::array();
  for (const CaseResult& r : report.results) {
    if (r.status == CellStatus::pass) continue;
    ordered_json one = to_json(r);
    one["rerun"] = repro_command(report, r);
    out["results"].push_back(std::move(one));
  }
  out["stale"] = ordered_json::array();
  for (const StaleEntry& s : report.stale) {
    out["stale"].push_back(
        {{"where", s.where}, {"what", s.what}, {"note", s.is_note}});
  }
  out["exit"] = {{"code", decision.exit_code},
                 {"meaning", decision.meaning},
                 {"because", decision.because}};
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace assay::harness
