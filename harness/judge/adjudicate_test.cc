#include "harness/judge/adjudicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program_text.h"
#include "harness/judge/coherence.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using fakes::f32;
using fakes::FakeOracle;
using fakes::golden_of;
using fakes::point;
using fakes::range;
using ::testing::HasSubstr;

Observation returned(std::vector<Tensor> outputs) {
  Observation o;
  o.outputs = std::move(outputs);
  return o;
}

// y = cast(x); z = neg(y); returns both.
cases::Case chain() {
  cases::Case c = fakes::negation_case(1);
  c.program.nodes = {{"aten._to_copy.default", {ValueRef{0}}, {}},
                     {"aten.neg.default", {ValueRef{1}}, {}}};
  c.program.outputs = {{1}, {2}};
  return c;
}

// Admits 1 to 2 for y; z is minus y exactly, or -2 to -1 if y is not known.
class ChainOracle : public FakeOracle {
 public:
  ChainOracle() {
    answer = [this](const Program&, const std::vector<Tensor>&,
                    const reference::OracleOptions& options)
        -> Result<reference::Golden> {
      const auto set = [](reference::ElementSet e) {
        return std::vector<reference::ElementSet>(4, e);
      };
      reference::Golden g = golden_of(set(range(DType::f32, 1, 2)), {"to/A1"});
      reference::GoldenOutput z =
          golden_of(set(range(DType::f32, -2, -1)), {"neg/V1"}).outputs[0];
      const auto y = options.observed.find(1);
      if (y != options.observed.end()) {
        ++observed;
        for (std::size_t i = 0; i < 4; ++i) {
          z.elements[i] =
              point(DType::f32, -y->second.number(static_cast<int>(i)));
        }
      }
      g.outputs.push_back(std::move(z));
      return g;
    };
  }
  mutable std::atomic<int> observed{0};
};

// What the program may give on other hardware decides, too.
TEST(Alternatives, AVerdictHoldsWhereAllHaveIt) {
  FakeOracle oracle;
  oracle.answer = [](const Program&, const std::vector<Tensor>&,
                     const reference::OracleOptions&) {
    return Result<reference::Golden>(
        golden_of({range(DType::f32, 1, 2)}, {"neg/A1"}));
  };
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  cases::Case c = fakes::negation_case(1);
  const auto prepared = adjudicator.prepare(c);
  ASSERT_EQ(prepared->fault, "");
  const auto judged = [&](double nominal, double lowest, double highest) {
    Observation o = returned({f32({nominal})});
    o.alternatives = {{f32({lowest})}, {f32({highest})}};
    o.depends_on = {"ex2.approx.f32"};
    o.evidence = Evidence::emulated;
    return adjudicator.result(*prepared, o);
  };
  EXPECT_EQ(judged(1.5, 1, 2).status, CellStatus::pass);
  EXPECT_EQ(judged(1.5, 1, 2).evidence, Evidence::emulated);
  EXPECT_EQ(judged(3, 2.5, 3.5).status, CellStatus::fail);
  for (const CaseResult& r : {judged(1.5, 1, 2.5), judged(2.5, 1.5, 3)}) {
    EXPECT_EQ(r.status, CellStatus::hardware);
    EXPECT_EQ(r.failure, FailureClass::none);
    EXPECT_THAT(r.reason, HasSubstr("depends on what ex2.approx.f32 gives"));
    ASSERT_TRUE(r.witness.has_value());
  }
}

TEST(Linted, ARemarkIsAWarningAndARefusalIsLeftOpen) {
  FakeOracle oracle;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const auto prepared = adjudicator.prepare(fakes::negation_case(1));
  Observation o;
  o.kind = Observation::Kind::linted;
  o.evidence = Evidence::compiled_linted;
  EXPECT_EQ(adjudicator.result(*prepared, o).status, CellStatus::pass);
  EXPECT_EQ(adjudicator.result(*prepared, o).evidence,
            Evidence::compiled_linted);
  o.remarks = {"flushes: add.ftz.f32"};
  EXPECT_EQ(adjudicator.result(*prepared, o).status,
            CellStatus::quality_warning);
  EXPECT_THAT(adjudicator.result(*prepared, o).reason,
              HasSubstr("lint: flushes: add.ftz.f32"));
}

