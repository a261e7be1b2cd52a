// assay golden: what the oracle says of a case, element by element.
#include <fmt/format.h>

#include <memory>

#include "core/program_text.h"
#include "core/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/judge/show.h"
#include "harness/records/result_json.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "reference/golden/admits.h"

namespace assay::harness {
namespace {

struct GoldenOptions {
  std::vector<std::string> paths;
  bool strict = false;
  bool json = false;
  std::filesystem::path specs;
};

std::string error_text(const reference::GoldenError& e) {
  std::string out = fmt::format("must raise {} ({})\n",
                                fmt::join(e.raises, " or "), e.clause);
  if (!e.message.empty()) out += fmt::format("message: {}\n", e.message);
  if (!e.phase.empty()) out += fmt::format("phase: {}\n", e.phase);
  return out;
}

std::string output_text(const reference::GoldenOutput& g, std::size_t k) {
  const DType t = g.type.dtype;
  std::string out = fmt::format(
      "out{}: {}, {:.4g} % of elements with one admissible value\n", k,
      type_text(t, g.type.sizes), 100 * reference::share_single_valued(g));
  for (std::size_t i = 0; i < g.elements.size(); ++i) {
    const reference::ElementSet& e = g.elements[i];
    out += fmt::format("out{}{}  {}  exact {}  bound {:.3g}  {}\n", k,
                       index_text(g.type.sizes, static_cast<std::int64_t>(i)),
                       show_set(e, t), show_number(g.exact[i]), g.bound[i],
                       e.clause < g.clauses.size() ? g.clauses[e.clause] : "?");
  }
  return out;
}

using nlohmann::ordered_json;

ordered_json tensor_json(const Tensor& t) {
  ordered_json bits = ordered_json::array();
  const Tensor parts = components(t);
  for (std::int64_t i = 0; i < parts.numel(); ++i) {
    bits.push_back(parts.bits(i));
  }
  return {{"dtype", dtype_name(t.dtype())},
          {"sizes", t.sizes()},
          {"bits", std::move(bits)}};
}

// A set as ranges of bit patterns, in the order of values.
ordered_json set_json(const reference::ElementSet& e, const std::string& by) {
  ordered_json ranges = ordered_json::array();
  if (e.has_values && e.pieces) {
    for (const reference::ElementRange& r : *e.pieces) {
      ranges.push_back({r.lo, r.hi});
    }
  } else if (e.has_values) {
    ranges.push_back({e.lo, e.hi});
  }
  return {{"ranges", std::move(ranges)},
          {"nan", e.nan},
          {"any_zero_sign", e.any_zero_sign},
          {"unspecified", e.unspecified},
          {"clause", by}};
}

std::string json_text(const PreparedCase& p) {
  ordered_json out = {{"case", p.source->path},
                      {"program", to_text(p.source->program)}};
  for (const Tensor& t : p.inputs) out["inputs"].push_back(tensor_json(t));
  for (const Tensor& t : p.source->program.constants) {
    out["constants"].push_back(tensor_json(t));
  }
  if (!p.fault.empty()) out["fault"] = p.fault;
  if (p.golden.error) out["raises"] = p.golden.error->clause;
  for (const reference::GoldenOutput& g : p.golden.outputs) {
    ordered_json sets = ordered_json::array();
    for (const reference::ElementSet& e : g.elements) {
      sets.push_back(set_json(e, g.clauses.at(e.clause)));
    }
    out["outputs"].push_back({{"dtype", dtype_name(g.returned().dtype)},
                              {"sizes", g.type.sizes},
                              {"sets", std::move(sets)}});
  }
  return json_line(out) + "\n";
}

// A line for each case that the patterns name.
int golden_json(const GoldenOptions& o, const Session& session,
                const Adjudicator& adjudicator) {
  const auto cases = select_cases(session, o.paths, cases::Profile::full);
  if (!cases) return complain(cases.error().message);
  for (const cases::Case* c : *cases) {
    if (interrupt_flag()) return complain("interrupted", 3);
    const int code = print(json_text(*adjudicator.prepare(*c)));
    if (code != 0) return code;
  }
  return 0;
}

int golden(const GoldenOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs, o.paths);
  if (!session) return complain(session.error().message);
  const auto oracle = live_oracle((*session)->specs);
  const Adjudicator adjudicator(
      *oracle,
      o.strict ? reference::Numerics::strict : reference::Numerics::fused,
      &(*session)->specs);
  if (o.json) return golden_json(o, **session, adjudicator);
  if (o.paths.size() > 1) return complain("several cases go with --json alone");
  const Result<const cases::Case*> c = find_case(**session, o.paths[0]);
  if (!c) return complain(c.error().message);
  const auto prepared = adjudicator.prepare(**c);
  std::string out = (*c)->path + "\n" + to_text((*c)->program);
  if (!prepared->fault.empty()) {
    return complain(fmt::format("no golden: {}", prepared->fault));
  }
  if (prepared->golden.error)
    return print(out + error_text(*prepared->golden.error));
  out += fmt::format("decided at {} bits, {} numerics\n",
                     prepared->golden.precision, o.strict ? "strict" : "fused");
  if (!prepared->vacuous.empty()) {
    out += fmt::format("mistrusted: {}\n", prepared->vacuous);
  }
  for (std::size_t k = 0; k < prepared->golden.outputs.size(); ++k) {
    out += output_text(prepared->golden.outputs[k], k);
  }
  return print(out);
}

}  // namespace

void add_golden_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<GoldenOptions>();
  CLI::App* c = app.add_subcommand(
      "golden",
      "Print what the oracle says of a case: the acceptance set of "
      "every element, or the error that must come.");
  c->add_option("CASE", o->paths,
                "a case's whole path; with --json patterns, too")
      ->required();
  c->add_flag("--json", o->json,
              "a JSON line per case: program, inputs and sets "
              "as bit patterns, for other evaluators");
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = golden(*o); });
}

}  // namespace assay::harness
