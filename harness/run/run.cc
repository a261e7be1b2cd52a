#include "harness/run/run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/judge/verdict.h"

namespace assay::harness {
namespace {

std::map<std::string, std::size_t> positions(
    const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.emplace(names[i], i);
  return out;
}

std::vector<std::string> names_of(const std::vector<ColumnPlan>& columns) {
  std::vector<std::string> out;
  for (const ColumnPlan& c : columns) out.push_back(c.name);
  return out;
}

// Results of an earlier run that still count: the first of each case and
// column, and only of what is asked for now.
std::vector<CaseResult> take_existing(RunSetup* setup,
                                      const std::vector<std::string>& paths) {
  const auto case_at = positions(paths);
  const auto column_at = positions(names_of(setup->columns));
  std::vector<CaseResult> out;
  for (CaseResult& r : setup->existing) {
    const auto column = column_at.find(r.column);
    if (column == column_at.end() || case_at.count(r.case_path) == 0) continue;
    // What never ran, or was lost with the device, is due again.
    if (r.status == CellStatus::not_run ||
        r.status == CellStatus::device_lost) {
      continue;
    }
    if (!setup->columns[column->second].done.insert(r.case_path).second) {
      continue;
    }
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace

RunOutcome run_cases(RunSetup setup, const Adjudicator& adjudicator) {
  std::vector<std::string> paths;
  std::map<std::string, std::uint64_t> hashes;
  for (const cases::Case* c : setup.cases) paths.push_back(c->path);
  const std::vector<std::string> columns = names_of(setup.columns);
  setup.known.resize(columns.size());
  RunOutcome out;
  out.results = take_existing(&setup, paths);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    setup.columns[i].expected = [&setup, i](CaseResult r) {
      apply_known(setup.known[i], setup.today, &r);
      return r.known;
    };
  }
  const FindingSink sink = [&](std::size_t column, const Finding& f) {
    CaseResult r = f.result;
    apply_known(setup.known[column], setup.today, &r);
    // What was seen is kept first: a result stands for an observation that is
    // there, so that a killed run knows what to record again.
    if (setup.recording != nullptr) {
      const cases::Case& c = *setup.cases[f.case_index];
      const auto [hash, fresh] = hashes.emplace(c.path, 0);
      if (fresh) hash->second = identity_of(c, c.make_inputs());
      for (const Observation& o : f.observations) {
        const Status kept =
            setup.recording->append({c.path, hash->second, columns[column], o});
        if (!kept.ok()) {
          out.lost = kept.error().message;
          return false;
        }
      }
    }
    if (setup.records != nullptr) {
      const Status kept = setup.records->append(r);
      if (!kept.ok()) {
        out.lost = kept.error().message;
        return false;
      }
    }
    if (setup.on_result) setup.on_result(r);
    out.results.push_back(std::move(r));
    return true;
  };
  out.stats = run_schedule(setup.cases, std::move(setup.columns), adjudicator,
                           setup.options, sink);
  if (out.lost.empty()) out.lost = out.stats.lacking;
  out.complete = out.results.size() == paths.size() * columns.size();
  finalise(paths, columns, setup.known, setup.today, &out.results);
  // An incomplete file stays as it is: appended to, never rewritten.
  if (setup.records != nullptr && out.complete && out.lost.empty()) {
    const Status kept = setup.records->finish(out.results);
    if (!kept.ok()) out.lost = kept.error().message;
  }
  return out;
}

void finalise(const std::vector<std::string>& case_order,
              const std::vector<std::string>& columns,
              const std::vector<KnownList>& known, const std::string& today,
              std::vector<CaseResult>* results) {
  const auto case_at = positions(case_order);
  const auto column_at = positions(columns);
  for (CaseResult& r : *results) {
    forget_known(&r);
    const std::size_t column = column_at.at(r.column);
    if (column < known.size()) apply_known(known[column], today, &r);
  }
  std::sort(
      results->begin(), results->end(),
      [&](const CaseResult& a, const CaseResult& b) {
        return std::make_pair(case_at.at(a.case_path), column_at.at(a.column)) <
               std::make_pair(case_at.at(b.case_path), column_at.at(b.column));
      });
  set_verdicts(results);
}

std::vector<StaleEntry> all_stale_entries(
    const std::vector<std::string>& columns,
    const std::vector<KnownList>& known, const std::vector<CaseResult>& results,
    const RunExtent& extent, const std::string& today) {
  std::map<std::string, std::vector<const CaseResult*>> by_column;
  for (const CaseResult& r : results) by_column[r.column].push_back(&r);
  std::vector<StaleEntry> out;
  for (std::size_t i = 0; i < columns.size() && i < known.size(); ++i) {
    for (StaleEntry& s :
         stale_entries(known[i], by_column[columns[i]], extent, today)) {
      out.push_back(std::move(s));
    }
  }
  return out;
}

}  // namespace assay::harness
