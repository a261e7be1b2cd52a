// assay profile: chooses the quick profile.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/glob.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/profile/choose.h"
#include "harness/records/results_file.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"

namespace assay::harness {
namespace {

struct ProfileOptions {
  std::vector<std::filesystem::path> results;
  std::vector<std::string> rows;  // patterns; none: all
  std::filesystem::path out;
  int jobs = 0;
  std::filesystem::path specs;
};

using Cases = std::vector<const cases::Case*>;
using Failures = std::map<std::string, std::vector<const CaseResult*>>;

constexpr const char* kHead =
    "# The cases of the quick profile, by row: the cheapest that break every "
    "requirement, kill\n"
    "# every fault of specs/faults and meet the failures that were "
    "recorded. Made by\n"
    "# `assay profile`; rows that are not here have all of the standard "
    "profile.\n";

bool is_wanted(const std::string& row, const ProfileOptions& o) {
  return o.rows.empty() ||
         std::any_of(o.rows.begin(), o.rows.end(),
                     [&](const std::string& p) { return glob(row, p); });
}

struct Row {
  Cases standard, full;
  std::vector<const language::FaultSpec*> faults;
};

// Faults that the standard profile leaves alive are killed by one case of the
// full one.
Cases choose(const std::string& name, const Row& row, const Session& session,
             const GoldenSource& oracle, const Failures& failures) {
  faults::KillOptions all;
  all.all = true;
  faults::RowKills kills = faults::kill_row(name, row.faults, row.standard,
                                            session.specs, oracle, all);
  Cases candidates = row.standard;
  std::vector<const language::FaultSpec*> alive;
  for (const faults::Kill& k : kills.kills) {
    if (k.killers.empty()) alive.push_back(k.fault);
  }
  const faults::RowKills rest = faults::kill_row(
      name, alive, row.full, session.specs, oracle, faults::KillOptions{});
  for (const faults::Kill& k : rest.kills) {
    for (const cases::Case* c : k.killers) {
      if (std::find(candidates.begin(), candidates.end(), c) ==
          candidates.end()) {
        candidates.push_back(c);
      }
    }
    kills.kills.push_back(k);
  }
  Cases chosen = cover(worth_of(candidates, kills, failures));
  std::sort(chosen.begin(), chosen.end(),
            [](const cases::Case* a, const cases::Case* b) {
              return a->path < b->path;
            });
  return chosen;
}

std::map<std::string, Row> rows_of(
    const Session& session, const std::vector<language::FaultSpec>& faults) {
  std::map<std::string, Row> rows;
  for (const cases::Case& c : session.expansion.cases) {
    Row& row = rows[c.spec];
    row.full.push_back(&c);
    if (c.is_in(cases::Profile::standard)) row.standard.push_back(&c);
  }
  for (const language::FaultSpec& f : faults) rows[f.row].faults.push_back(&f);
  for (auto& [name, row] : rows) {
    faults::prefer(&row.standard);
    faults::prefer(&row.full);
  }
  return rows;
}

// Names of cases, without their row's.
using Names = std::map<std::string, std::vector<std::string>>;

std::string text_of(const Names& chosen) {
  std::string out = kHead;
  for (const auto& [row, names] : chosen) {
    out += row + ":\n";
    for (const std::string& name : names) {
      const bool plain =
          name.find_first_of(",:[]{}'\"#&*!|>%@` ") == std::string::npos;
      out += plain ? fmt::format("  - {}\n", name)
                   : fmt::format("  - '{}'\n", name);
    }
  }
  return out;
}

std::vector<std::string> names_of(const std::string& row, const Cases& cases) {
  std::vector<std::string> names;
  for (const cases::Case* c : cases) {
    // A program without axes has no name below its row.
    names.push_back(c->path == row ? "." : c->path.substr(row.size() + 1));
  }
  return names;
}

// What stands in the profile for the rows that are not chosen anew.
Names kept(const language::QuickCases& quick, const language::SpecSet& specs,
           const ProfileOptions& o) {
  std::set<std::string> rows;
  for (const language::OpSpec& s : specs.ops) rows.insert(s.name);
  for (const language::ProgramSpec& s : specs.programs) rows.insert(s.name);
  Names names;
  for (const auto& [row, cases] : quick.rows) {
    if (is_wanted(row, o) || !rows.contains(row)) continue;
    for (const language::QuickCase& c : cases) names[row].push_back(c.name);
  }
  return names;
}

int profile(const ProfileOptions& o) {
  Result<std::unique_ptr<Session>> session = load_session(o.specs);
  if (!session) return complain(session.error().message);
  const Result<std::vector<language::FaultSpec>> faults = load_faults(o.specs);
  if (!faults) return complain(faults.error().message);
  // What was chosen before must not decide what is chosen now.
  language::SpecSet& specs = (*session)->specs;
  const language::QuickCases before = std::move(specs.quick);
  specs.quick.rows.clear();
  (*session)->expansion = cases::expand(
      specs, [&](const std::string& row) { return is_wanted(row, o); });
  const std::vector<std::string>& errors = (*session)->expansion.errors;
  if (!errors.empty()) {
    return complain(fmt::format("{}", fmt::join(errors, "\n")));
  }
  std::vector<ResultsFile> files;
  Failures failures;
  for (const std::filesystem::path& file : o.results) {
    Result<ResultsFile> read = read_results(file);
    if (!read) return complain(read.error().message);
    files.push_back(std::move(*read));
  }
  for (const ResultsFile& f : files) {
    for (const CaseResult& r : f.results) failures[r.case_path].push_back(&r);
  }
  const std::map<std::string, Row> rows = rows_of(**session, *faults);
  std::vector<std::pair<std::string, const Row*>> work;
  for (const auto& [name, row] : rows) {
    if (is_wanted(name, o)) work.emplace_back(name, &row);
  }
  if (work.empty()) return complain("no row has such a name");
  std::vector<Cases> chosen(work.size());
  const auto oracle = live_oracle(specs);
  in_parallel(work.size(), o.jobs, [&](std::size_t i) {
    if (interrupt_flag()) return;
    chosen[i] =
        choose(work[i].first, *work[i].second, **session, *oracle, failures);
  });
  if (interrupt_flag()) return complain("interrupted; nothing was written", 3);
  Names by_row = kept(before, specs, o);
  for (std::size_t i = 0; i < work.size(); ++i) {
    by_row[work[i].first] = names_of(work[i].first, chosen[i]);
  }
  std::size_t count = 0;
  for (const auto& [row, names] : by_row) count += names.size();
  const Status written = replace_file(o.out, text_of(by_row));
  if (!written) return complain(written.error().message, 3);
  return print(fmt::format("{}: {} cases of {} rows\n", o.out.string(), count,
                           by_row.size()));
}

}  // namespace

void add_profile_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ProfileOptions>();
  CLI::App* c = app.add_subcommand(
      "profile",
      "Choose the quick profile: the cheapest cases that break every "
      "requirement, kill every fault and meet every recorded failure.");
  c->add_option("RESULTS", o->results,
                "results.jsonl of runs of the standard profile, whose failures "
                "must be met again");
  c->add_option("--row", o->rows,
                "choose for these rows alone, others keep their cases; "
                "patterns such as 'split*'")
      ->type_name("ROW")
      ->allow_extra_args(false);
  c->add_option("--out", o->out,
                "the file to write; default "
                "specs/profile.yaml")
      ->type_name("FILE");
  c->add_option("-j,--jobs", o->jobs, "threads, 0: one per core");
  add_specs_option(c, &o->specs);
  c->callback([=] {
    if (o->out.empty()) o->out = o->specs / "profile.yaml";
    *exit_code = profile(*o);
  });
}

}  // namespace assay::harness
