// assay costs: records what cases cost, by which runs are split into shards.
#include "harness/shard/costs.h"

#include <fmt/format.h>
#include <time.h>

#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/records/files.h"
#include "harness/records/results_file.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"

namespace assay::harness {
namespace {

struct CostsOptions {
  std::vector<std::filesystem::path> results;
  std::filesystem::path out;
  cases::Profile profile = cases::Profile::full;
  bool no_goldens = false;
  int jobs = 0;
  std::filesystem::path specs;
};

struct Sum {
  double seconds = 0;
  std::size_t count = 0;
};

// By row and kind.
using Sums = std::map<std::string, std::map<std::string, Sum>>;

void add(const ResultsFile& file, Sums* sums) {
  for (const CaseResult& r : file.results) {
    if (r.status == CellStatus::not_run) continue;
    const std::string row = r.case_path.substr(0, r.case_path.find('/'));
    Sum& sum = (*sums)[row][cost_kind(r.column)];
    sum.seconds += r.seconds;
    ++sum.count;
  }
}

// That it computed: whatever else the machine does.
double seconds_of_this_thread() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

// What the goldens of all cases take, one by one.
std::vector<double> time_goldens(const std::vector<const cases::Case*>& cases,
                                 const Session& session, int jobs) {
  const auto oracle = live_oracle(session.specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused,
                                &session.specs);
  std::vector<double> out(cases.size());
  in_parallel(cases.size(), jobs, [&](std::size_t i) {
    if (interrupt_flag()) return;
    const double begin = seconds_of_this_thread();
    (void)adjudicator.prepare(*cases[i]);
    out[i] = seconds_of_this_thread() - begin;
  });
  return out;
}

int costs(const CostsOptions& o) {
  Result<CostTable> table = load_costs(o.out);
  if (!table) return complain(table.error().message);
  Sums sums;
  for (const std::filesystem::path& file : o.results) {
    const Result<ResultsFile> read = read_results(file);
    if (!read) return complain(read.error().message);
    add(*read, &sums);
  }
  if (!o.no_goldens) {
    Result<std::unique_ptr<Session>> session = open_session(o.specs);
    if (!session) return complain(session.error().message);
    const auto cases = select_cases(**session, {}, o.profile);
    if (!cases) return complain(cases.error().message);
    const std::vector<double> took = time_goldens(*cases, **session, o.jobs);
    if (interrupt_flag()) {
      return complain("interrupted; nothing was written", 3);
    }
    table->goldens.clear();
    for (std::size_t i = 0; i < took.size(); ++i) {
      const cases::Case& c = *(*cases)[i];
      if (took[i] >= kDearGolden) {
        table->goldens[c.path] = took[i];
        continue;
      }
      Sum& sum = sums[c.spec][kGoldenKind];
      sum.seconds += took[i];
      ++sum.count;
    }
  }
  for (const auto& [row, kinds] : sums) {
    for (const auto& [kind, sum] : kinds) {
      table->rows[row][kind] = sum.seconds / static_cast<double>(sum.count);
    }
  }
  const Status written = replace_file(o.out, to_text(*table));
  if (!written) return complain(written.error().message, 3);
  return print(fmt::format("{}: {} rows, {} dear goldens\n", o.out.string(),
                           table->rows.size(), table->goldens.size()));
}

}  // namespace

void add_costs_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<CostsOptions>();
  CLI::App* c = app.add_subcommand(
      "costs",
      "Record what cases cost, by row: goldens are worked out and timed, "
      "subjects' times come from runs. By this `assay run --shard` splits.");
  c->add_option("RESULTS", o->results,
                "results.jsonl of runs; of rows and kinds of column that none "
                "has, the file keeps what it says");
  c->add_option("--out", o->out,
                "the file to write; default results/costs.json")
      ->type_name("FILE");
  add_profile_option(c, &o->profile);
  c->add_flag("--no-goldens", o->no_goldens, "leave the goldens' times alone");
  c->add_option("-j,--jobs", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024));
  add_specs_option(c, &o->specs);
  c->callback([=] {
    if (o->out.empty()) o->out = costs_file();
    *exit_code = costs(*o);
  });
}

}  // namespace assay::harness
