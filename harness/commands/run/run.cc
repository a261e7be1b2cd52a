// assay run: run cases on subjects, judge them, print the matrix.
#include "harness/run/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/run/golden_cache.h"
#include "harness/commands/run/out_folder.h"
#include "harness/commands/run/outcome.h"
#include "harness/records/identity.h"
#include "harness/report/gate.h"
#include "harness/report/live.h"
#include "harness/run/interrupt.h"
#include "harness/run/progress.h"
#include "harness/run/session.h"
#include "harness/shard/costs.h"
#include "harness/shard/plan.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;

struct RunOptions {
  std::vector<std::string> filters;
  ColumnChoice columns;
  cases::Profile profile = cases::Profile::quick;
  bool strict = false;
  bool no_known = false;
  int jobs = 0;
  std::filesystem::path out;  // empty: a fresh folder
  bool resume = false;
  std::string shard_text;
  std::optional<Shard> shard;
  bool no_golden_cache = false;
  bool verbose = false;
  double deadline = 0;  // seconds, 0: the default
  std::filesystem::path record;
  OutcomeOptions outcome;
  std::filesystem::path specs, known;

  reference::Numerics numerics() const {
    return strict ? reference::Numerics::strict : reference::Numerics::fused;
  }
  const char* numerics_name() const { return strict ? "strict" : "fused"; }
};

// What can be checked before anything starts. Nothing is written.
Status check_usage(const RunOptions& o) {
  if (!o.columns.subjects.empty() && o.columns.device != "cpu") {
    return Error{"--device stands for subjects: name either"};
  }
  if (o.shard && !o.outcome.baseline.empty()) {
    return Error{
        "--baseline judges whole runs: leave it to `assay merge`, which has "
        "the option too"};
  }
  std::error_code error;
  if (!o.record.empty() && !o.resume &&
      std::filesystem::exists(o.record, error)) {
    return Error{
        fmt::format("--record: {} is there already", o.record.string())};
  }
  // The folder of results is made in time.
  if (!o.record.empty() && o.record.parent_path() != o.out) {
    const Status writable = check_writable(o.record);
    if (!writable) return writable;
  }
  return check_outcome(o.outcome);
}

Result<std::vector<KnownList>> load_known_lists(
    const RunOptions& o, const std::vector<StartedColumn>& columns) {
  std::vector<KnownList> lists;
  std::string faults;
  for (const StartedColumn& c : columns) {
    if (o.no_known || o.known.empty()) {
      lists.emplace_back();
      continue;
    }
    Result<KnownList> list = load_known_of(
        o.known, c.identity.column, c.identity.facts, cpu_identity().model);
    if (list) {
      lists.push_back(std::move(list.value()));
    } else {
      faults += list.error().message + "\n";
    }
  }
  if (!faults.empty()) return Error{faults};
  return lists;
}

nlohmann::ordered_json header_of(const RunOptions& o, const Session& session,
                                 std::size_t cases,
                                 const std::vector<StartedColumn>& columns) {
  HeaderFacts facts;
  facts.spec_hash = session.specs.hash;
  facts.profile = cases::profile_name(o.profile);
  facts.numerics = o.numerics_name();
  facts.filters = o.filters;
  facts.cases = cases;
  facts.jobs = o.jobs;
  for (const StartedColumn& c : columns) {
    facts.columns.push_back({c.config.spelling, c.identity});
  }
  return make_header(facts);
}

std::string resume_command(const std::filesystem::path& dir) {
  std::string out = "./assay";
  const auto& words = command_line();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--resume") continue;
    if (words[i] == "--out" && i + 1 < words.size()) {
      ++i;
      continue;
    }
    if (words[i].rfind("--out=", 0) == 0) continue;
    out += " " + shell_quoted(words[i]);
  }
  return fmt::format("{} --resume --out {}", out, shell_quoted(dir.string()));
}

void print_timing(const Report& report, const ScheduleStats& stats,
                  double setup, double total) {
  fmt::print(stderr,
             "time: {:.1f} s, of which {:.1f} s before the first case; oracle "
             "{:.1f} s, the longest:\n",
             total, setup, stats.golden_seconds);
  for (const auto& [seconds, path] : stats.slowest_goldens) {
    fmt::print(stderr, "  {:7.2f} s {}\n", seconds, path);
  }
  for (std::size_t i = 0; i < stats.column_seconds.size(); ++i) {
    fmt::print(stderr, "{}: workers busy {:.1f} s, {} programs\n",
               report.columns[i].name, stats.column_seconds[i],
               stats.programs[i]);
  }
}

