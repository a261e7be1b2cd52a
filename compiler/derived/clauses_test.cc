// Two readings of one error contract: the guards that were written by hand from
// PyTorch's documentation, and the requirements of the specs, which derived
// guards are made from. Each invalid program of the suite asks both, and so
// does the valid one beside it. A third one is the screen, the requirements as
// code, which must pass what they take and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string_view>

#include "compiler/artifact.h"
#include "compiler/graph/interpret.h"
#include "compiler/graph/passes.h"
#include "compiler/import.h"
#include "compiler/ops/operation.h"
#include "suite/cases/expand/expand.h"
#include "suite/language/load.h"

namespace assay::compiler {
namespace {

// Where the two differ, and why: the row of the cases and what the guards by
// hand say of them.
struct Difference {
  std::string row, hand, reason;
};
const std::vector<Difference> kDifferences = {};

struct Suite {
  language::SpecSet specs;
  cases::Expansion expansion;
  std::map<std::string, const cases::Case*> by_path;
};

const Suite& suite() {
  static const Suite* const loaded = [] {
    auto* s = new Suite;
    language::LoadResult specs =
        language::load_specs(ASSAY_SOURCE_DIR "/specs");
    for (const auto& d : specs.errors) {
      ADD_FAILURE() << language::to_string(d);
    }
    s->specs = std::move(specs.specs);
    s->expansion = cases::expand(s->specs);
    for (const cases::Case& c : s->expansion.cases) {
      s->by_path.emplace(c.path, &c);
    }
    return s;
  }();
  return *loaded;
}

// Is every call of it one that somebody lowered by hand?
bool is_lowered_by_hand(const Program& program) {
  return std::all_of(
      program.nodes.begin(), program.nodes.end(),
      [](const Node& n) { return find_operation(n.op) != nullptr; });
}

constexpr std::string_view kNoSuchType =
    "unsupported: not supported: elements of type u64";
constexpr std::string_view kNoForm = "no form applies to this call";

// The promise that refuses the case, "" where none does, or "unsupported: WHY".
std::string refused_by(const cases::Case& c, Lowering lowering) {
  CompileOptions options;
  options.lowering = lowering;
  options.engine = CompileOptions::Engine::graph;
  Artifact::Made made = Artifact::compile(c.program, options);
  const auto said = [](const Failure& f) {
    switch (f.kind) {
      case Failure::Kind::refused:
        return f.refusal.clause.empty() ? "no clause" : f.refusal.clause;
      case Failure::Kind::unsupported:
        return "unsupported: " + f.refusal.message;
      default:
        return "fault: " + f.refusal.message;
    }
  };
  if (const auto* failure = std::get_if<Failure>(&made)) return said(*failure);
  std::vector<Tensor> inputs = c.make_inputs();
  std::vector<TensorRef> given;
  for (Tensor& t : inputs) {
    given.push_back({components(t.type),
                     t.storage->data() + t.offset * size_bytes(t.type.dtype)});
  }
  const auto failure =
      std::get<std::unique_ptr<Artifact>>(made)->launch(given, {});
  return failure ? said(*failure) : "";
}

bool accepts(const std::string& refusal) {
  return refusal.empty() || refusal.starts_with("unsupported: ");
}

TEST(TwoReadings, AgreeOnEveryInvalidProgramAndItsControl) {
  std::size_t compared = 0;
  std::set<std::string> rows, controls;
  std::set<const Difference*> found;
  for (const cases::Case& c : suite().expansion.cases) {
    if (c.must_raise.empty() || !is_lowered_by_hand(c.program)) continue;
    ++compared;
    rows.insert(c.spec);
    controls.insert(c.control);
    const std::string hand = refused_by(c, Lowering::hand);
    const std::string derived = refused_by(c, Lowering::derived);
    // A spec's types may be more than the compiler's: neither asks a guard
    // then.
    if (derived == kNoSuchType) {
      EXPECT_EQ(hand, derived) << c.path;
      continue;
    }
    // A contract reaches further than what a spec defines: there is nothing to
    // derive then.
    if (derived.ends_with(kNoForm)) {
      EXPECT_EQ(hand, c.must_raise) << c.path;
      continue;
    }
    EXPECT_EQ(derived, c.must_raise) << c.path;
    if (hand == derived) continue;
    const auto listed = std::find_if(
        kDifferences.begin(), kDifferences.end(),
        [&](auto& d) { return d.row == c.spec && d.hand == hand; });
    if (listed != kDifferences.end()) {
      found.insert(&*listed);
    } else {
      ADD_FAILURE() << c.path << ": by hand '" << hand << "', derived '"
                    << derived << "'";
    }
  }
  for (const Difference& d : kDifferences) {
    EXPECT_TRUE(found.contains(&d)) << d.row << " no longer differs";
  }
  for (const std::string& path : controls) {
    const auto control = suite().by_path.find(path);
    if (control == suite().by_path.end()) continue;  // of no case
    for (const Lowering l : {Lowering::hand, Lowering::derived}) {
      const std::string refusal = refused_by(*control->second, l);
      EXPECT_TRUE(accepts(refusal))
          << path << ", " << lowering_name(l) << ": " << refusal;
    }
  }
  std::cout << "two readings: " << compared << " invalid programs of "
            << rows.size() << " rows, " << controls.size() << " controls\n";
  EXPECT_GE(rows.size(), 70u);
}

// What the screen of a program says of inputs, and what the requirements say.
struct Screened {
  Imported program;
  Body looked_at;  // what guards and the contract look at, then the screen

