// assay reduce: the smallest program and inputs on which a subject fails as it
// does in a case.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/program_text.h"
#include "core/text.h"
#include "harness/commands/cases/repro_input.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/show.h"
#include "harness/records/files.h"
#include "harness/reduce/column_examiner.h"
#include "harness/reduce/program_yaml.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "harness/subject/places.h"
#include "harness/subject/worker.h"
#include "suite/cases/expand/program_cases.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;

struct ReduceOptions {
  std::string path;
  std::string subject;
  std::string name;
  std::filesystem::path out;
  int limit = 500;
  int timeout = 900;
  bool strict = false;
  bool markdown = false;
  std::filesystem::path specs;
};

// Runs that have to show the failure of what is left.
constexpr int kRuns = 3;

std::int64_t given_elements(const Candidate& c) {
  std::int64_t n = 0;
  for (const GivenTensor& g : c.inputs) n += element_count(g.sizes);
  for (const GivenTensor& g : c.constants) n += element_count(g.sizes);
  return n;
}

std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string size_text(const Candidate& c) {
  return fmt::format(
      "{}, {}, {}", counted(count_steps(c), "step"),
      counted(c.inputs.size() + c.constants.size(), "operand"),
      counted(static_cast<std::size_t>(given_elements(c)), "element"));
}

std::string given_text(const Candidate& c) {
  std::string out;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    const GivenTensor& g = c.inputs[k];
    std::vector<std::string> values;
    for (const std::uint64_t bits : g.bits) {
      values.push_back(show_bits(g.dtype, bits));
    }
    out += fmt::format("%{} holds {}\n", k, fmt::join(values, ", "));
  }
  return out;
}

// A name that a spec may have: of the row, with what was done to it.
std::string default_name(const cases::Case& c) { return c.spec + "_reduced"; }

class Reducer {
 public:
  Reducer(const ReduceOptions& o, const Session& session, const cases::Case& c,
          StartedColumn column)
      : options_(o),
        session_(session),
        case_(c),
        column_(std::move(column)),
        oracle_(live_oracle(session.specs)),
        adjudicator_(
            *oracle_,
            o.strict ? reference::Numerics::strict : reference::Numerics::fused,
            &session.specs),
        end_(Clock::now() + std::chrono::seconds(o.timeout)) {}

  int run() {
    const auto prepared = adjudicator_.prepare(case_);
    if (!prepared->fault.empty()) {
      return complain(fmt::format("no golden: {}", prepared->fault));
    }
    const Attempt first = attempt(*prepared, *column_.executor, adjudicator_);
    failure_ = failure_of(first.result, first.observation);
    if (!is_reducible(failure_)) return nothing_to_reduce(first);
    const Result<Candidate> made = candidate_of(case_);
    if (!made) return complain(made.error().message);
    const Candidate start = pruned(*made);
    ColumnExaminer examiner(adjudicator_, *column_.executor, failure_);
    const Examined again = examiner.examine(start, false);
    if (!again.fails) {
      return complain(fmt::format(
          "{} failed on {} ({}), and did not when it was run again: it is "
          "flaky, or its clause is judged by more than a program spec can say",
          case_.path, options_.subject, first.result.reason));
    }
    SearchLimits limits;
    limits.trials = options_.limit;
    limits.stop = [this] { return interrupt_flag() || Clock::now() > end_; };
    const Reduced reduced = search(
        start, again, session_.specs, examiner, limits, [](const Reduced& r) {
          fmt::print(stderr, "assay: {} after {}\n", size_text(r.candidate),
                     counted(static_cast<std::size_t>(r.trials), "trial"));
        });
    return finish(start, reduced);
  }

 private:
  int nothing_to_reduce(const Attempt& a) {
    const CaseResult& r = a.result;
    const std::string what =
        fmt::format("{} on {}: {}{}{}; there is no failure to reduce\n",
                    case_.path, options_.subject, status_name(r.status),
                    r.reason.empty() ? "" : ", ", r.reason);
    const bool conforms = r.status == CellStatus::pass ||
                          r.status == CellStatus::quality_warning ||
                          r.status == CellStatus::unsupported;
    // A table has no row for it.
    const bool row = options_.markdown;
    return conforms && !row ? print(what) : complain(what, conforms ? 0 : 3);
  }

  // Writes what is left, reads it back as a spec, and runs that: what is
  // reported is what the files say.
  int finish(const Candidate& start, const Reduced& reduced) {
    const std::string name =
        options_.name.empty() ? default_name(case_) : options_.name;
    const auto yaml = options_.out / (name + ".yaml");
    const std::string doc =
        fmt::format("Reduced from {}, which {} fails ({}).", case_.path,
                    column_.identity.column, to_text(failure_));
    if (const Status s =
            replace_file(yaml, program_yaml(reduced.candidate, name, doc));
        !s) {
      return complain(s.error().message, 3);
    }
    const language::LoadResult loaded =
        language::load_spec_file(yaml, options_.specs);
    if (!loaded.errors.empty()) {
      return complain(language::to_string(loaded.errors.front()));
    }
    std::vector<cases::Case> made;
    std::vector<std::string> errors;
    for (const language::ProgramSpec& p : loaded.specs.programs) {
      if (p.name != name) continue;
      cases::add_program_cases(loaded.specs, p, &made, &errors);
    }
    if (made.size() != 1) {
      errors.push_back(fmt::format("{} makes no case", yaml.string()));
      return complain(errors.front());
    }
    return report(start, reduced, made.front(), yaml);
  }

