// What must hold of every case of any set of specs, the project's own
// included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/operands.h"
#include "core/program_text.h"
#include "core/writes.h"
#include "suite/cases/quota.h"
#include "suite/cases/testing/case_testing.h"

namespace assay::cases {
namespace {

constexpr const char* kDir = "suite/testdata/cases";

class EveryCase : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryCase, NoErrorsPathsUniqueAndInOrder) {
  const Expansion& e = expansion_of(GetParam());
  EXPECT_THAT(e.errors, ::testing::IsEmpty());
  ASSERT_GT(e.cases.size(), 100u);
  for (std::size_t n = 1; n < e.cases.size(); ++n) {
    EXPECT_LT(e.cases[n - 1].path, e.cases[n].path);
  }
}

TEST_P(EveryCase, PathsNameSpecClauseAndContext) {
  for (const Case& c : expansion_of(GetParam()).cases) {
    const std::string start =
        c.clause.empty() ? c.spec : c.spec + "/" + c.clause;
    EXPECT_EQ(c.path.rfind(start, 0), 0u) << c.path;
    EXPECT_EQ(c.path.find_first_of("*? \t\""), std::string::npos) << c.path;
    if (!c.context.empty()) {
      const std::string last = c.path.substr(c.path.rfind('/') + 1);
      EXPECT_EQ(last.substr(0, last.find('@')), c.context) << c.path;
    }
  }
}

TEST_P(EveryCase, InputsHaveTheProgramsTypes) {
  for (const Case& c : expansion_of(GetParam()).cases) {
    const auto inputs = c.make_inputs();
    ASSERT_EQ(inputs.size(), c.program.inputs.size()) << c.path;
    for (std::size_t n = 0; n < inputs.size(); ++n) {
      EXPECT_EQ(inputs[n].type, c.program.inputs[n]) << c.path;
    }
    for (const Tensor& t : c.program.constants) {
      EXPECT_TRUE(t.type.is_contiguous()) << c.path;
    }
    EXPECT_FALSE(c.program.outputs.empty()) << c.path;
  }
}

TEST_P(EveryCase, ProgramsSurviveTheirText) {
  for (const Case& c : expansion_of(GetParam()).cases) {
    if (!c.is_in(Profile::standard)) continue;
    const std::string text = to_text(c.program);
    const Result<Program> again = parse_program(text);
    ASSERT_TRUE(again) << c.path << ": " << again.error().message;
    EXPECT_EQ(to_text(*again), text) << c.path;
  }
}

TEST_P(EveryCase, BreaksExactlyThePromiseItNames) {
  const language::SpecSet& specs = specs_of(GetParam());
  for (const Case& c : expansion_of(GetParam()).cases) {
    bool undecided = false;
    const auto broken = broken_promises(specs, c, &undecided);
    if (c.must_raise.empty()) {
      EXPECT_THAT(broken, ::testing::IsEmpty()) << c.path;
    } else if (!undecided || !broken.empty()) {
      EXPECT_THAT(broken, ::testing::ElementsAre(c.must_raise)) << c.path;
    } else {
      EXPECT_FALSE(c.context.empty())
          << c.path << ": alone, every element is known";
    }
  }
}

TEST_P(EveryCase, NegativesHaveAPassingControl) {
  const Expansion& e = expansion_of(GetParam());
  for (const Case& c : e.cases) {
    const bool of_op = specs_of(GetParam()).find_op(c.spec) != nullptr;
    if (c.must_raise.empty()) {
      EXPECT_EQ(c.control, "") << c.path;
      continue;
    }
    EXPECT_FALSE(c.packable) << c.path;
    if (c.control.empty()) {
      EXPECT_FALSE(of_op) << c.path;
      continue;
    }
    const Case* control = find_case(e, c.control);
    ASSERT_NE(control, nullptr) << c.path << " <- " << c.control;
    EXPECT_EQ(control->must_raise, "") << c.path;
    EXPECT_EQ(control->context, c.context) << c.path;
    EXPECT_TRUE(control->is_in(Profile::standard) ||
                !c.is_in(Profile::standard))
        << c.path;
  }
}

TEST_P(EveryCase, InCompanyACaseKeepsItsInputs) {
  const Expansion& e = expansion_of(GetParam());
  std::size_t compared = 0;
  for (const Case& c : e.cases) {
    if (c.context.empty() || !c.must_raise.empty()) continue;
    const std::string base = c.path.substr(0, c.path.rfind('/'));
    const Case* alone = find_case(e, base);
    ASSERT_NE(alone, nullptr) << c.path;
    if (c.program.inputs != alone->program.inputs) continue;
    const auto a = alone->make_inputs(), b = c.make_inputs();
    for (std::size_t n = 0; n < a.size(); ++n) {
      EXPECT_TRUE(identical(a[n], b[n])) << c.path;
    }
    ++compared;
  }
  EXPECT_GT(compared, 20u);
}

// Are operands of the call views, or one tensor? Then it is a control alone.
bool shares_memory(const Case& c) {
  const std::vector<Node>& nodes = c.program.nodes;
  return c.context.empty() && !nodes.empty() &&
         (operands(nodes[0]).size() != c.program.inputs.size() ||
          (nodes.size() > 1 && is_view(nodes[0])));
}

TEST_P(EveryCase, QuotasAreKept) {
  struct Counts {
    std::size_t alone = 0, boundaries = 0, company = 0;
  };
  std::map<std::string, Counts> quick, full;
  std::set<std::string> controls;
  const std::vector<Case>& cases = expansion_of(GetParam()).cases;
  const std::vector<bool>& standard = standard_by_quota(GetParam());
  for (std::size_t n = 0; n < cases.size(); ++n) {
    if (!cases[n].must_raise.empty() && standard[n]) {
      controls.insert(cases[n].control);
    }
  }
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Case& c = cases[n];
    if (specs_of(GetParam()).find_op(c.spec) == nullptr) continue;
    if (!c.must_raise.empty()) continue;
    const bool boundary = c.clause[0] == 'B';
    for (auto* counts : {&full, standard[n] ? &quick : nullptr}) {
      if (counts == nullptr) continue;
      // Controls come on top.
      if (shares_memory(c) || (counts == &quick && controls.contains(c.path))) {
        continue;
      }
      Counts& of_row = (*counts)[c.spec];
      ++(!c.context.empty() ? of_row.company
         : boundary         ? of_row.boundaries
                            : of_row.alone);
    }
  }
  for (const auto& [spec, n] : full) {
    EXPECT_LE(n.alone + n.boundaries, kFullAlone) << spec;
    EXPECT_LE(quick[spec].alone, kStandardAlone) << spec;
    EXPECT_LE(quick[spec].boundaries, kStandardBoundaries + kStandardSolved)
        << spec;
    EXPECT_LE(quick[spec].company, kStandardContexts + kStandardFilled) << spec;
  }
}

TEST(Editions, BeginWhereAPromiseChanges) {
  const language::SpecSet& specs = specs_of("specs");
  EXPECT_EQ(language::editions(*specs.find_op("_to_copy")),
            (std::vector<TorchVersion>{{0, 0}, {2, 12}}));
  EXPECT_EQ(language::editions(*specs.find_op("exp")),
            (std::vector<TorchVersion>{{0, 0}}));
}

INSTANTIATE_TEST_SUITE_P(Specs, EveryCase, ::testing::Values(kDir, "specs"),
                         [](const auto& choice) {
                           return choice.index == 0 ? "TestData" : "Project";
                         });

}  // namespace
}  // namespace assay::cases
