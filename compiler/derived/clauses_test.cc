// Two readings of one error contract: the guards that were written by hand from
// PyTorch's documentation, and the requirements of the specs, which derived
// guards are made from. Each invalid program of the suite asks both, and so
// does the valid one beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string_view>

#include "compiler/artifact.h"
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

}  // namespace
}  // namespace assay::compiler
