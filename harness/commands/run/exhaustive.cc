// assay exhaustive: every input of an operation, on any subject.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/identity.h"
#include "harness/records/result_json.h"
#include "harness/report/gate.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "harness/subject/places.h"
#include "harness/subject/worker.h"
#include "harness/sweep/report.h"
#include "harness/sweep/request.h"
#include "harness/sweep/run.h"
#include "reference/sweep/function_specs.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

using reference::Engine;
using reference::Sweep;

// The prefix of bare functions: function.exp.
constexpr const char* kFunction = "function.";

struct ExhaustiveOptions {
  std::vector<std::string> ops;
  std::vector<std::string> subjects;
  std::string dtype = "f32";
  std::string engine;
  std::int64_t length = 1 << 18;
  int jobs = 0;
  bool fresh = false, json = false;
  std::filesystem::path out, markdown, specs;
};

struct Column {
  std::string spelling;
  Identity identity;
  std::function<std::unique_ptr<SweepSubject>()> make;
};

Result<Column> open_column(const std::string& spelling) {
  Column c;
  c.spelling = spelling;
  if (spelling == "libm") {
    c.make = [] { return libm_subject(); };
    c.identity = *libm_subject()->identify();
    return c;
  }
  Result<std::vector<StartedColumn>> started = start_columns({spelling});
  if (!started) return started.error();
  c.identity = started->front().identity;
  c.make = [config = started->front().config] {
    return executor_subject(std::make_unique<Worker>(config));
  };
  return c;
}

