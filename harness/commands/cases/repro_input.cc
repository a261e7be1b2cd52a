#include "harness/commands/cases/repro_input.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/judge/coherence.h"
#include "harness/judge/judge.h"
#include "harness/report/clause_origin.h"

namespace assay::harness {
namespace {

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

}  // namespace

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

bool writes_otherwise(const SubjectConfig& config) {
  return config.options.contains("calls") ||
         config.options.contains("numbers") || config.options.contains("views");
}

void describe(const PreparedCase& p, const language::SpecSet& specs,
              ReproInput* out) {
  const cases::Case& c = *p.source;
  const reference::Golden& golden = p.golden;
  const std::string clause = golden.error ? golden.error->clause
                             : golden.outputs.front().clauses.empty()
                                 ? c.spec + "/" + c.clause
                                 : golden.outputs.front().clauses.front();
  if (const auto origin = find_clause(specs, clause)) {
    out->notes.push_back(fmt::format("{}: {}", clause, origin->wording));
    if (!origin->source.empty()) out->notes.push_back(origin->source);
  }
  for (const Node& node : c.program.nodes) {
    const language::OpSpec* op = specs.find_aten(node.op);
    if (op != nullptr && op->returns_list()) out->lists.insert(node.op);
  }
  out->source = p.source;
  out->inputs = p.inputs;
  out->error = golden.error;
}

void add_observed(const PreparedCase& p, const std::vector<Observed>& observed,
                  const Adjudicator& adjudicator, ReproInput* out) {
  for (const Observed& o : observed) {
    const CaseResult& r = o.result;
    out->notes.push_back(fmt::format("{}: {}{}{}", r.column,
                                     status_name(r.status),
                                     r.reason.empty() ? "" : ", ", r.reason));
  }
  if (p.golden.error) return;
  add_sets(observed.empty()
               ? p
               : adjudicator.edition(p, observed.front().observation),
           observed, adjudicator, out);
}

}  // namespace assay::harness