TEST(Coherence, AConsumerIsJudgedFromTheReturnedValue) {
  const ChainOracle oracle;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const cases::Case c = chain();
  const auto prepared = adjudicator.prepare(c);
  ASSERT_TRUE(prepared->coherent);
  const Tensor y = f32({1, 1.5, 1.25, 2});
  const Tensor z = f32({-1, -1.5, -1.25, -2});
  EXPECT_EQ(adjudicator.result(*prepared, returned({y, z})).status,
            CellStatus::pass);
  // Each is admissible by itself, but they contradict each other.
  const Tensor other = f32({-1, -1.5, -1.5, -2});
  const CaseResult r = adjudicator.result(*prepared, returned({y, other}));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_EQ(r.failure, FailureClass::incoherent);
  EXPECT_EQ(r.clause, "neg/V1");
  EXPECT_EQ(r.witness->output, 1);
  EXPECT_EQ(r.witness->element, 2);
}

// An index that came back beyond the end would be refused. It is wrong itself,
// and no fault of the oracle's.
TEST(Coherence, WhatWouldBeRefusedIsNoOperand) {
  ChainOracle oracle;
  const auto plain = oracle.answer;
  oracle.answer = [&](const Program& p, const std::vector<Tensor>& inputs,
                      const reference::OracleOptions& options)
      -> Result<reference::Golden> {
    if (options.observed.empty()) return plain(p, inputs, options);
    reference::Golden refused;
    refused.error = reference::GoldenError{"neg/E1", {"IndexError"}, "", {}};
    return refused;
  };
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const cases::Case c = chain();
  const auto prepared = adjudicator.prepare(c);
  const CaseResult r = adjudicator.result(
      *prepared, returned({f32({1, 9, 1, 1}), f32({-1, -1, -1, -1})}));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_EQ(r.clause, "to/A1");
}

TEST(Coherence, ColumnsThatAgreeShareOneGolden) {
  const ChainOracle oracle;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const cases::Case c = chain();
  const auto prepared = adjudicator.prepare(c);
  const auto good = returned({f32({1, 1, 1, 1}), f32({-1, -1, -1, -1})});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(adjudicator.result(*prepared, good).status, CellStatus::pass);
  }
  EXPECT_EQ(oracle.observed, 1);
}

TEST(Coherence, IsNotAskedOfOutputsThatDoNotFeedEachOther) {
  cases::Case c = chain();
  c.program.nodes[1].args = {ValueRef{0}};
  EXPECT_FALSE(needs_coherence(c.program));
  EXPECT_TRUE(needs_coherence(chain().program));
  EXPECT_FALSE(needs_coherence(fakes::negation()));
}

TEST(Coherence, OperandsInListsAndKeywordsCount) {
  cases::Case c = chain();
  c.program.nodes[1] = {
      "aten.cat.default", {std::vector<ValueRef>{{0}, {1}}}, {}};
  EXPECT_TRUE(needs_coherence(c.program));
  c.program.nodes[1] = {
      "aten.add.Tensor", {ValueRef{0}}, {{"other", ValueRef{1}}}};
  EXPECT_TRUE(needs_coherence(c.program));
}

// Of what is read through storage, the call that wrote it; not what the same
// tensor held before.
TEST(Coherence, CallsThatWroteCount) {
  const auto needs = [](const std::string& lines) {
    const Result<Program> p = parse_program(
        "assay-program 1\n%0 = input f32[2]\n%1 = input f32[2]\n" + lines);
    EXPECT_TRUE(p.ok());
    return needs_coherence(*p);
  };
  EXPECT_TRUE(
      needs("%2 = aten.neg_.default(%0)\n"
            "%3 = aten.clone.default(%0)\nreturn %3, %2\n"));
  EXPECT_TRUE(
      needs("%2 = aten.clone.default(%1)\n"
            "%3 = aten.neg_.default(%2)\nreturn %2, %3\n"));
  EXPECT_FALSE(
      needs("%2 = aten.clone.default(%1)\n"
            "%3 = aten.alias.default(%2)\n"
            "%4 = aten.copy_.default(%3, %0)\nreturn %2, %0\n"));
}