// The cases of the shard, of all that were selected; and what the header and
// the scheduler have to know of it.
Result<std::vector<const cases::Case*>> take_shard(
    const Shard& shard, const std::vector<const cases::Case*>& all,
    const std::vector<StartedColumn>& columns, nlohmann::ordered_json* header,
    ScheduleOptions* options) {
  const Result<CostTable> table = load_costs(costs_file());
  if (!table) return table.error();
  std::vector<std::string> names;
  for (const StartedColumn& c : columns) names.push_back(c.identity.column);
  const ShardPlan plan =
      plan_shards(all, costs_of(all, names, *table), shard.of);
  (*header)[kShardField] = shard_header(plan, shard);
  options->packs = packs_of(plan, shard);
  std::vector<const cases::Case*> mine;
  for (const std::size_t i : plan.cases_of(shard)) mine.push_back(all[i]);
  return mine;
}

// Starts the recording that is asked for, or goes on with it: then results
// without an observation are due again.
Result<std::unique_ptr<RecordingWriter>> open_recording(
    const RunOptions& o, const nlohmann::ordered_json& header,
    std::vector<CaseResult>* existing) {
  if (o.record.empty()) return std::unique_ptr<RecordingWriter>();
  RecordedCases there;
  Result<RecordingWriter> made =
      o.resume ? RecordingWriter::resume(o.record, header, &there)
               : RecordingWriter::create(o.record, header);
  if (!made) return made.error();
  std::erase_if(*existing, [&](const CaseResult& r) {
    return !there.contains({r.case_path, r.column});
  });
  return std::make_unique<RecordingWriter>(std::move(made.value()));
}

void print_goldens(const CachedGoldens& cache, bool verbose) {
  const CachedGoldens::Stats stats = cache.stats();
  if (!stats.fault.empty()) {
    complain(fmt::format("goldens cannot be kept: {}", stats.fault));
  }
  if (!verbose) return;
  fmt::print(stderr, "goldens: {} read from {}, {} worked out, {} kept\n",
             stats.read, goldens_folder().string(), stats.made, stats.kept);
}

int finish(const RunOptions& o, const Report& report, const Records& records,
           const std::optional<Baseline>& baseline, const Session& session) {
  const int code =
      conclude(o.outcome, report, session, records.dir(), baseline);
  if (report.interrupted || !report.lost.empty()) {
    complain(fmt::format("{} of {} results are kept; go on with\n  {}",
                         report.results.size(),
                         report.cases.size() * report.columns.size(),
                         resume_command(records.dir())));
  }
  return code;
}

