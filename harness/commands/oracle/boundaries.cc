// assay boundaries: where functions change their behaviour, solved, and stored
// for the specs.
#include "reference/certify/boundaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/files.h"
#include "harness/report/gate.h"
#include "harness/run/interrupt.h"
#include "reference/certify/hardest.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

using reference::HardInput;
using reference::RealFunction;

// How many of every kind: those nearest to zero, where implementations meet
// their first case distinctions, and a few far out.
constexpr std::size_t kNearest = 4, kFarthest = 2;
constexpr std::size_t kHardestKept = 4;

// Sorted by name.
const std::vector<std::string>& formats() {
  static const std::vector<std::string> names = {"bf16", "f16", "f32", "f64"};
  return names;
}

constexpr const char* kHead =
    "# Where the functions of the spec language change their ways, by format, "
    "as bit\n"
    "# patterns: the element before each boundary, and of `hardest` the inputs "
    "whose\n"
    "# exact value comes nearest to a midpoint of two elements, with log2 of "
    "the\n"
    "# distance in ulps. Made by `assay boundaries --write`; `assay lint` "
    "checks each\n"
    "# pattern against the oracle. docs/oracle.md says more.\n";

struct BoundariesOptions {
  std::vector<std::string> functions, dtypes;
  bool write = false;
  int jobs = 0;
  std::filesystem::path specs;
};

std::vector<language::SolvedLine> lines_of(const RealFunction& f, DType t) {
  std::vector<language::SolvedLine> out;
  for (const std::string& kind : language::solved_kinds()) {
    out.push_back({std::string(f.name()), t, kind, {}});
  }
  const auto all = reference::solve_boundaries(f, t, reference::kAllBoundaries);
  for (language::SolvedLine& line : out) {
    for (const reference::Boundary& b : all) {
      if (b.what == line.kind) line.patterns.push_back({b.before, 0, {}});
    }
    std::vector<language::SolvedPattern>& p = line.patterns;
    if (p.size() > kNearest + kFarthest) {
      p.erase(p.begin() + kNearest, p.end() - kFarthest);
    }
  }
  return out;
}

Status add_hardest(const RealFunction& f, int jobs,
                   language::SolvedLine* line) {
  // No sweep reaches all of f64.
  if (line->dtype == DType::f64) return success();
  const Result<std::vector<HardInput>> hardest = reference::hardest_inputs(
      f, line->dtype, kHardestKept, reference::engines().front(), jobs,
      &interrupt_flag());
  if (!hardest) return hardest.error();
  for (const HardInput& h : *hardest) {
    line->patterns.push_back({h.x, std::log2(h.distance), {}});
  }
  return success();
}

Result<std::vector<language::SolvedLine>> solve(
    const RealFunction& f, const std::vector<std::string>& dtypes, int jobs) {
  std::vector<language::SolvedLine> out;
  for (const std::string& name : dtypes) {
    const DType t = *parse_dtype(name);
    for (language::SolvedLine& line : lines_of(f, t)) {
      if (line.kind == language::kHardest) {
        const Status added = add_hardest(f, jobs, &line);
        if (!added) return added.error();
      }
      if (!line.patterns.empty()) out.push_back(std::move(line));
    }
  }
  return out;
}

// The stored lines with those that were solved in their place.
Result<language::SolvedSet> replace_lines(
    const std::filesystem::path& file, const std::vector<std::string>& dtypes,
    const language::SolvedSet& solved) {
  language::SolvedSet all;
  if (std::filesystem::exists(file)) {
    language::LoadResult stored = language::load_spec_file(file, {});
    if (!stored.errors.empty())
      return Error{language::to_string(stored.errors.front())};
    all = std::move(stored.specs.solved);
    std::erase_if(all.lines, [&](const language::SolvedLine& l) {
      return solved.knows(l.function) &&
             std::count(dtypes.begin(), dtypes.end(), dtype_name(l.dtype)) > 0;
    });
  }
  all.lines.insert(all.lines.end(), solved.lines.begin(), solved.lines.end());
  const auto key = [](const language::SolvedLine& l) {
    return std::make_tuple(l.function, dtype_name(l.dtype), l.kind);
  };
  std::sort(all.lines.begin(), all.lines.end(),
            [&](const language::SolvedLine& a, const language::SolvedLine& b) {
              return key(a) < key(b);
            });
  return all;
}

int boundaries(BoundariesOptions o) {
  if (o.jobs == 0) {
    o.jobs =
        static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  std::vector<RealFunction> functions;
  for (const std::string& name :
       std::set<std::string>(o.functions.begin(), o.functions.end())) {
    const auto f = RealFunction::find(name);
    if (!f)
      return complain(fmt::format("there is no elementary function {}", name));
    functions.push_back(*f);
  }
  if (functions.empty()) functions = RealFunction::all();
  const std::set<std::string> chosen(o.dtypes.begin(), o.dtypes.end());
  const std::vector<std::string> dtypes =
      chosen.empty() ? formats()
                     : std::vector<std::string>(chosen.begin(), chosen.end());
  const std::filesystem::path file = o.specs / "boundaries.yaml";
  for (const RealFunction& f : functions) {
    const Result<std::vector<language::SolvedLine>> lines =
        solve(f, dtypes, o.jobs);
    if (!lines) return complain(lines.error().message);
    if (interrupt_flag()) {
      return complain(
          fmt::format("interrupted; name the functions from {} on", f.name()),
          kIncomplete);
    }
    language::SolvedSet own;
    own.lines = *lines;
    if (print(language::solved_text(own)) != 0) return kIncomplete;
    if (!o.write) continue;
    // Printed at once, because a function can take minutes.
    const Result<language::SolvedSet> all = replace_lines(file, dtypes, own);
    if (!all) return complain(all.error().message);
    const Status written =
        replace_file(file, kHead + language::solved_text(*all));
    if (!written) return complain(written.error().message);
  }
  return 0;
}

}  // namespace

void add_boundaries_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<BoundariesOptions>();
  CLI::App* c = app.add_subcommand(
      "boundaries",
      "Solve where elementary functions overflow, underflow, saturate, change "
      "sign, end, and are hardest to round (every input of f32, f16, bf16).");
  c->add_option("FUNCTION", o->functions, "by name; default all");
  c->add_option("--dtype", o->dtypes, "format, repeatable; default all four")
      ->check(CLI::IsMember(formats()))
      ->allow_extra_args(false)
      ->type_name("DTYPE");
  c->add_flag("--write", o->write,
              "store them in boundaries.yaml of the specs");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = boundaries(*o); });
}

}  // namespace assay::harness