TEST(Coherence, AValueReturnedTwiceIsTheSameTwice) {
  FakeOracle oracle;
  oracle.answer =
      [](const Program&, const std::vector<Tensor>&,
         const reference::OracleOptions&) -> Result<reference::Golden> {
    reference::Golden g = golden_of(
        std::vector<reference::ElementSet>(4, range(DType::f32, -5, 5)));
    g.outputs.push_back(g.outputs[0]);
    return g;
  };
  cases::Case c = fakes::negation_case(1);
  c.program.outputs = {{1}, {1}};
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const auto prepared = adjudicator.prepare(c);
  const Tensor y = f32({1, 2, 3, 4});
  EXPECT_EQ(adjudicator.result(*prepared, returned({y, y})).status,
            CellStatus::pass);
  const CaseResult r =
      adjudicator.result(*prepared, returned({y, f32({1, 2, 3, 5})}));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_THAT(r.reason, HasSubstr("out0 and out1 return one value, but differ "
                                  "at [3]"));
}

TEST(Adjudicate, MissingGoldenIsOurFaultWhateverWasObserved) {
  FakeOracle oracle;
  oracle.without_golden = {1};
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const cases::Case c = fakes::negation_case(1);
  const auto prepared = adjudicator.prepare(c);
  const CaseResult r =
      adjudicator.result(*prepared, returned({f32({-1, -0.5, 2, -1e-3})}));
  EXPECT_EQ(r.status, CellStatus::internal_error);
  EXPECT_EQ(r.reason, "no golden: undecided");
}

TEST(Adjudicate, SuiteAndOracleMustAgreeOnWhoRefuses) {
  FakeOracle oracle;
  cases::Case c = fakes::negation_case(1);
  c.must_raise = "neg/E1";
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const CaseResult r = adjudicator.result(*adjudicator.prepare(c),
                                          returned({f32({-1, -0.5, 2, -1})}));
  EXPECT_EQ(r.status, CellStatus::internal_error);
  EXPECT_THAT(r.reason, HasSubstr("the suite says that neg/E1 must refuse it, "
                                  "the oracle that it must return"));
}

TEST(Adjudicate, AGoldenOfTheWrongSizeIsRefused) {
  FakeOracle oracle;
  oracle.answer =
      [](const Program&, const std::vector<Tensor>&,
         const reference::OracleOptions&) -> Result<reference::Golden> {
    reference::Golden g = golden_of(std::vector<reference::ElementSet>(4));
    g.outputs[0].exact.pop_back();
    return g;
  };
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const cases::Case c = fakes::negation_case(1);
  EXPECT_NE(adjudicator.prepare(c)->fault, "");
}

TEST(Adjudicate, VacuousCasesAreMistrustedButFailuresStand) {
  FakeOracle oracle;
  oracle.vacuous = "accepts zero for every element";
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  const cases::Case c = fakes::negation_case(1);
  const auto prepared = adjudicator.prepare(c);
  const CaseResult good =
      adjudicator.result(*prepared, returned({f32({-1, -0.5, 2, -1e-3})}));
  EXPECT_EQ(good.status, CellStatus::mistrusted);
  EXPECT_EQ(good.reason, oracle.vacuous);
  const CaseResult bad =
      adjudicator.result(*prepared, returned({f32({-1, -0.5, 3, -1e-3})}));
  EXPECT_EQ(bad.status, CellStatus::fail);
}

TEST(Adjudicate, ACaseIsMistrustedByTheShareThatItsClauseDeclares) {
  FakeOracle oracle;
  oracle.vacuous = "admits zero";
  oracle.enough_share = 0.25;
  const Adjudicator adjudicator(oracle, reference::Numerics::fused, nullptr);
  cases::Case c = fakes::negation_case(1);
  EXPECT_EQ(adjudicator.prepare(c)->vacuous, "admits zero");
  c.vacuous = 0.25;
  EXPECT_EQ(adjudicator.prepare(c)->vacuous, "");
}

}  // namespace
}  // namespace assay::harness
