#include "harness/fuzz/column.h"

#include <utility>

#include "harness/records/identity.h"
#include "harness/run/session.h"
#include "harness/subject/worker.h"

namespace assay::harness {
namespace {

FuzzColumn column_of(StartedColumn started) {
  FuzzColumn c;
  c.name = started.identity.column;
  c.spelling = started.config.spelling;
  const SubjectConfig& config = started.config;
  c.needs_types = config.plugin || c.spelling.rfind("worker:", 0) == 0;
  c.promises_errors = promises_errors(started.identity.facts);
  // A plugin makes machine code of every program, if not slowly.
  c.packs = started.identity.slow_compile || config.plugin;
  c.workers = std::make_shared<WorkerPool>(
      [config] { return std::make_unique<Worker>(config); });
  c.workers->give(std::move(started.executor));
  return c;
}

bool has_engines(const SubjectConfig& config) {
  return config.spelling.rfind("bundled", 0) == 0 &&
         config.target.rfind("cpu", 0) == 0 &&
         !config.options.contains("engine");
}

Result<FuzzColumn> with_engine(const FuzzColumn& of, std::size_t place,
                               SubjectConfig config, const char* engine) {
  config.options["engine"] = engine;
  Worker probe(config);
  const Result<Identity> identity = probe.identify();
  if (!identity) return identity.error();
  FuzzColumn c = of;
  c.name = identity->column;
  c.packs = false;
  c.twin_of = place;
  c.workers = std::make_shared<WorkerPool>(
      [config] { return std::make_unique<Worker>(config); });
  return c;
}

}  // namespace

Result<std::vector<FuzzColumn>> open_columns(
    const std::vector<std::string>& spellings,
    const std::filesystem::path& known) {
  Result<std::vector<StartedColumn>> started = start_columns(spellings);
  if (!started) return started.error();
  std::vector<FuzzColumn> columns;
  for (StartedColumn& s : *started) {
    const SubjectConfig config = s.config;
    const std::map<std::string, std::string> facts = s.identity.facts;
    const std::size_t place = columns.size();
    columns.push_back(column_of(std::move(s)));
    if (!known.empty()) {
      Result<KnownList> list = load_known_of(known, columns.back().name, facts,
                                             cpu_identity().model);
      if (!list) return list.error();
      columns.back().known = std::move(*list);
    }
    if (!has_engines(config)) continue;
    for (const char* engine : {"graph", "nest", "blocks"}) {
      Result<FuzzColumn> twin =
          with_engine(columns[place], place, config, engine);
      if (!twin) return twin.error();
      columns.push_back(std::move(*twin));
    }
  }
  return columns;
}

ColumnPlan plan_of(const FuzzColumn& column) {
  ColumnPlan plan;
  plan.name = column.name;
  plan.slow = column.packs;
  plan.needs_types = column.needs_types;
  plan.promises_errors = column.promises_errors;
  plan.make = [workers = column.workers] { return workers->lend(); };
  return plan;
}

bool is_known(const FuzzColumn& column, CaseResult result,
              const std::string& op) {
  result.case_path = op + "/";
  KnownList list = column.known;
  for (KnownFailure& entry : list.entries) {
    entry.cases.clear();
    entry.max_error.reset();
  }
  apply_known(list, today_utc(), &result);
  return result.known;
}

}  // namespace assay::harness
