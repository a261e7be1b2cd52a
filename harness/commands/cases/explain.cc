// assay explain: which clause a case tests, where it comes from, what it
// means here, and what subjects made of it.
#include <fmt/format.h>

#include <memory>

#include "core/program_text.h"
#include "core/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/judge/coherence.h"
#include "harness/judge/elementwise.h"
#include "harness/judge/judge.h"
#include "harness/judge/show.h"
#include "harness/records/results_file.h"
#include "harness/report/clause_origin.h"
#include "harness/run/observe.h"
#include "harness/run/session.h"
#include "harness/subject/places.h"
#include "reference/golden/admits.h"

namespace assay::harness {
namespace {

constexpr std::size_t kPlaces = 6;

struct ExplainOptions {
  std::string path;
  std::vector<std::string> subjects;
  int output = -1;
  std::int64_t element = -1;
  bool strict = false;
  std::filesystem::path specs;
};

std::string origin_text(const language::SpecSet& specs,
                        const std::string& clause) {
  const auto origin = find_clause(specs, clause);
  if (!origin) return fmt::format("{}\n", clause);
  std::string out = fmt::format("{}: {}\n  from {}\n", clause, origin->wording,
                                origin->where);
  if (!origin->source.empty()) {
    out += fmt::format("  source {}\n", origin->source);
  }
  return out;
}

// The witnesses of this case in the last run, if it has any.
std::vector<Place> recorded_places(const std::string& path, std::string* note) {
  const auto file = out_root() / "latest" / "results.jsonl";
  const Result<ResultsFile> results = read_results(file);
  std::vector<Place> out;
  if (!results) return out;
  for (const CaseResult& r : results->results) {
    if (r.case_path != path || !r.witness) continue;
    out.push_back({r.witness->output, r.witness->element});
    *note += fmt::format("{}: {} ({})\n", r.column, r.reason, file.string());
  }
  return out;
}

class Explainer {
 public:
  Explainer(const Session& session, const cases::Case& c,
            const ExplainOptions& o)
      : session_(session),
        case_(c),
        options_(o),
        oracle_(live_oracle(session.specs)),
        adjudicator_(
            *oracle_,
            o.strict ? reference::Numerics::strict : reference::Numerics::fused,
            &session.specs),
        prepared_(adjudicator_.prepare(c)) {}

  int explain() {
    out_ = fmt::format("case {}\n", case_.path);
    out_ += origin_text(session_.specs,
                        fmt::format("{}/{}", case_.spec, case_.clause));
    out_ += to_text(case_.program);
    if (!prepared_->fault.empty()) {
      return complain(fmt::format("no golden: {}", prepared_->fault));
    }
    if (const int fault = run_subjects(); fault != 0) return fault;
    if (prepared_->golden.error) {
      out_ += "must be refused by ";
      out_ += origin_text(session_.specs, prepared_->golden.error->clause);
    }
    for (const Observed& o : observed_) {
      out_ +=
          fmt::format("{}: {}{}{}\n", o.column, status_name(o.result.status),
                      o.result.reason.empty() ? "" : ", ", o.result.reason);
    }
    if (prepared_->golden.error) return print(out_);
    std::vector<Place> places;
    if (const int fault = choose(&places); fault != 0) return fault;
    for (const Place& place : places) {
      if (const int fault = element(place); fault != 0) return fault;
    }
    return print(out_);
  }

 private:
  int run_subjects() {
    if (options_.subjects.empty()) return 0;
    Result<std::vector<StartedColumn>> columns =
        start_columns(options_.subjects);
    if (!columns) return complain(columns.error().message);
    for (StartedColumn& c : *columns) {
      observed_.push_back(observe(*prepared_, c.identity.column, *c.executor,
                                  true, adjudicator_));
    }
    return 0;
  }

  int choose(std::vector<Place>* places) {
    const auto& outputs = prepared_->golden.outputs;
    if (options_.output >= 0 || options_.element >= 0) {
      const Place p{std::max(0, options_.output),
                    std::max<std::int64_t>(0, options_.element)};
      const auto k = static_cast<std::size_t>(p.output);
      if (k >= outputs.size() ||
          p.element >= element_count(outputs[k].type.sizes)) {
        return complain(fmt::format(
            "there is no element {} of output {}; the case has {} output{}{}",
            p.element, p.output, outputs.size(), outputs.size() == 1 ? "" : "s",
            k < outputs.size()
                ? fmt::format(", this one of {} elements",
                              element_count(outputs[k].type.sizes))
                : ""));
      }
      places->push_back(p);
      return 0;
    }
    if (options_.subjects.empty()) {
      std::string note;
      for (const Place& p : recorded_places(case_.path, &note)) {
        const auto k = static_cast<std::size_t>(p.output);
        const bool there =
            k < outputs.size() &&
            p.element < element_count(outputs[k].type.sizes) &&
            std::find(places->begin(), places->end(), p) == places->end();
        if (there) places->push_back(p);
      }
      if (!places->empty()) {
        out_ += note;
        return 0;
      }
    }
    *places = places_of_interest(*prepared_, observed_, adjudicator_, kPlaces);
    return 0;
  }

