// assay faults: which cases tell which wrong implementations from right ones.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/faults/kill_matrix.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"

namespace assay::harness {
namespace {

using faults::KillOptions;
using faults::RowKills;

// A compiler has more ways than one to get an operation wrong.
constexpr std::size_t kLeastFaults = 3;

struct FaultsOptions {
  std::vector<std::string> filters;
  cases::Profile profile = cases::Profile::quick;
  bool all = false;
  bool control = false;
  bool verbose = false;
  int jobs = 0;
  std::filesystem::path specs;
};

struct Work {
  std::string row;
  std::vector<const language::FaultSpec*> faults;
  std::vector<const cases::Case*> cases;
};

// The rows with their cases, as preferred, and faults.
std::vector<Work> work_of(const Session& session,
                          const std::vector<language::FaultSpec>& faults,
                          const std::vector<const cases::Case*>& cases) {
  std::map<std::string, Work> rows;
  for (const cases::Case* c : cases) {
    if (session.specs.find_op(c->spec) == nullptr) continue;
    Work& w = rows[c->spec];
    w.row = c->spec;
    w.cases.push_back(c);
  }
  for (const language::FaultSpec& f : faults) {
    const auto row = rows.find(f.row);
    if (row != rows.end()) row->second.faults.push_back(&f);
  }
  std::vector<Work> out;
  for (auto& [name, w] : rows) {
    faults::prefer(&w.cases);
    out.push_back(std::move(w));
  }
  return out;
}

std::vector<RowKills> kill_all(const std::vector<Work>& work,
                               const Session& session, const FaultsOptions& o) {
  std::vector<RowKills> out(work.size());
  const auto oracle = live_oracle(session.specs);
  const KillOptions options{o.all, o.control};
  in_parallel(work.size(), o.jobs, [&](std::size_t i) {
    out[i] = faults::kill_row(work[i].row, work[i].faults, work[i].cases,
                              session.specs, *oracle, options);
  });
  return out;
}

std::string line_of(const faults::Kill& k, bool all) {
  if (k.killers.empty()) {
    return fmt::format("  ALIVE   {}: {} ({} cases asked{})\n", k.fault->name,
                       k.fault->doc, k.asked,
                       k.failed.empty() ? "" : "; " + k.failed);
  }
  const std::string by =
      all ? fmt::format("{} of {} cases, the first ", k.killers.size(), k.asked)
          : "";
  return fmt::format("  killed  {}: by {}{} ({})\n", k.fault->name, by,
                     k.killers.front()->path, k.clause);
}

struct Totals {
  std::size_t faults = 0, alive = 0, few = 0, controls = 0, flagged = 0;
};

std::string text_of(const std::vector<RowKills>& rows, const FaultsOptions& o,
                    Totals* totals) {
  std::string out;
  for (const RowKills& r : rows) {
    const auto alive = static_cast<std::size_t>(
        std::count_if(r.kills.begin(), r.kills.end(),
                      [](const auto& k) { return k.killers.empty(); }));
    const bool few = r.kills.size() < kLeastFaults;
    totals->faults += r.kills.size();
    totals->alive += alive;
    totals->few += few ? 1 : 0;
    totals->controls += r.controls;
    totals->flagged += r.flagged.size();
    if (!o.verbose && alive == 0 && !few && r.flagged.empty()) continue;
    out += fmt::format(
        "{}: {} faults, {} killed{}\n", r.row, r.kills.size(),
        r.kills.size() - alive,
        few ? fmt::format(", at least {} are due", kLeastFaults) : "");
    for (const faults::Kill& k : r.kills) {
      if (o.verbose || k.killers.empty()) out += line_of(k, o.all);
    }
    for (const std::string& f : r.flagged) {
      out += fmt::format("  FLAGGED though right: {}\n", f);
    }
  }
  return out;
}

int run_faults(const FaultsOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs, o.filters);
  if (!session) return complain(session.error().message);
  const Result<std::vector<language::FaultSpec>> faults = load_faults(o.specs);
  if (!faults) return complain(faults.error().message);
  Result<std::vector<const cases::Case*>> cases =
      select_cases(**session, o.filters, o.profile);
  if (!cases) return complain(cases.error().message);
  const std::vector<Work> work = work_of(**session, *faults, *cases);
  const std::vector<RowKills> rows = kill_all(work, **session, o);
  if (interrupt_flag()) return complain("interrupted", 3);
  Totals t;
  std::string out = text_of(rows, o, &t);
  out += fmt::format(
      "{} operations, {} faults, {} killed by the {} profile; {} operations "
      "have fewer than {}",
      rows.size(), t.faults, t.faults - t.alive, cases::profile_name(o.profile),
      t.few, kLeastFaults);
  if (o.control) {
    out += fmt::format("; a right implementation passes {} of {} cases",
                       t.controls - t.flagged, t.controls);
  }
  const bool good = t.alive == 0 && t.few == 0 && t.flagged == 0;
  return print(out + "\n", good ? 0 : 1);
}

}  // namespace

void add_faults_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<FaultsOptions>();
  CLI::App* c = app.add_subcommand(
      "faults",
      "Say which cases tell the wrong implementations of specs/faults from "
      "right ones. Exit code 1 where one is left alive.");
  c->add_option("FILTER", o->filters, "globs over case paths");
  add_profile_option(c, &o->profile);
  c->add_flag("--all", o->all,
              "ask every case about every fault, not up to the first killer");
  c->add_flag("--control", o->control,
              "ask a right implementation too, which every case must pass");
  c->add_flag("-v,--verbose", o->verbose, "print who is killed by what");
  c->add_option("-j,--jobs", o->jobs, "threads, 0: one per core");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = run_faults(*o); });
}

}  // namespace assay::harness