  int report(const Candidate& start, const Reduced& reduced,
             const cases::Case& c, const std::filesystem::path& yaml) {
    const auto prepared = adjudicator_.prepare(c);
    if (!prepared->fault.empty()) {
      return complain(
          fmt::format("{}: no golden: {}", c.path, prepared->fault));
    }
    std::vector<Observed> observed;
    int failed = 0;
    for (int n = 0; n < kRuns; ++n) {
      Worker fresh(column_.config);  // nothing is left of earlier trials
      const Attempt a = attempt(*prepared, fresh, adjudicator_);
      const Failure f = failure_of(a.result, a.observation);
      if (!is_same(failure_, f)) continue;
      final_ = f;
      if (failed++ > 0) continue;
      Observed o{column_.identity.column, a.observation, a.result};
      o.result.column = o.column;
      observed.push_back(std::move(o));
    }
    const auto python = options_.out / (yaml.stem().string() + ".py");
    if (const Status s = replace_file(python, python_of(*prepared, observed));
        !s) {
      return complain(s.error().message, 3);
    }
    const bool interrupted = interrupt_flag();
    const int code = failed == kRuns && !interrupted ? 1 : 3;
    if (options_.markdown) return print(row(start, reduced, failed), code);
    std::string out = fmt::format(
        "{} on {}: {}\nfrom {}\nto   {}, after {}{}\n\n{}{}{}\n", case_.path,
        options_.subject, to_text(failure_), size_text(start),
        size_text(reduced.candidate),
        counted(static_cast<std::size_t>(reduced.trials), "trial"),
        reduced.complete ? ""
        : interrupted    ? "; interrupted"
                         : "; --limit or --timeout ended it, so that it may "
                           "get smaller still",
        to_text(c.program), given_text(reduced.candidate),
        observed.empty() ? "" : observed.front().result.reason);
    out += fmt::format("{}failed in {} of {} runs{}\n",
                       reduced.telling ? ""
                                       : "its sets admit a lazy answer, so "
                                         "that `assay lint` mistrusts it\n",
                       failed, kRuns, failed == kRuns ? "" : ": it is flaky");
    out += fmt::format("{} is for specs/programs\n{} runs by itself\n",
                       yaml.string(), python.string());
    return print(out, code);
  }

  std::string python_of(const PreparedCase& prepared,
                        const std::vector<Observed>& observed) const {
    ReproInput in;
    if (!backend_of(column_.config, &in)) {
      in.notes.push_back(fmt::format(
          "{} is no backend of torch.compile: what follows shows {}",
          options_.subject, in.backend));
    }
    describe(prepared, session_.specs, &in);
    add_observed(prepared, observed, adjudicator_, &in);
    return repro_python(in);
  }

  std::string row(const Candidate& start, const Reduced& r, int failed) const {
    const Candidate& c = r.candidate;
    std::vector<std::string> ops;
    for (const Node& node : c.nodes) {
      if (!further_output(node)) ops.push_back(node.op.substr(5));
    }
    return fmt::format(
        "| `{}` | `{}` | {} | {} → {} | {} → {} | {} → {} | {} | {} | {} |\n",
        case_.path, options_.subject, to_text(final_), count_steps(start),
        count_steps(c), start.inputs.size() + start.constants.size(),
        c.inputs.size() + c.constants.size(), given_elements(start),
        given_elements(c), fmt::join(ops, ", "), r.trials,
        failed == kRuns ? "" : "flaky");
  }

  const ReduceOptions& options_;
  const Session& session_;
  const cases::Case& case_;
  StartedColumn column_;
  std::unique_ptr<GoldenSource> oracle_;
  Adjudicator adjudicator_;
  Clock::time_point end_;
  Failure failure_;  // of the case
  Failure final_;    // of what is left of it
};

int reduce(ReduceOptions o) {
  if (o.out.empty()) o.out = out_root() / "reduced";
  Result<std::unique_ptr<Session>> session = open_session(o.specs, {o.path});
  if (!session) return complain(session.error().message);
  const Result<const cases::Case*> c = find_case(**session, o.path);
  if (!c) return complain(c.error().message);
  std::error_code failed;
  std::filesystem::create_directories(o.out, failed);
  if (failed) {
    return complain(fmt::format("{}: {}", o.out.string(), failed.message()));
  }
  Result<std::vector<StartedColumn>> columns = start_columns({o.subject});
  if (!columns) return complain(columns.error().message);
  return Reducer(o, **session, **c, std::move(columns->front())).run();
}

}  // namespace

void add_reduce_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ReduceOptions>();
  CLI::App* c = app.add_subcommand(
      "reduce",
      "Find the smallest program and inputs on which a subject fails as in a "
      "case; write them as a spec and as a Python file.");
  c->add_option("CASE", o->path, "a case's whole path")->required();
  c->add_option("--subject", o->subject, "who fails it")
      ->required()
      ->type_name("S");
  c->add_option("--out", o->out,
                "folder for NAME.yaml and NAME.py, default out/reduced")
      ->type_name("DIR");
  c->add_option("--name", o->name, "of the program, default ROW_reduced")
      ->type_name("NAME");
  c->add_option("--limit", o->limit, "programs to try")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  c->add_option("--timeout", o->timeout, "seconds to search")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  c->add_flag("--markdown", o->markdown, "print a row of a table instead");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = reduce(*o); });
}

}  // namespace assay::harness
