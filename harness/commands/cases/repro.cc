// assay repro: a stand-alone Python file that shows a case without Assay.
#include <fmt/format.h>

#include <memory>

#include "harness/commands/cases/repro_input.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/adjudicate.h"
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

// How subjects write the program, where that is their own, and what they did
// with the case: where a program returns a node that it also reads, the sets
// depend on that. Nothing depends on what they did with an invalid one.
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
    if (out->library != nullptr || writes_otherwise(c.config)) {
      out->program = c.executor->explain(prepared.source->program, "python");
      if (out->program.empty()) {
        out->notes.push_back(c.config.spelling + " does not ask this program");
      }
    }
    if (prepared.golden.error) continue;
    observed.push_back(
        observe(prepared, c.identity.column, *c.executor, true, adjudicator));
  }
  return observed;
}

int repro(const ReproOptions& o) {
  Result<std::unique_ptr<Session>> session = open_session(o.specs, {o.path});
  if (!session) return complain(session.error().message);
  const Result<const cases::Case*> c = find_case(**session, o.path);
  if (!c) return complain(c.error().message);
  ReproInput in;
  std::vector<std::string> subjects;
  bool written = false;  // in words of a subject's own
  for (const std::string& spelling : o.subjects) {
    const Result<SubjectConfig> config = parse_subject(spelling);
    if (!config) return complain(config.error().message);
    subjects.push_back(spelling);
    in.library = repro_library(spelling);
    if (in.library != nullptr && o.subjects.size() > 1) {
      return complain(
          fmt::format("a file is for {} or for torch: name {} alone",
                      in.library->name, spelling));
    }
    written = written || writes_otherwise(*config);
    if (in.library == nullptr && !backend_of(*config, &in)) {
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
  if (prepared->related) {
    return complain(fmt::format(
        "what {} must return is said by relations, which a file in plain "
        "Python cannot judge; ./assay explain {} does",
        o.path, o.path));
  }
  if (!prepared->fault.empty()) {
    return complain(fmt::format("no golden: {}", prepared->fault));
  }
  if (!prepared->golden.error && subjects.empty() && prepared->coherent) {
    subjects = {"eager", "torch:inductor"};
  }
  const bool asked = !subjects.empty() && (!prepared->golden.error || written);
  describe(*prepared, (*session)->specs, &in);
  const std::vector<Observed> observed =
      asked ? observe_all(subjects, *prepared, adjudicator, &in)
            : std::vector<Observed>{};
  add_observed(*prepared, observed, adjudicator, &in);
  if (in.library != nullptr && in.program.empty()) {
    return complain(fmt::format(
        "this case is not asked of {}: {}", in.library->judged,
        in.error ? fmt::format("it must be refused, and {}'s column promises "
                               "values alone",
                               in.library->judged)
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
      "torch, JAX or ONNX Runtime, without Assay.");
  c->add_option("CASE", o->path, "a case's whole path")->required();
  c->add_option("--subject", o->subjects,
                "torch:BACKEND, jax or onnxruntime, whose failure it is to "
                "show")
      ->allow_extra_args(false)
      ->type_name("S");
  c->add_flag("--strict", o->strict, "every operation rounds to its dtype");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = repro(*o); });
}

}  // namespace assay::harness
