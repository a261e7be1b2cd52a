// assay repro: a stand-alone Python file that shows a case without Assay.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "harness/commands/cases/repro_python.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/judge/coherence.h"
#include "harness/judge/judge.h"
#include "harness/report/clause_origin.h"
#include "harness/run/observe.h"
#include "harness/run/session.h"

namespace assay::harness {
namespace {

struct ReproOptions {
  std::string path;
  std::vector<std::string> subjects;
  bool strict = false;
  std::filesystem::path specs;
};

constexpr const char* kJax = "jax";

// Backend and options of "torch:inductor@2.15.0{...}"; false for a subject that
// is not torch.compile's.
bool backend_of(const SubjectConfig& config, ReproInput* out) {
  constexpr std::string_view kPrefix = "torch:";
  if (config.spelling.rfind(kPrefix, 0) != 0) return false;
  const std::string rest = config.spelling.substr(kPrefix.size());
  out->backend = rest.substr(0, rest.find_first_of("@{"));
  nlohmann::json options = nlohmann::json::object();
  for (const auto& [name, value] : config.options) {
    const auto parsed = nlohmann::json::parse(value, nullptr, false);
    options[name] = parsed.is_discarded() ? nlohmann::json(value) : parsed;
  }
  out->options = options.dump();
  return true;
}

// What subjects did with the case: where a program returns a node that it
// also reads, the sets depend on that.
std::vector<Observed> observe_all(const std::vector<std::string>& subjects,
                                  const PreparedCase& prepared,
                                  const Adjudicator& adjudicator,
                                  ReproInput* out) {
  std::vector<Observed> observed;
  Result<std::vector<StartedColumn>> columns = start_columns(subjects);
  if (!columns) {
    out->notes.push_back("No subject could be asked: " +
                         columns.error().message);
    return observed;
  }
  for (StartedColumn& c : *columns) {
    if (c.config.spelling == kJax) {
      out->jax = c.executor->explain(prepared.source->program, "python");
    }
    observed.push_back(
        observe(prepared, c.identity.column, *c.executor, true, adjudicator));
    const CaseResult& r = observed.back().result;
    out->notes.push_back(fmt::format("{}: {}{}{}", r.column,
                                     status_name(r.status),
                                     r.reason.empty() ? "" : ", ", r.reason));
  }
  return observed;
}

void add_sets(const PreparedCase& p, const std::vector<Observed>& observed,
              const Adjudicator& adjudicator, ReproInput* out) {
  const reference::Golden& base = p.golden;
  for (std::size_t k = 0; k < base.outputs.size(); ++k) {
    std::vector<ReproSets> alternatives;
    for (const Observed& o : observed) {
      if (!p.coherent || o.observation.kind != Observation::Kind::returned ||
          !metadata_fault(base, o.observation.outputs).empty()) {
        continue;
      }
      const reference::OracleOptions asked = coherent_options(
          p.source->program, base, o.observation.outputs, k, p.asked);
      Result<reference::Golden> golden =
          adjudicator.golden_for(p, o.observation);
      if (asked.observed.empty() || !golden) continue;
      ReproSets sets{{}, std::move(golden.value().outputs[k])};
      for (std::size_t j = 0; j < base.outputs.size(); ++j) {
        const auto at = asked.observed.find(p.source->program.outputs[j].id);
        if (at != asked.observed.end()) sets.given.emplace(j, at->second);
      }
      alternatives.push_back(std::move(sets));
    }
    if (alternatives.empty()) {
      alternatives.push_back({{}, base.outputs[k]});
    }
    out->sets.push_back(std::move(alternatives));
  }
}

int repro(const ReproOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs);
  if (!session) return complain(session.error().message);
  const Result<const cases::Case*> c = find_case(**session, o.path);
  if (!c) return complain(c.error().message);
  ReproInput in;
  in.source = *c;
  std::vector<std::string> subjects;
  for (const std::string& spelling : o.subjects) {
    const Result<SubjectConfig> config = parse_subject(spelling);
    if (!config) return complain(config.error().message);
    subjects.push_back(spelling);
    if (spelling == kJax && o.subjects.size() > 1) {
      return complain("a file is for JAX or for torch: name jax alone");
    }
    if (spelling != kJax && !backend_of(*config, &in)) {
      in.notes.push_back(fmt::format(
          "{} is no backend of torch.compile: what follows shows {}", spelling,
          in.backend));
    }
  }
  const auto oracle = live_oracle((*session)->specs);
  const Adjudicator adjudicator(
      *oracle,
      o.strict ? reference::Numerics::strict : reference::Numerics::fused,
      &(*session)->specs);
  const auto prepared = adjudicator.prepare(**c);
  if (!prepared->fault.empty()) {
    return complain(fmt::format("no golden: {}", prepared->fault));
  }
  const reference::Golden& golden = prepared->golden;
  const std::string clause = golden.error ? golden.error->clause
                             : golden.outputs.front().clauses.empty()
                                 ? (*c)->spec + "/" + (*c)->clause
                                 : golden.outputs.front().clauses.front();
  if (const auto origin = find_clause((*session)->specs, clause)) {
    in.notes.push_back(fmt::format("{}: {}", clause, origin->wording));
    if (!origin->source.empty()) in.notes.push_back(origin->source);
  }
  in.inputs = prepared->inputs;
  in.error = golden.error;
  if (!golden.error) {
    if (subjects.empty() && prepared->coherent) {
      subjects = {"eager", "torch:inductor"};
    }
    const std::vector<Observed> observed =
        subjects.empty() ? std::vector<Observed>{}
                         : observe_all(subjects, *prepared, adjudicator, &in);
    const PreparedCase& judged_by =
        observed.empty()
            ? *prepared
            : adjudicator.edition(*prepared, observed.front().observation);
    add_sets(judged_by, observed, adjudicator, &in);
  }
  if (subjects == std::vector<std::string>{kJax} && in.jax.empty()) {
    return complain(fmt::format("this case is not asked of XLA: {}",
                                in.error ? "it must be refused, and XLA's "
                                           "column promises values alone"
                                         : in.notes.back()));
  }
  return print(repro_python(in));
}

}  // namespace

void add_repro_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<ReproOptions>();
  CLI::App* c = app.add_subcommand(
      "repro",
      "Print a stand-alone Python file that shows a case in plain "
      "torch, or in plain JAX, without Assay.");
  c->add_option("CASE", o->path, "a case's whole path")->required();
  c->add_option("--subject", o->subjects,
                "torch:BACKEND or jax, whose failure it is to show")
      ->allow_extra_args(false)
      ->type_name("S");
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = repro(*o); });
}

}  // namespace assay::harness
