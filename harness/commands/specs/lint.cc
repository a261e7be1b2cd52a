// assay lint: the specs checked as far as that goes without a subject: they
// load, agree with the schemas of their operations, their cases can be made,
// every case has a golden that can tell right from wrong, and every stored
// boundary is one.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#include "harness/certify/level.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/specs/lint_terms.h"
#include "harness/judge/adjudicate.h"
#include "harness/records/files.h"
#include "harness/run/interrupt.h"
#include "harness/run/session.h"
#include "reference/certify/check_solved.h"
#include "reference/golden/vacuity.h"
#include "suite/language/load.h"
#include "suite/language/schema/check_schema.h"
#include "suite/language/schema/coverage.h"
#include "suite/language/schema/draft.h"

namespace assay::harness {
namespace {

struct LintOptions {
  std::vector<std::filesystem::path> files;
  cases::Profile profile = cases::Profile::standard;
  bool syntax = false;
  bool uncovered = false;
  int jobs = 0;
  std::filesystem::path specs;
};

struct Findings {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::size_t cases = 0;
  std::size_t selected = 0;  // of which as many were checked as time allowed
  std::size_t in_specs = 0;  // of all profiles
};

// Beyond this a golden is too slow for every run of it.
constexpr std::chrono::seconds kSlow{10};

// A clause that declares more than this many times what its cases need hides
// the next case that cannot tell right from wrong.
constexpr double kTimesTheNeed = 2;

// `vacuous` of each clause beside what its cases need. Requires all of its
// cases, since one alone may need it.
void check_declared_shares(const std::vector<const cases::Case*>& cases,
                           const std::vector<double>& needed, Findings* out) {
  struct Clause {
    double declared = 0;
    double needed = 0;
  };
  std::map<std::string, Clause> clauses;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double share = cases[i]->vacuous;
    // All of it is of operations that write, and nobody declares it.
    if (share <= language::kVacuousShare || share >= 1) continue;
    const std::string& path = cases[i]->path;
    Clause& c = clauses[path.substr(0, path.find('/', path.find('/') + 1))];
    c.declared = std::max(c.declared, share);
    c.needed = std::max(c.needed, needed[i]);
  }
  for (const auto& [name, c] : clauses) {
    const double need = std::max(c.needed, language::kVacuousShare);
    if (c.declared <= kTimesTheNeed * need) continue;
    out->errors.push_back(fmt::format(
        "{}: `vacuous` is {:g}, but no case of it needs more than {:.3f}; {}",
        name, c.declared, c.needed,
        c.needed <= language::kVacuousShare ? "leave it out" : "declare that"));
  }
}

// Goldens of `cases`: none may be missing or vacuous. `whole`: these are all
// cases of their specs.
void check_goldens(const language::SpecSet& specs,
                   const std::vector<const cases::Case*>& cases, bool whole,
                   int jobs, Findings* out) {
  const auto oracle = live_oracle(specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused, &specs);
  std::atomic<std::size_t> done{0};
  std::vector<std::string> fault(cases.size()), slow(cases.size());
  std::vector<double> needed(cases.size(), 0);
  in_parallel(cases.size(), jobs, [&](std::size_t i) {
    if (interrupt_flag()) return;
    const auto begin = std::chrono::steady_clock::now();
    const auto prepared = adjudicator.prepare(*cases[i]);
    ++done;
    const auto took = std::chrono::steady_clock::now() - begin;
    if (took > kSlow) {
      slow[i] = fmt::format(
          "{}: its golden takes {} s; sizes like short_lengths say the same "
          "of sums over prefixes",
          cases[i]->path,
          std::chrono::duration_cast<std::chrono::seconds>(took).count());
    }
    if (!prepared->fault.empty()) {
      fault[i] =
          fmt::format("{}: no golden: {}", cases[i]->path, prepared->fault);
    } else if (!prepared->vacuous.empty()) {
      fault[i] =
          fmt::format("{}: mistrusted: {}", cases[i]->path, prepared->vacuous);
    } else if (whole && cases[i]->vacuous > language::kVacuousShare) {
      needed[i] = reference::lazy_share(prepared->golden, cases[i]->program,
                                        prepared->inputs);
    }
  });
  for (std::string& f : fault) {
    if (!f.empty()) out->errors.push_back(std::move(f));
  }
  for (std::string& s : slow) {
    if (!s.empty()) out->warnings.push_back(std::move(s));
  }
  out->cases += done;
  if (whole && done == cases.size()) {
    check_declared_shares(cases, needed, out);
  }
}

// Each operation against its schema, where the folder records any.
void check_schemas(const language::SpecSet& specs,
                   const std::set<std::string>& names,
                   const std::filesystem::path& specs_dir, Findings* out) {
  const std::filesystem::path file = language::schema_file(specs_dir);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  std::vector<language::Diagnostic> faults;
  const language::SchemaSet schemas = language::load_schemas(file, &faults);
  for (const language::OpSpec& op : specs.ops) {
    if (names.count(op.name) == 0) continue;
    const auto more = language::check_schema(op, schemas);
    faults.insert(faults.end(), more.begin(), more.end());
  }
  for (const language::Diagnostic& d : faults) {
    out->errors.push_back(language::to_string(d));
  }
}

// What `assay new` left to its user.
void check_decisions(const std::set<std::string>& files, Findings* out) {
  for (const std::string& file : files) {
    const Result<std::string> text = read_file(file);
    if (!text) continue;
    std::istringstream lines(*text);
    int n = 0;
    for (std::string line; std::getline(lines, line);) {
      ++n;
      const std::size_t at = line.find(language::kDecide);
      if (at == std::string::npos) continue;
      out->errors.push_back(language::to_string(
          {file,
           {n, static_cast<int>(at) + 1},
           fmt::format("still to decide:{} Then remove the mark",
                       line.substr(at + language::kDecide.size()))}));
    }
  }
}

// `files` limits the cases to those of specs from these files; empty: all.
// Null if the specs do not load.
std::unique_ptr<Session> check_specs(language::LoadResult loaded,
                                     const std::set<std::string>& files,
                                     const LintOptions& o, Findings* out) {
  for (const language::Diagnostic& d : loaded.errors) {
    out->errors.push_back(language::to_string(d));
  }
  if (!loaded.errors.empty()) return nullptr;
  auto session = std::make_unique<Session>();
  session->specs = std::move(loaded.specs);
  const language::SpecSet& specs = session->specs;
  std::set<std::string> names;
  for (const language::OpSpec& s : specs.ops) {
    if (files.empty() || files.count(s.file) != 0) names.insert(s.name);
  }
  for (const language::ProgramSpec& s : specs.programs) {
    if (files.empty() || files.count(s.file) != 0) names.insert(s.name);
  }
  std::set<std::string> of_ops;
  for (const language::OpSpec& s : specs.ops) {
    if (names.count(s.name) != 0) of_ops.insert(s.file);
  }
  check_decisions(of_ops, out);
  check_schemas(specs, names, o.specs, out);
  session->expansion = cases::expand(
      specs, [&](const std::string& row) { return names.contains(row); });
  const cases::Expansion& expansion = session->expansion;
  for (const std::string& e : expansion.errors) out->errors.push_back(e);
  // One file alone makes few of the cases that the profile names.
  for (const std::string& e : expansion.outdated) {
    if (files.empty()) out->errors.push_back(e);
  }
  for (const std::string& u : expansion.uncovered) {
    out->warnings.push_back(
        fmt::format("no invalid input was found for {}", u));
  }
  std::vector<const cases::Case*> cases;
  out->in_specs += expansion.cases.size();
  for (const cases::Case& c : expansion.cases) {
    if (c.is_in(o.profile)) cases.push_back(&c);
  }
  out->selected += cases.size();
  if (o.syntax) return session;
  const language::SolvedSet& solved = specs.solved;
  if (files.empty() || files.count(solved.file) != 0) {
    for (const language::Fault& f : reference::check_solved(solved, o.jobs)) {
      out->errors.push_back(
          language::to_string({solved.file, f.pos, f.message}));
    }
  }
  const bool whole = o.profile == cases::Profile::full;
  check_goldens(specs, cases, whole, o.jobs, out);
  if (!whole) return session;
  for (std::string& e : check_terms(specs, cases, o.jobs)) {
    out->errors.push_back(std::move(e));
  }
  return session;
}

// How much of PyTorch the specs speak of, where the folder records that; with
// `list`, what they do not, too.
std::string check_coverage(const std::filesystem::path& specs_dir,
                           const language::SpecSet& specs, bool list,
                           Findings* out) {
  const std::filesystem::path schemas = language::schema_file(specs_dir);
  const std::filesystem::path opinfo = language::opinfo_file(specs_dir);
  const std::filesystem::path reasons =
      schemas.parent_path() / "unspecified.yaml";
  std::error_code error;
  for (const std::filesystem::path& file : {schemas, opinfo, reasons}) {
    if (!std::filesystem::exists(file, error)) return {};
  }
  std::vector<language::Diagnostic> faults;
  const language::SchemaSet registered =
      language::load_schemas(schemas, &faults);
  const language::OpInfoSet entries = language::load_opinfo(opinfo, &faults);
  const language::Unspecified unspecified =
      language::load_unspecified(reasons, &faults);
  const auto more = language::check_unspecified(specs, registered, unspecified,
                                                reasons.string());
  faults.insert(faults.end(), more.begin(), more.end());
  for (const language::Diagnostic& d : faults) {
    out->errors.push_back(language::to_string(d));
  }
  const language::Coverage c =
      language::coverage_of(specs, registered, unspecified, entries);
  return (list ? language::uncovered_list(c) : "") +
         language::coverage_table(c, kDefaultTorch);
}

int lint(LintOptions o) {
  std::error_code error;
  Findings found;
  std::string coverage;
  if (o.files.empty()) {
    if (!std::filesystem::is_directory(o.specs, error)) {
      return complain(fmt::format("{}: there is no such folder of specs",
                                  o.specs.string()));
    }
    const std::unique_ptr<Session> session =
        check_specs(language::load_specs(o.specs), {}, o, &found);
    // Levels speak of the operations and cases of all specs.
    if (session != nullptr && found.errors.empty()) {
      found.errors = check_levels(o.specs, *session);
    }
    if (session != nullptr) {
      coverage = check_coverage(o.specs, session->specs, o.uncovered, &found);
    }
  }
  for (const std::filesystem::path& file : o.files) {
    if (!std::filesystem::is_regular_file(file, error)) {
      return complain(fmt::format("{}: there is no such file", file.string()));
    }
    check_specs(language::load_spec_file(file, o.specs), {file.string()}, o,
                &found);
  }
  std::string out = coverage;
  for (const std::string& e : found.errors) out += e + "\n";
  for (const std::string& w : found.warnings)
    out += fmt::format("warning: {}\n", w);
  const bool interrupted = found.cases < found.selected && interrupt_flag();
  out += fmt::format("{} error{}, {} warning{}, {} of {} cases checked{}{}\n",
                     found.errors.size(), found.errors.size() == 1 ? "" : "s",
                     found.warnings.size(),
                     found.warnings.size() == 1 ? "" : "s", found.cases,
                     found.in_specs, interrupted ? ", interrupted" : "",
                     o.profile == cases::Profile::full || o.syntax
                         ? ""
                         : "; --profile full checks them all");
  return print(out, !found.errors.empty() ? 2 : interrupted ? 3 : 0);
}

}  // namespace

void add_lint_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<LintOptions>();
  CLI::App* c = app.add_subcommand(
      "lint", "Check the specs: form, cases, goldens, vacuity.");
  c->add_option("FILE", o->files, "spec files; default: all specs");
  add_profile_option(c, &o->profile);
  c->add_flag("--syntax", o->syntax, "leave the goldens out");
  c->add_flag("--uncovered", o->uncovered,
              "list what OpInfo calls or takes and no spec speaks of");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024));
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = lint(*o); });
}

}  // namespace assay::harness