int run(RunOptions o) {
  const auto begin = Clock::now();
  if (o.jobs == 0) {
    o.jobs =
        static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  if (!o.shard_text.empty()) {
    const Result<Shard> shard = parse_shard(o.shard_text);
    if (!shard) return complain("--shard: " + shard.error().message);
    o.shard = *shard;
  }
  const Status usage = check_usage(o);
  if (!usage) return complain(usage.error().message);
  const Result<std::optional<Baseline>> baseline = baseline_of(o.outcome);
  if (!baseline) return complain(baseline.error().message);
  Result<std::unique_ptr<Session>> opened = open_session(o.specs, o.filters);
  if (!opened) return complain(opened.error().message);
  const Session& session = **opened;
  Result<std::vector<const cases::Case*>> cases =
      select_cases(session, o.filters, o.profile);
  if (!cases) return complain(cases.error().message);
  std::vector<AbsentColumn> absent;
  Result<std::vector<StartedColumn>> columns =
      start_chosen(o.columns, o.profile == cases::Profile::full, &absent);
  if (!columns) return complain(columns.error().message);
  for (const AbsentColumn& a : absent) complain(a.why);
  Result<std::vector<KnownList>> known = load_known_lists(o, *columns);
  if (!known) return complain(known.error().message);
  Result<std::filesystem::path> dir = choose_out_folder(o.out, o.resume);
  if (!dir) return complain(dir.error().message);

  const std::unique_ptr<GoldenSource> oracle = live_oracle(session.specs);
  Result<std::unique_ptr<CachedGoldens>> cache =
      o.no_golden_cache ? std::unique_ptr<CachedGoldens>()
                        : open_golden_cache(*oracle, session.specs);
  if (!cache) return complain(cache.error().message);

  Report report;
  RunSetup setup;
  report.header = header_of(o, session, cases->size(), *columns);
  if (o.shard) {
    cases =
        take_shard(*o.shard, *cases, *columns, &report.header, &setup.options);
    if (!cases) return complain(cases.error().message);
  }
  report.version = program_version();
  report.profile = cases::profile_name(o.profile);
  report.numerics = o.numerics_name();
  report.filters = o.filters;
  report.cases_in_suite = count_cases(session, o.filters);
  report.cases = case_infos(session.specs, *cases);
  std::vector<std::string> names;
  for (const StartedColumn& c : *columns) {
    names.push_back(c.identity.column);
    report.columns.push_back({c.identity.column, c.config.spelling});
  }

  Result<Records> records =
      Records::open(*dir, report.header, o.resume ? &setup.existing : nullptr);
  if (!records) return complain(records.error().message);
  point_latest_to(*dir);
  const Result<std::unique_ptr<RecordingWriter>> recording =
      open_recording(o, report.header, &setup.existing);
  if (!recording) return complain(recording.error().message);
  const Adjudicator adjudicator(*cache ? **cache : *oracle, o.numerics(),
                                &session.specs);
  setup.cases = *cases;
  setup.columns = plans_of(&columns.value());
  setup.known = *known;
  setup.records = &records.value();
  setup.recording = recording->get();
  setup.options.jobs = o.jobs;
  setup.options.stop = &interrupt_flag();
  if (o.deadline > 0) {
    const std::chrono::milliseconds limit(
        static_cast<std::int64_t>(o.deadline * 1000));
    setup.options.deadline = setup.options.slow_deadline = limit;
  }
  setup.today = today_utc();
  RunOutcome outcome;
  const std::chrono::duration<double> before = Clock::now() - begin;
  {
    // The matrix fills as the run goes on, for who watches.
    const bool watched = ::isatty(STDERR_FILENO) != 0;
    Progress progress(cases->size() * names.size(), setup.existing.size(),
                      watched);
    std::optional<LiveMatrix> matrix;  // keeps results: only for who watches
    if (watched) matrix.emplace(report, wants_colour());
    const auto show = [&](const CaseResult& r) {
      if (matrix) progress.print(matrix->add(r));
    };
    for (const CaseResult& r : setup.existing) show(r);
    setup.on_result = [&](const CaseResult& r) {
      progress.add(r);
      show(r);
    };
    outcome = run_cases(std::move(setup), adjudicator);
  }
  report.interrupted = interrupt_flag() && !outcome.complete;
  report.lost = outcome.lost;
  report.results = std::move(outcome.results);
  report.stale = all_stale_entries(names, *known, report.results,
                                   extent_of(report), today_utc());
  const int code = finish(o, report, *records, *baseline, session);
  if (*cache) print_goldens(**cache, o.verbose);
  if (o.verbose) {
    const std::chrono::duration<double> total = Clock::now() - begin;
    print_timing(report, outcome.stats, before.count(), total.count());
  }
  return code;
}

}  // namespace

void add_run_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* c = app.add_subcommand(
      "run", "Run cases on subjects, judge them, print the matrix.");
  c->add_option("FILTER", o->filters,
                "cases to run: globs over case paths; 'bmm' means 'bmm/*'");
  c->add_option("--subject", o->columns.subjects,
                "a column: eager, eager{isa=avx2}, bundled, plugin:FILE.so, "
                "torch:BACKEND[@VERSION][{options}], worker:PROGRAM")
      ->allow_extra_args(false)
      ->type_name("S");
  c->add_option("--device", o->columns.device,
                "the columns where no --subject is named: cpu (default), "
                "cuda (this machine's first GPU), cuda-static (compilers for "
                "GPUs, without one), all")
      ->type_name("D");
  add_profile_option(c, &o->profile);
  c->add_flag("--strict", o->strict,
              "every operation rounds to its dtype, fused or not");
  c->add_flag("--no-known", o->no_known,
              "judge as if results/known were empty");
  c->add_option("--jobs,-j", o->jobs, "workers at a time, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  c->add_option("--out", o->out,
                "folder for results.jsonl; default out/run-TIME, with "
                "out/latest pointing to it")
      ->type_name("DIR");
  c->add_flag("--resume", o->resume,
              "go on with the results in --out (default out/latest)");
  c->add_option("--shard", o->shard_text,
                "run the I-th of N parts, which are the same on every machine; "
                "`assay merge` joins them")
      ->type_name("I/N");
  c->add_flag("--no-golden-cache", o->no_golden_cache,
              "work out every golden, and keep none (ASSAY_GOLDENS)");
  add_outcome_options(c, &o->outcome);
  c->add_option("--record", o->record,
                "record all observations, for `assay judge`; with --resume "
                "it goes on")
      ->type_name("FILE");
  c->add_option("--deadline", o->deadline, "seconds for one program")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  c->add_flag("--verbose,-v", o->verbose, "say where the time went");
  add_specs_option(c, &o->specs);
  CLI::Option* known =
      c->add_option("--known", o->known,
                    "folder of known failures; default results/known, none "
                    "if --specs is given")
          ->type_name("DIR");
  c->callback([=] {
    if (known->empty() && c->get_option("--specs")->empty()) {
      o->known = home() / "results" / "known";
    }
    *exit_code = run(*o);
  });
}

}  // namespace assay::harness