  std::pair<bool, bool> of(const std::vector<Tensor>& inputs) const {
    const std::vector<Tensor> seen = interpret(looked_at, inputs);
    const auto guards = static_cast<std::ptrdiff_t>(program.guards.size());
    bool taken = true;
    for (std::size_t g = 0; g < program.guards.size(); ++g) {
      const NodeId index = looked_at.outputs[g];
      if (looked_at.at(index).op == Op::input) continue;
      const std::int64_t limit = program.guards[g].limit;
      taken = taken && first_out_of_range(seen[g].type, seen[g].storage->data(),
                                          limit) < 0;
    }
    if (program.contract) {
      taken = taken && !program.contract->check(
                           inputs, {seen.begin() + guards, seen.end() - 1});
    }
    return {seen.back().number(0) != 0, taken};
  }
};

std::optional<Screened> screened(const Program& program, Lowering lowering) {
  Result<Imported> imported = import_program(program, {}, lowering);
  if (!imported.ok() || !imported->is_screened) return std::nullopt;
  Screened out;
  out.looked_at = outputs_alone(imported->body, imported->outputs.size(),
                                imported->body.outputs.size());
  out.program = std::move(*imported);
  return out;
}

// One element becomes something that a requirement may ask about.
void change_one(std::mt19937_64* random, std::vector<Tensor>* inputs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNumbers[] = {-1,
                                 0,
                                 1,
                                 2,
                                 3,
                                 -0.5,
                                 0.5,
                                 1000,
                                 -kInfinity,
                                 kInfinity,
                                 std::numeric_limits<double>::quiet_NaN()};
  constexpr std::size_t kWhole = 5;
  Tensor& t = (*inputs)[(*random)() % inputs->size()];
  if (t.numel() == 0) return;
  t.storage = std::make_shared<std::vector<std::byte>>(*t.storage);
  const auto at = static_cast<std::int64_t>(
      (*random)() % static_cast<std::uint64_t>(t.numel()));
  const std::size_t kinds = is_float(t.dtype()) ? std::size(kNumbers) : kWhole;
  t.set_number(at, kNumbers[(*random)() % kinds]);
}

TEST(TwoReadings, AgreeWithTheScreenOnEveryInvalidProgramAndItsControl) {
  std::mt19937_64 random(1);
  std::set<const cases::Case*> asked;
  for (const cases::Case& c : suite().expansion.cases) {
    if (c.must_raise.empty()) continue;
    asked.insert(&c);
    const auto control = suite().by_path.find(c.control);
    if (control != suite().by_path.end()) asked.insert(control->second);
  }
  std::set<std::string> rows;
  std::size_t passed = 0, stopped = 0;
  for (const cases::Case* c : asked) {
    for (const Lowering l : {Lowering::hand, Lowering::derived}) {
      const std::optional<Screened> s = screened(c->program, l);
      if (!s) continue;
      rows.insert(c->spec);
      std::vector<Tensor> inputs = c->make_inputs();
      for (int n = 0; n < 4; ++n) {
        const auto [passes, taken] = s->of(inputs);
        EXPECT_EQ(passes, taken) << c->path << ", change " << n;
        ++(passes ? passed : stopped);
        change_one(&random, &inputs);
      }
    }
  }
  std::cout << "screens of " << rows.size() << " rows passed " << passed
            << " launches and stopped " << stopped << "\n";
  EXPECT_GE(rows.size(), 30u);
  EXPECT_GE(passed, 1000u);
  EXPECT_GE(stopped, 1000u);
}

}  // namespace
}  // namespace assay::compiler