  // The sets of the first observation that was judged: where a program
  // returns a node that it also reads, they depend on what came back.
  reference::Golden golden_here() const {
    for (const Observed& o : observed_) {
      Result<reference::Golden> golden =
          adjudicator_.golden_for(*prepared_, o.observation);
      if (golden) return std::move(golden.value());
    }
    return judged_by().golden;
  }

  // With the promises that the first subject follows.
  const PreparedCase& judged_by() const {
    if (observed_.empty()) return *prepared_;
    return adjudicator_.edition(*prepared_, observed_.front().observation);
  }

  int element(const Place& place) {
    const auto k = static_cast<std::size_t>(place.output);
    const auto i = static_cast<std::size_t>(place.element);
    const reference::Golden golden = golden_here();
    const reference::GoldenOutput& g = golden.outputs[k];
    const DType t = g.type.dtype;
    const reference::ElementSet& set = g.elements[i];
    out_ +=
        fmt::format("\nout{}{}\n", k, index_text(g.type.sizes, place.element));
    if (is_elementwise(case_.program, session_.specs)) {
      const std::string operands =
          show_operands(prepared_->inputs, g.type.sizes, place.element);
      if (!operands.empty()) out_ += fmt::format("  operands {}\n", operands);
    }
    out_ += fmt::format(
        "  exact {}\n  admissible {}\n  farthest end {:.6g} "
        "from it\n",
        show_number(g.exact[i]), show_set(set, t), g.bound[i]);
    out_ += "  by " + origin_text(session_.specs, set.clause < g.clauses.size()
                                                      ? g.clauses[set.clause]
                                                      : "?");
    reference::OracleOptions options = judged_by().asked;
    for (const Observed& o : observed_) {
      if (o.observation.kind != Observation::Kind::returned ||
          !metadata_fault(golden, o.observation.outputs).empty()) {
        continue;
      }
      const std::uint64_t bits =
          components(o.observation.outputs[k]).bits(place.element);
      const Result<reference::Golden> own =
          adjudicator_.golden_for(*prepared_, o.observation);
      if (!own) continue;
      const bool good = reference::admits(own->outputs[k].elements[i], t, bits);
      out_ += fmt::format(
          "  {} returned {}: {}, error over bound {:.3g}\n", o.column,
          show_bits(t, bits), good ? "admissible" : "WRONG",
          reference::error_over_bound(own->outputs[k], place.element, bits));
      if (prepared_->coherent && options.observed.empty()) {
        options = coherent_options(case_.program, prepared_->golden,
                                   o.observation.outputs, k, options);
      }
    }
    const Result<std::string> steps =
        reference::Oracle(session_.specs)
            .explain(case_.program, prepared_->inputs, options, place.output,
                     place.element);
    if (!steps) return complain(steps.error().message);
    out_ += *steps;
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    return 0;
  }

  const Session& session_;
  const cases::Case& case_;
  const ExplainOptions& options_;
  std::unique_ptr<GoldenSource> oracle_;
  Adjudicator adjudicator_;
  std::unique_ptr<PreparedCase> prepared_;
  std::vector<Observed> observed_;
  std::string out_;
};

int explain(const ExplainOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs, {o.path});
  if (!session) return complain(session.error().message);
  const Result<const cases::Case*> c = find_case(**session, o.path);
  if (!c) return complain(c.error().message);
  return Explainer(**session, **c, o).explain();
}

}  // namespace

void add_explain_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ExplainOptions>();
  CLI::App* c = app.add_subcommand(
      "explain",
      "Say which clause and bound a case tests, where they come "
      "from, and what they come to here.");
  c->add_option("CASE", o->path, "a case's whole path")->required();
  c->add_option("ELEMENT", o->element, "which element, row-major from 0")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--subject", o->subjects,
                "run it there and look at the worst elements; default: the "
                "witnesses of the last run")
      ->allow_extra_args(false)
      ->type_name("S");
  c->add_option("--output", o->output, "which output, from 0")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--element", o->element, "the same")
      ->check(CLI::NonNegativeNumber);
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = explain(*o); });
}

}  // namespace assay::harness
