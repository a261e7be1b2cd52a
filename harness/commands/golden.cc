// assay golden: what the oracle says of a case, element by element.
#include <fmt/format.h>

#include <memory>

#include "core/program_text.h"
#include "core/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
#include "harness/judge/show.h"
#include "harness/run/session.h"
#include "reference/oracle/admits.h"

namespace assay::harness {
namespace {

struct GoldenOptions {
  std::string path;
  bool strict = false;
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

int golden(const GoldenOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs);
  if (!session) return complain(session.error().message);
  const Result<const cases::Case*> c = find_case(**session, o.path);
  if (!c) return complain(c.error().message);
  const auto oracle = live_oracle((*session)->specs);
  const Adjudicator adjudicator(
      *oracle,
      o.strict ? reference::Numerics::strict : reference::Numerics::fused,
      &(*session)->specs);
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
  c->add_option("CASE", o->path, "a case's whole path")->required();
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = golden(*o); });
}

}  // namespace assay::harness
