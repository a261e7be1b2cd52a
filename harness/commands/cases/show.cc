// assay show: one row of the matrix, a column a line: what each target came to,
// how far that is shown, and by which instructions it was computed.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/commands/cases/instruction_path.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/report/matrix.h"
#include "harness/report/report.h"
#include "harness/run/interrupt.h"
#include "harness/run/observe.h"
#include "harness/run/session.h"

namespace assay::harness {
namespace {

struct ShowOptions {
  std::string row;
  ColumnChoice columns = {{}, "all"};
  cases::Profile profile = cases::Profile::quick;
  bool strict = false;
  std::filesystem::path specs;
};

struct Line {
  std::string column, result, path;
};

// Of the first case that has to return, where the column is of PTX.
std::string path_of(const std::vector<const cases::Case*>& cases,
                    Executor* executor) {
  const auto first =
      std::find_if(cases.begin(), cases.end(),
                   [](const cases::Case* c) { return c->must_raise.empty(); });
  if (first == cases.end()) return {};
  const std::string ptx = executor->explain((*first)->program, "ptx");
  if (ptx.empty()) return {};
  const Result<std::string> path = instruction_path(ptx);
  return path ? *path : "not understood: " + path.error().message;
}

std::string table(const std::vector<Line>& lines) {
  std::size_t column = 0;
  std::size_t result = 0;
  for (const Line& l : lines) {
    column = std::max(column, l.column.size());
    result = std::max(result, l.result.size());
  }
  std::string out;
  for (const Line& l : lines) {
    std::string line = fmt::format("{:<{}}  {:<{}}  {}", l.column, column,
                                   l.result, result, l.path);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

int show(const ShowOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs, {o.row});
  if (!session) return complain(session.error().message);
  Result<std::vector<const cases::Case*>> cases =
      select_cases(**session, {o.row}, o.profile);
  if (!cases) return complain(cases.error().message);
  std::vector<AbsentColumn> absent;
  Result<std::vector<StartedColumn>> columns =
      start_chosen(o.columns, o.profile == cases::Profile::full, &absent);
  if (!columns) return complain(columns.error().message);
  const auto oracle = live_oracle((*session)->specs);
  const Adjudicator adjudicator(
      *oracle,
      o.strict ? reference::Numerics::strict : reference::Numerics::fused,
      &(*session)->specs);
  std::vector<std::unique_ptr<PreparedCase>> prepared;
  for (const cases::Case* c : *cases)
    prepared.push_back(adjudicator.prepare(*c));
  Report report;
  report.cases = case_infos((*session)->specs, *cases);
  for (const StartedColumn& c : *columns) {
    report.columns.push_back({c.identity.column, c.config.spelling});
    for (const auto& p : prepared) {
      if (interrupt_flag()) return complain("interrupted", 3);
      // A subject that allocates its outputs itself leaves the types alone.
      report.results.push_back(
          observe(*p, c.identity.column, *c.executor, true, adjudicator)
              .result);
    }
  }
  std::string out;
  for (const MatrixRow& row : make_matrix(report)) {
    std::vector<const cases::Case*> own;
    for (const cases::Case* c : *cases) {
      if (c->spec == row.name) own.push_back(c);
    }
    out += fmt::format("{}, {} profile\n", row.name,
                       cases::profile_name(o.profile));
    std::vector<Line> lines = {{"column", "result", "instructions"}};
    for (std::size_t i = 0; i < columns->size(); ++i) {
      const StartedColumn& c = (*columns)[i];
      lines.push_back({c.identity.column, cell_text(row.cells[i]),
                       path_of(own, c.executor.get())});
    }
    out += table(lines) + "\n";
  }
  for (const AbsentColumn& a : absent) {
    out += fmt::format("left out: {}\n", a.why);
  }
  return print(out);
}

}  // namespace

void add_show_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ShowOptions>();
  CLI::App* c = app.add_subcommand(
      "show",
      "Show one row, a column a line: its result and evidence on every target, "
      "and the instructions that a GPU's code computes it with.");
  c->add_option("ROW", o->row, "an operation or program; a pattern shows more")
      ->required();
  c->add_option("--device", o->columns.device,
                "columns of: cpu, cuda (this machine's GPU), cuda-static "
                "(GPUs, without one) or all")
      ->capture_default_str();
  c->add_option("--subject", o->columns.subjects, "these columns instead")
      ->allow_extra_args(false)
      ->type_name("S");
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  add_profile_option(c, &o->profile);
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = show(*o); });
}

}  // namespace assay::harness
