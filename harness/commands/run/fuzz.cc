// assay fuzz: random programs over the specified operations, judged by the
// oracle; what fails is reduced and written as a spec.
#include "harness/fuzz/fuzz.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <thread>

#include "core/program_text.h"
#include "core/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "harness/subject/places.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;

struct FuzzOptions {
  std::vector<std::string> subjects;
  double seconds = 60;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::int64_t count = -1;    // -1: as many as the time allows
  std::int64_t program = -1;  // this one alone
  int jobs = 0;
  int limit = 300;
  bool strict = false;
  bool no_known = false;
  std::filesystem::path out, specs;
};

std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::uint64_t first_of(const FuzzOptions& o) {
  return o.program >= 0 ? static_cast<std::uint64_t>(o.program) : o.first;
}

std::string repeat_line(const FuzzOptions& o, const FuzzColumn& column,
                        std::uint64_t number) {
  return fmt::format("./assay fuzz --seed {} --program {} --subject '{}'{}",
                     o.seed, number, column.spelling,
                     o.strict ? " --strict" : "");
}

std::string failure_text(const FuzzFinding& f, const FuzzColumn& column) {
  const std::string again =
      f.times > 1 ? fmt::format(", {} programs like it", f.times) : "";
  return fmt::format("{}: {}{}", column.name, to_text(f.failure), again);
}

std::string finding_text(const FuzzFinding& f, const FuzzOptions& o,
                         const FuzzColumn& column) {
  std::string out =
      fmt::format("{}\n  {}, {}{}\n", failure_text(f, column),
                  counted(count_steps(f.smallest), "step"),
                  fmt::join(f.ops, ", "), f.reduced ? "" : "; not reduced");
  if (!f.reason.empty()) out += fmt::format("  {}\n", f.reason);
  return out + fmt::format("  {}\n  {}\n", f.file.string(),
                           repeat_line(o, column, f.number));
}

std::string statuses_text(const std::map<CellStatus, std::size_t>& statuses) {
  std::vector<std::string> parts;
  for (const auto& [status, n] : statuses) {
    parts.push_back(fmt::format("{} {}", n, status_name(status)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string report_text(const FuzzReport& r, const FuzzOptions& o,
                        const std::vector<FuzzColumn>& columns) {
  std::string out = fmt::format(
      "seed {}, {} from {} on: {} judged, {} of which must be refused; {} "
      "dropped that nobody could fail",
      o.seed, counted(r.drawn, "program"), first_of(o), r.returned + r.refused,
      r.refused, r.vacuous);
  if (r.undecided_count > 0) {
    out += fmt::format(", {} without a golden", r.undecided_count);
  }
  out += '\n';
  for (std::size_t c = 0; c < columns.size(); ++c) {
    out +=
        fmt::format("{}: {}\n", columns[c].name, statuses_text(r.statuses[c]));
  }
  for (const auto& [key, n] : r.unsupported) {
    if (columns[key.first].twin_of) continue;
    out += fmt::format("{} does not do {}: {}\n", columns[key.first].name,
                       counted(n, "program"), key.second);
  }
  for (const auto& [why, number] : r.undecided) {
    out += fmt::format("no golden of program {}: {}\n", number, why);
  }
  for (const auto& [why, number] : r.at_odds) {
    out += fmt::format("a fault of the suite, program {}: {}\n", number, why);
  }
  for (const auto& [key, n] : r.known) {
    out += fmt::format("known of {}: {}, {}\n", columns[key.first].name,
                       key.second, counted(n, "program"));
  }
  for (const FuzzFinding& f : r.findings) {
    out += "\n" + finding_text(f, o, columns[f.column]);
  }
  return out + fmt::format("\n{}\n", counted(r.findings.size(), "finding"));
}

int exit_code(const FuzzReport& r) {
  if (!r.at_odds.empty()) return 2;
  if (r.interrupted || !r.lost.empty()) return 3;
  return r.findings.empty() ? 0 : 1;
}

int fuzz_command(FuzzOptions o) {
  if (o.subjects.empty()) o.subjects = {"bundled"};
  if (o.out.empty()) o.out = out_root() / "fuzz";
  std::error_code failed;
  std::filesystem::create_directories(o.out, failed);
  if (failed) {
    return complain(fmt::format("{}: {}", o.out.string(), failed.message()));
  }
  const language::LoadResult loaded = language::load_specs(o.specs);
  if (!loaded.errors.empty()) {
    return complain(language::to_string(loaded.errors.front()));
  }
  const Result<std::vector<FuzzColumn>> columns =
      open_columns(o.subjects, o.no_known ? "" : home() / "results" / "known");
  if (!columns) return complain(columns.error().message);
  const auto oracle = live_oracle(loaded.specs);
  const Adjudicator adjudicator(
      *oracle,
      o.strict ? reference::Numerics::strict : reference::Numerics::fused,
      &loaded.specs);
  const CallTemplates templates(loaded.specs);
  FuzzSetup setup{templates, adjudicator, *columns};
  setup.seed = o.seed;
  setup.first = first_of(o);
  setup.end = std::numeric_limits<std::uint64_t>::max();
  if (o.count >= 0) setup.end = o.first + static_cast<std::uint64_t>(o.count);
  if (o.program >= 0) setup.end = setup.first + 1;
  setup.until = Clock::time_point::max();
  if (o.count < 0 && o.program < 0) {
    setup.until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(o.seconds));
  }
  setup.jobs = o.jobs > 0
                   ? o.jobs
                   : static_cast<int>(std::thread::hardware_concurrency());
  setup.out = o.out;
  setup.reduce_trials = o.limit;
  setup.stop = &interrupt_flag();
  setup.on_finding = [&](const FuzzFinding& f) {
    fmt::print(stderr, "assay: {}\n", failure_text(f, (*columns)[f.column]));
  };
  if (o.program >= 0) {
    print(to_text(program_of(draw_program(templates, o.seed, setup.first))));
  }
  const FuzzReport report = fuzz(setup);
  if (!report.lost.empty()) complain(report.lost);
  return print(report_text(report, o, *columns), exit_code(report));
}

}  // namespace

void add_fuzz_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<FuzzOptions>();
  CLI::App* c = app.add_subcommand(
      "fuzz",
      "Judge subjects on random programs over the specified operations; "
      "reduce what fails and write it as specs.");
  c->add_option("--time", o->seconds, "seconds to draw programs for")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("--seed", o->seed, "of the programs")->capture_default_str();
  c->add_option("--first", o->first, "number of the first program")
      ->capture_default_str();
  c->add_option("--count", o->count,
                "so many programs, however long that takes")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--program", o->program, "this program alone")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--subject", o->subjects, "who is asked, default bundled")
      ->allow_extra_args(false)
      ->type_name("S");
  c->add_option("--out", o->out, "folder for specs, default out/fuzz")
      ->type_name("DIR");
  c->add_option("--jobs", o->jobs, "threads, 0: one per core")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--limit", o->limit, "programs to try for one reduction")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  c->add_flag("--no-known", o->no_known, "as if results/known were empty");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = fuzz_command(*o); });
}

}  // namespace assay::harness