// One line on standard error while a sweep runs on a terminal.
class SweepProgress {
 public:
  SweepProgress(std::string what, std::uint64_t total, std::uint64_t done)
      : what_(std::move(what)),
        total_(total),
        done_(done),
        first_(done),
        enabled_(::isatty(STDERR_FILENO) != 0),
        begin_(Clock::now()) {}
  ~SweepProgress() {
    if (enabled_) fmt::print(stderr, "\r\x1b[K");
  }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void add(std::uint64_t inputs) {
    done_ += inputs;
    if (!enabled_) return;
    constexpr int kWidth = 30;
    const double share =
        static_cast<double>(done_) / static_cast<double>(total_);
    const std::chrono::duration<double> took = Clock::now() - begin_;
    const double rate = static_cast<double>(done_ - first_) / took.count();
    const double left = static_cast<double>(total_ - done_) / rate;
    const auto filled = static_cast<std::size_t>(share * kWidth);
    fmt::print(stderr,
               "\r\x1b[K{} [{:<{}}] {:.1f} %, {:.1f} M inputs/s, {:.0f} s left",
               what_, std::string(filled, '#'), kWidth, 100 * share,
               rate * 1e-6, left);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  std::uint64_t total_, done_, first_;
  bool enabled_;
  Clock::time_point begin_;
};

std::string file_name(const Sweep& sweep, const std::string& column) {
  std::string name = fmt::format("{}@{}", sweep.name(), column);
  for (char& c : name) {
    if (c == '/') c = '-';
  }
  return name;
}

nlohmann::ordered_json header_of(const ExhaustiveOptions& o, const Sweep& sweep,
                                 const Column& column, const Engine* engine) {
  return {{"assay_sweep", 1},
          {"sweep", sweep.name()},
          {"column", column.identity.column},
          {"subject", column.spelling},
          {"facts", column.identity.facts},
          {"engine", engine != nullptr ? engine->name : "mpfr"},
          {"length", o.length},
          {"program", program_version()},
          {"build", build_id()},
          {"cpu", cpu_identity().model},
          {"specs", fmt::format("{:016x}", sweep.specs().hash)}};
}

struct Asked {
  std::vector<Sweep> sweeps;
  language::LoadResult loaded;
};

Result<std::unique_ptr<Asked>> open_sweeps(const ExhaustiveOptions& o,
                                           DType dtype) {
  auto asked = std::make_unique<Asked>();
  asked->loaded = language::load_specs(o.specs);
  std::string faults;
  for (const language::Diagnostic& d : asked->loaded.errors)
    faults += language::to_string(d) + "\n";
  if (!faults.empty()) return Error{faults};
  for (const std::string& name : o.ops) {
    const bool bare = name.rfind(kFunction, 0) == 0;
    const language::SpecSet& specs =
        bare ? reference::function_specs() : asked->loaded.specs;
    const Result<reference::SweepRequest> request = parse_sweep(
        specs, bare ? name.substr(std::string(kFunction).size()) : name, dtype);
    if (!request) {
      faults += request.error().message + "\n";
      continue;
    }
    Result<Sweep> sweep = Sweep::open(specs, *request);
    if (sweep) {
      asked->sweeps.push_back(std::move(*sweep));
    } else {
      faults += sweep.error().message + "\n";
    }
  }
  if (!faults.empty()) return Error{faults};
  return asked;
}

Result<SweepRow> sweep_one(const ExhaustiveOptions& o, const Sweep& sweep,
                           const Column& column, const Engine* engine) {
  Result<SweepRecords> records =
      SweepRecords::open(o.out, file_name(sweep, column.identity.column),
                         header_of(o, sweep, column, engine), o.fresh);
  if (!records) return records.error();
  std::uint64_t there = 0;
  for (const auto& [part, tally] : records->parts()) there += tally.inputs;
  SweepSetup setup;
  setup.sweep = &sweep;
  setup.engine = engine;
  setup.length = o.length;
  setup.jobs = o.jobs;
  setup.subject = column.make;
  setup.records = &*records;
  setup.stop = &interrupt_flag();
  SweepProgress progress(sweep.name() + " " + column.identity.column,
                         sweep.inputs(), there);
  setup.on_progress = [&](std::uint64_t inputs) { progress.add(inputs); };
  SweepOutcome outcome = run_sweep(setup);
  SweepRow row;
  row.sweep = &sweep;
  row.column = column.identity.column;
  row.clause = sweep.accuracy_clause();
  row.tally = outcome.tally;
  row.complete = outcome.complete;
  row.fault = outcome.fault;
  if (!outcome.slow.empty() && engine != nullptr) {
    fmt::print(stderr, "assay: {}: {}; element by element\n", sweep.name(),
               outcome.slow);
  }
  return row;
}

nlohmann::ordered_json row_json(const SweepRow& row) {
  nlohmann::ordered_json j = {{"sweep", row.sweep->name()},
                              {"column", row.column},
                              {"clause", row.clause},
                              {"complete", row.complete}};
  if (!row.fault.empty()) j["fault"] = row.fault;
  j.update(to_json(row.tally));
  return j;
}

int exhaustive(ExhaustiveOptions o) {
  if (o.jobs == 0) {
    o.jobs =
        static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  if (o.subjects.empty()) o.subjects = {"eager"};
  if (o.out.empty()) o.out = out_root() / "exhaustive";
  const auto dtype = parse_dtype(o.dtype);
  if (!dtype)
    return complain(fmt::format("--dtype: there is no dtype {}", o.dtype));
  const Engine* engine = &reference::engines().front();
  if (o.engine == "mpfr") {
    engine = nullptr;
  } else if (!o.engine.empty()) {
    engine = reference::find_engine(o.engine);
    if (engine == nullptr) {
      std::string known;
      for (const Engine& e : reference::engines())
        known += fmt::format("{}, ", e.name);
      return complain(fmt::format("--engine: this CPU has {}mpfr", known));
    }
  }
  if (!o.markdown.empty()) {
    const Status writable = check_writable(o.markdown);
    if (!writable)
      return complain(fmt::format("--markdown: {}", writable.error().message));
  }
  const auto asked = open_sweeps(o, *dtype);
  if (!asked) return complain(asked.error().message);
  std::vector<SweepRow> rows;
  int code = 0;
  for (const std::string& spelling : o.subjects) {
    const Result<Column> column = open_column(spelling);
    if (!column) return complain(column.error().message);
    for (const Sweep& sweep : (*asked)->sweeps) {
      if (interrupt_flag()) break;
      const Result<SweepRow> row = sweep_one(o, sweep, *column, engine);
      if (!row) return complain(row.error().message);
      if (row->tally.broken > 0) code = std::max(code, 1);
      if (!row->complete) code = kIncomplete;
      const std::string text =
          o.json ? json_line(row_json(*row)) + "\n" : sweep_text(*row);
      if (print(text) != 0) return kIncomplete;
      rows.push_back(*row);
    }
  }
  if (!o.markdown.empty()) {
    const Status written = replace_file(o.markdown, sweep_markdown(rows));
    if (!written) return complain(written.error().message, kIncomplete);
  }
  if (interrupt_flag()) {
    return complain(
        fmt::format("interrupted; the same command goes on with what is kept "
                    "in {}",
                    o.out.string()),
        kIncomplete);
  }
  return code;
}

}  // namespace

void add_exhaustive_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ExhaustiveOptions>();
  CLI::App* c = app.add_subcommand(
      "exhaustive",
      "Ask for every input of an operation: all 2^32 of a unary one in f32, "
      "all pairs of a binary one in 16 bits. Goes on where it was stopped.");
  c->add_option("OP", o->ops,
                "operations by the names of their specs, with what differs "
                "from the defaults: exp, 'gelu{approximate=tanh}'; or "
                "function.NAME: a function by itself, to be correctly rounded")
      ->required();
  c->add_option("--dtype", o->dtype, "of the operands")->capture_default_str();
  c->add_option("--subject", o->subjects,
                "as for `assay run`, default eager; or libm, this C library's "
                "float functions")
      ->allow_extra_args(false)
      ->type_name("S");
  c->add_option("--length", o->length, "elements of one call")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 22))
      ->capture_default_str()
      ->type_name("N");
  c->add_option("--engine", o->engine,
                "what works out the goldens: sleef-ISA, libm-ISA or mpfr")
      ->type_name("E");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  c->add_option("--out", o->out, "folder of records; default out/exhaustive")
      ->type_name("DIR");
  c->add_flag("--fresh", o->fresh, "forget what is recorded there");
  c->add_flag("--json", o->json, "print a JSON line per sweep");
  c->add_option("--markdown", o->markdown, "also write a table")
      ->type_name("FILE");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = exhaustive(*o); });
}

}  // namespace assay::harness
