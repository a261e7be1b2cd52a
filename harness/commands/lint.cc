// assay lint: the specs checked as far as that goes without a subject: they
// load, their cases can be made, every case has a golden that can tell right
// from wrong, and every stored boundary is one.
#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "harness/adjudicate.h"
#include "harness/commands/commands.h"
#include "harness/live.h"
#include "harness/session.h"
#include "reference/certify/check_solved.h"
#include "suite/load.h"

namespace assay {
namespace {

struct LintOptions {
  std::vector<std::filesystem::path> files;
  std::string profile = "quick";
  bool syntax = false;
  int jobs = 0;
  std::filesystem::path specs;
};

struct Findings {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::size_t cases = 0;
};

// Goldens of `cases`: none may be missing or vacuous.
void check_goldens(const SpecSet& specs, const std::vector<const Case*>& cases,
                   int jobs, Findings* out) {
  const auto oracle = live_oracle(specs);
  const Adjudicator adjudicator(*oracle, Profile::fused, &specs);
  std::atomic<std::size_t> next{0};
  std::vector<std::string> fault(cases.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++) {
      const auto prepared = adjudicator.prepare(*cases[i]);
      if (!prepared->fault.empty()) {
        fault[i] = cases[i]->path + ": no golden: " + prepared->fault;
      } else if (!prepared->vacuous.empty()) {
        fault[i] = cases[i]->path + ": mistrusted: " + prepared->vacuous;
      }
    }
  };
  std::vector<std::thread> pool;
  for (int i = 1; i < jobs; ++i) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();
  for (std::string& f : fault) {
    if (!f.empty()) out->errors.push_back(std::move(f));
  }
  out->cases += cases.size();
}

// `files` limits the cases to those of specs from these files; empty: all.
void check_specs(const LoadResult& loaded, const std::set<std::string>& files,
                 const LintOptions& o, Findings* out) {
  for (const Diagnostic& d : loaded.errors) {
    out->errors.push_back(to_string(d));
  }
  if (!loaded.errors.empty()) return;
  std::set<std::string> names;
  for (const OpSpec& s : loaded.specs.ops) {
    if (files.empty() || files.count(s.file) != 0) names.insert(s.name);
  }
  for (const ProgramSpec& s : loaded.specs.programs) {
    if (files.empty() || files.count(s.file) != 0) names.insert(s.name);
  }
  const Expansion expansion = expand(loaded.specs);
  for (const std::string& e : expansion.errors) out->errors.push_back(e);
  for (const std::string& u : expansion.uncovered) {
    if (names.count(u.substr(0, u.find('/'))) == 0) continue;
    out->warnings.push_back("no invalid input was found for " + u);
  }
  std::vector<const Case*> cases;
  for (const Case& c : expansion.cases) {
    if (names.count(c.spec) != 0 && (c.quick || o.profile == "full")) {
      cases.push_back(&c);
    }
  }
  if (o.syntax) return;
  const SolvedSet& solved = loaded.specs.solved;
  if (files.empty() || files.count(solved.file) != 0) {
    for (const Fault& f : reference::check_solved(solved, o.jobs)) {
      out->errors.push_back(to_string({solved.file, f.pos, f.message}));
    }
  }
  check_goldens(loaded.specs, cases, o.jobs, out);
}

int lint(LintOptions o) {
  if (o.jobs == 0) {
    o.jobs =
        static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  std::error_code error;
  Findings found;
  if (o.files.empty()) {
    if (!std::filesystem::is_directory(o.specs, error)) {
      return complain(o.specs.string() + ": there is no such folder of specs");
    }
    check_specs(load_specs(o.specs), {}, o, &found);
  }
  for (const std::filesystem::path& file : o.files) {
    if (!std::filesystem::is_regular_file(file, error)) {
      return complain(file.string() + ": there is no such file");
    }
    check_specs(load_spec_file(file, o.specs), {file.string()}, o, &found);
  }
  std::string out;
  for (const std::string& e : found.errors) out += e + "\n";
  for (const std::string& w : found.warnings) out += "warning: " + w + "\n";
  out += fmt::format("{} error{}, {} warning{}, {} cases checked\n",
                     found.errors.size(), found.errors.size() == 1 ? "" : "s",
                     found.warnings.size(),
                     found.warnings.size() == 1 ? "" : "s", found.cases);
  return print(out, found.errors.empty() ? 0 : 2);
}

}  // namespace

void add_lint_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<LintOptions>();
  CLI::App* c = app.add_subcommand(
      "lint", "Check the specs: form, cases, goldens, vacuity.");
  c->add_option("FILE", o->files, "spec files; default: all specs");
  c->add_option("--profile", o->profile, "whose cases to check")
      ->check(CLI::IsMember({"quick", "full"}))
      ->capture_default_str();
  c->add_flag("--syntax", o->syntax, "leave the goldens out");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024));
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = lint(*o); });
}

}  // namespace assay
