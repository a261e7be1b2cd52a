// Every status and every breach of the protocol, from hand-made goldens and
// observations.
#include "harness/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/testing/fakes.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

using fakes::f32;
using fakes::golden_of;
using fakes::only_nan;
using fakes::point;
using fakes::range;
using fakes::refusal;
using ::testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Observation returned(std::vector<Tensor> outputs) {
  Observation o;
  o.outputs = std::move(outputs);
  return o;
}

Observation raised(std::string exception, std::vector<std::string> classes = {},
                   std::string message = "boom", std::string phase = "run") {
  Observation o;
  o.kind = Observation::Kind::raised;
  o.error = {std::move(exception), std::move(classes), "", std::move(message),
             std::move(phase)};
  return o;
}

Observation other(Observation::Kind kind, std::string detail) {
  Observation o;
  o.kind = kind;
  o.detail = std::move(detail);
  return o;
}

CaseResult judged(const reference::Golden& golden, const Observation& o) {
  const cases::Case c = fakes::negation_case(1);
  return judge(c, c.make_inputs(), golden, o);
}

reference::Golden three() {
  return golden_of(
      {point(DType::f32, 1), range(DType::f32, 2, 2.5), only_nan()},
      {"neg/A1"});
}

TEST(Judge, PassesWhatEverySetAdmits) {
  const CaseResult r = judged(three(), returned({f32({1, 2.25, kNan})}));
  EXPECT_EQ(r.status, CellStatus::pass) << r.reason;
  EXPECT_EQ(r.reason, "");
  EXPECT_EQ(r.elements, 3);
  EXPECT_EQ(r.wrong_elements, 0);
  EXPECT_EQ(r.evidence, Evidence::ran);
  EXPECT_EQ(r.clause, "neg/A1");
  EXPECT_FALSE(r.witness.has_value());
  EXPECT_GT(r.error_over_bound, 0);
}

TEST(Judge, OneElementOffIsAFailureWithWitness) {
  Tensor t = f32({1, 2.25, kNan});
  t.set_bits(0, step(DType::f32, t.bits(0), 1));
  const CaseResult r = judged(three(), returned({t}));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_EQ(r.wrong_elements, 1);
  ASSERT_TRUE(r.witness.has_value());
  EXPECT_EQ(r.witness->output, 0);
  EXPECT_EQ(r.witness->element, 0);
  EXPECT_EQ(r.witness->got, "0x3f800001 (0x1.000002p+0)");
  EXPECT_EQ(r.witness->admissible, "[0x3f800000 (0x1p+0)]");
  EXPECT_THAT(r.reason, HasSubstr("out0[0]"));
  EXPECT_THAT(r.reason, HasSubstr("1 element above"));
  EXPECT_THAT(r.reason, HasSubstr("1 of 3 wrong: neg/A1 1"));
}

TEST(Judge, NanAndNumberAreDifferentClasses) {
  for (const Tensor& t : {f32({kNan, 2, kNan}), f32({1, 2, 3})}) {
    const CaseResult r = judged(three(), returned({t}));
    EXPECT_EQ(r.status, CellStatus::fail);
    EXPECT_EQ(r.error_over_bound, kInf);
    EXPECT_EQ(r.wrong_elements, 1);
  }
}

TEST(Judge, InfinityIsNotTheLargestNumber) {
  const reference::Golden g =
      golden_of({point(DType::f32, 3.4028234663852886e38)});
  EXPECT_EQ(judged(g, returned({f32({kInf})})).status, CellStatus::fail);
  EXPECT_EQ(judged(g, returned({f32({3.4028234663852886e38})})).status,
            CellStatus::pass);
}

TEST(Judge, SignOfZeroCountsUnlessWaived) {
  reference::Golden g = golden_of({point(DType::f32, -0.0)});
  const CaseResult r = judged(g, returned({f32({0.0})}));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_THAT(r.reason, HasSubstr("zero of the wrong sign"));
  g.outputs[0].elements[0].any_zero_sign = true;
  EXPECT_EQ(judged(g, returned({f32({0.0})})).status, CellStatus::pass);
}

TEST(Judge, WhatIsUndefinedIsNeverWrong) {
  reference::Golden g = golden_of({point(DType::f32, 1)});
  g.outputs[0].elements[0].unspecified = true;
  for (const double v : {0.0, kNan, -kInf}) {
    const CaseResult r = judged(g, returned({f32({v})}));
    EXPECT_EQ(r.status, CellStatus::pass);
    EXPECT_EQ(r.error_over_bound, 0);
  }
}

TEST(Judge, WhatIsComputedOfTheUndefinedNeedNotBeTheSameTwice) {
  reference::Golden g = golden_of({point(DType::f32, 1)}, {"neg/A1"});
  Observation o = returned({f32({1})});
  o.breaches = {"D1: output 0, element 0: 0x0, and 0x1 in the second call"};
  EXPECT_EQ(judged(g, o).clause, "D1");
  g.outputs[0].elements[0].unspecified = true;
  EXPECT_EQ(judged(g, o).status, CellStatus::pass);
  // Of what relations decide about, numbers that are drawn say, it is.
  reference::GoldenOutput holds;
  holds.type = TensorType::contiguous(DType::boolean, {1});
  holds.elements.resize(1);
  holds.elements[0].lo = holds.elements[0].hi = 1;
  holds.exact = {1};
  holds.bound = {0};
  holds.clauses = {"rand/R1"};
  g.relations = {holds};
  EXPECT_EQ(judged(g, o).clause, "D1");
  // So is an output of which some is defined.
  g = golden_of({point(DType::f32, 1), point(DType::f32, 1)}, {"neg/A1"});
  g.outputs[0].elements[0].unspecified = true;
  o.outputs = {f32({1, 1})};
  EXPECT_EQ(judged(g, o).clause, "D1");
}

TEST(Judge, TheClauseIsThatOfTheWorstElement) {
  reference::Golden g =
      golden_of({range(DType::f32, 1, 1.5), range(DType::f32, 1, 1.5),
                 range(DType::f32, 1, 1.5), point(DType::f32, 4)},
                {"exp/A1", "exp/S1"});
  g.outputs[0].elements[2].clause = 1;
  const CaseResult r = judged(g, returned({f32({1.75, 1.6, 9.0, 4})}));
  EXPECT_EQ(r.clause, "exp/S1");
  EXPECT_EQ(r.witness->element, 2);
  EXPECT_EQ(r.wrong_elements, 3);
  EXPECT_THAT(r.reason, HasSubstr("3 of 4 wrong: exp/A1 2, exp/S1 1"));
}

TEST(Judge, TheVerdictDoesNotDependOnTheOrderOfElements) {
  std::vector<double> got = {1.75, 1.6, 9.0, 4};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    std::vector<reference::ElementSet> sets;
    std::vector<double> values;
    for (const std::size_t i : order) {
      sets.push_back(range(DType::f32, 1, 1.5));
      values.push_back(got[i]);
    }
    const CaseResult r = judged(golden_of(sets), returned({f32(values)}));
    EXPECT_EQ(r.wrong_elements, 4);
    EXPECT_EQ(decode_float(DType::f32, f32({9.0}).bits(0)), 9.0);
    EXPECT_EQ(values[static_cast<std::size_t>(r.witness->element)], 9.0);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Judge, MetadataIsClauseM1) {
  const reference::Golden g =
      golden_of({point(DType::f32, 1), point(DType::f32, 2)});
  struct Row {
    std::vector<Tensor> outputs;
    const char* reason;
  };
  const Row rows[] = {
      {{f32({1, 2}, {2, 1})}, "f32[2, 1] where f32[2] was due"},
      {{Tensor::zeros(DType::f16, {2})}, "f16[2] where f32[2] was due"},
      {{f32({1})}, "f32[1] where f32[2] was due"},
      {{}, "returned 0 outputs where 1 was due"},
      {{f32({1, 2}), f32({1, 2})}, "returned 2 outputs where 1 was due"},
  };
  for (const Row& row : rows) {
    const CaseResult r = judged(g, returned(row.outputs));
    EXPECT_EQ(r.status, CellStatus::fail) << row.reason;
    EXPECT_EQ(r.clause, "M1");
    EXPECT_THAT(r.reason, HasSubstr(row.reason));
  }
}

// A program whose result is promised the layout of its operand.
struct Laid {
  language::SpecSet specs;
  cases::Case source = fakes::negation_case(1);
  reference::Golden golden;
};

Laid transposed_negation() {
  language::SourceFile f;
  f.name = "neg.yaml";
  f.text =
      "op: neg\naten: aten.neg.default\ndoc: A test.\n"
      "params: {x: \"T[S...]\"}\ndtypes: {T: [f32]}\n"
      "result: T of shape(x) as elementwise\n"
      "value: {V1: \"out[i...] = -x[i...]\"}\n"
      "accuracy: {A1: {bound: exact}}\ncases: {C1: {shapes: [[3]]}}\n";
  f.role = language::role_of(f.name, f.text);
  Laid laid;
  language::LoadResult loaded = language::load_sources({f});
  for (const auto& d : loaded.errors) ADD_FAILURE() << to_string(d);
  laid.specs = std::move(loaded.specs);
  laid.source.program.inputs[0] = {DType::f32, {2, 2}, {1, 2}};
  laid.golden = golden_of({point(DType::f32, 1), point(DType::f32, 2),
                           point(DType::f32, 3), point(DType::f32, 4)});
  laid.golden.outputs[0].type = TensorType::contiguous(DType::f32, {2, 2});
  return laid;
}

TEST(Judge, StridesAreClauseM2WhereASubjectReportsThem) {
  const Laid laid = transposed_negation();
  const auto judged = [&laid](std::vector<double> values,
                              std::vector<ReturnedLayout> layouts) {
    Observation o = returned({f32(values, {2, 2})});
    o.layouts = std::move(layouts);
    return judge(laid.source, {}, laid.golden, o, &laid.specs);
  };
  const std::vector<double> right = {1, 2, 3, 4};
  EXPECT_EQ(judged(right, {}).status, CellStatus::pass);
  EXPECT_EQ(judged(right, {{{1, 2}, 0}}).status, CellStatus::pass);
  // What is no view begins in its storage.
  const CaseResult behind = judged(right, {{{1, 2}, 5}});
  EXPECT_EQ(behind.clause, "M2");
  EXPECT_EQ(behind.reason,
            "out0: strides [1, 2], offset 5 where strides [1, 2], offset 0 "
            "were due");
  const CellStatus fail = CellStatus::fail;
  const CaseResult r = judged(right, {{{2, 1}, 0}});
  EXPECT_EQ(r.status, fail);
  EXPECT_EQ(r.failure, FailureClass::metadata);
  EXPECT_EQ(r.clause, "M2");
  EXPECT_EQ(r.reason,
            "out0: strides [2, 1], offset 0 where strides [1, 2] were due");
  ASSERT_TRUE(r.witness);
  EXPECT_EQ(r.witness->got, "strides [2, 1], offset 0");
  EXPECT_EQ(r.witness->admissible, "strides [1, 2]");
  EXPECT_EQ(r.wrong_elements, 0);
  // A wrong element is the worse fault.
  EXPECT_EQ(judged({1, 2, 3, 5}, {{{2, 1}, 0}}).clause, "neg/A1");
}

// A negative size, say: the worker names it, and reads nothing.
TEST(Judge, WhatCannotBeReadIsAReturnAllTheSame) {
  Observation o = returned({});
  o.breaches = {"P1: left behind", "M1: output 0 is f32[0, -2], which has"};
  const CaseResult r =
      judged(golden_of({point(DType::f32, 1), point(DType::f32, 2)}), o);
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_EQ(r.failure, FailureClass::metadata);
  EXPECT_EQ(r.clause, "M1");
  EXPECT_EQ(r.reason,
            "output 0 is f32[0, -2], which has; also P1: left behind");
  const CaseResult lost = judged(refusal("bmm/E4", {"RuntimeError"}), o);
  EXPECT_EQ(lost.failure, FailureClass::lost_error);
  EXPECT_EQ(lost.clause, "bmm/E4");
  EXPECT_THAT(lost.reason,
              HasSubstr("returned (output 0 is f32[0, -2], which has) where "
                        "RuntimeError was due"));
}

TEST(Judge, TheStridesInWhichAResultTravelsDoNotCount) {
  const reference::Golden g =
      golden_of({point(DType::f32, 1), point(DType::f32, 2)});
  Tensor t = Tensor::strided({DType::f32, {2}, {3}}, 1);
  t.set_number(0, 1);
  t.set_number(1, 2);
  EXPECT_EQ(judged(g, returned({t})).status, CellStatus::pass);
}

TEST(Judge, EmptyOutputsPass) {
  const CaseResult r = judged(golden_of({}), returned({f32({}, {0})}));
  EXPECT_EQ(r.status, CellStatus::pass);
  EXPECT_EQ(r.elements, 0);
}

TEST(Judge, RaisingWhereAValueIsDueFails) {
  const CaseResult r = judged(three(), raised("RuntimeError", {}, "no\nway"));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_EQ(r.clause, "neg/A1");
  EXPECT_THAT(r.reason, HasSubstr("raised RuntimeError in phase run where a "
                                  "value was due: no way"));
}

TEST(Judge, ReturningWhereAnErrorIsDueFailsThatClause) {
  const CaseResult r =
      judged(refusal("bmm/E4", {"RuntimeError"}), returned({f32({1, 2})}));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_EQ(r.clause, "bmm/E4");
  EXPECT_EQ(r.reason, "returned f32[2] where RuntimeError was due");
}

TEST(Judge, ErrorContract) {
  const reference::Golden plain =
      refusal("bmm/E4", {"RuntimeError", "TypeError"});
  const reference::Golden message =
      refusal("bmm/E4", {"RuntimeError"}, "expected .* (Half|Float)");
  const reference::Golden phase =
      refusal("bmm/E4", {"RuntimeError"}, "", "compile");
  struct Row {
    const reference::Golden& golden;
    Observation observation;
    CellStatus status;
    const char* reason;
  };
  Observation named = raised("RuntimeError");
  named.error.clause = "bmm/E3";
  Observation named_right = raised("RuntimeError");
  named_right.error.clause = "bmm/E4";
  const Row rows[] = {
      {plain, raised("RuntimeError"), CellStatus::pass, ""},
      {plain, raised("TypeError"), CellStatus::pass, ""},
      {plain,
       raised("TorchRuntimeError", {"TorchRuntimeError", "RuntimeError"}),
       CellStatus::pass, ""},
      {plain, raised("ValueError", {"ValueError", "Exception"}),
       CellStatus::fail,
       "raised ValueError (boom) where RuntimeError or "
       "TypeError was due"},
      {message, raised("RuntimeError", {}, "it expected scalar type Half"),
       CellStatus::pass, ""},
      {message, raised("RuntimeError", {}, "expected nothing"),
       CellStatus::fail, "does not match 'expected .* (Half|Float)'"},
      {phase, raised("RuntimeError", {}, "x", "compile"), CellStatus::pass, ""},
      {phase, raised("RuntimeError", {}, "x", "run"), CellStatus::fail,
       "in phase run where phase compile was due"},
      {plain, named, CellStatus::quality_warning,
       "names bmm/E3 where bmm/E4 is broken"},
      {plain, named_right, CellStatus::pass, ""},
  };
  for (const Row& row : rows) {
    const CaseResult r = judged(row.golden, row.observation);
    EXPECT_EQ(r.status, row.status) << r.reason;
    EXPECT_EQ(r.clause, "bmm/E4");
    EXPECT_THAT(r.reason, HasSubstr(row.reason));
    EXPECT_EQ(r.reason.empty(), r.status == CellStatus::pass);
  }
}

TEST(Judge, ABadMessagePatternIsOurFault) {
  const CaseResult r = judged(refusal("bmm/E4", {"RuntimeError"}, "(open"),
                              raised("RuntimeError"));
  EXPECT_EQ(r.status, CellStatus::internal_error);
  EXPECT_THAT(r.reason, HasSubstr("'(open' is no regular expression"));
}

TEST(Judge, WhatDidNotAnswerHasItsOwnStatus) {
  using Kind = Observation::Kind;
  struct Row {
    Kind kind;
    const char* detail;
    CellStatus status;
    const char* clause;
    const char* reason;
  };
  const Row rows[] = {
      {Kind::unsupported, "no f64", CellStatus::unsupported, "neg/A1",
       "no f64"},
      {Kind::unsupported, "", CellStatus::unsupported, "neg/A1",
       "declared unsupported"},
      {Kind::crashed, "signal 11", CellStatus::crash, "neg/A1", "signal 11"},
      {Kind::timed_out, "run, 60 s", CellStatus::timeout, "neg/A1",
       "run, 60 s"},
      {Kind::out_of_memory, "8 GiB", CellStatus::crash, "neg/A1",
       "out of memory: 8 GiB"},
      {Kind::device_lost, "illegal address", CellStatus::device_lost, "neg/A1",
       "illegal address"},
      {Kind::malformed, "no reply", CellStatus::internal_error, "P0",
       "broke the protocol: no reply"},
  };
  for (const Row& row : rows) {
    const CaseResult r = judged(three(), other(row.kind, row.detail));
    EXPECT_EQ(r.status, row.status);
    EXPECT_EQ(r.clause, row.clause);
    EXPECT_THAT(r.reason, HasSubstr(row.reason));
    EXPECT_EQ(r.evidence, Evidence::none);
    // The same, and not a kept promise, where an error was due.
    const CaseResult e = judged(refusal("bmm/E4", {"RuntimeError"}),
                                other(row.kind, row.detail));
    EXPECT_EQ(e.status, row.status);
  }
}

TEST(Judge, BreachesFailAGoodReturn) {
  for (const char* clause : {"P1", "P2", "P3", "P4"}) {
    Observation o = returned({f32({1, 2, kNan})});
    o.breaches = {std::string(clause) + ": left behind"};
    const CaseResult r = judged(three(), o);
    EXPECT_EQ(r.status, CellStatus::fail);
    EXPECT_EQ(r.clause, clause);
    EXPECT_EQ(r.reason, std::string(clause) + ": left behind");
  }
  Observation refused = raised("RuntimeError");
  refused.breaches = {"P1: left behind"};
  EXPECT_EQ(judged(refusal("bmm/E4", {"RuntimeError"}), refused).clause, "P1");
}

TEST(Judge, ABreachIsMentionedBesideAWrongValue) {
  Observation o = returned({f32({7, 2, kNan})});
  o.breaches = {"P2: canary overwritten"};
  const CaseResult r = judged(three(), o);
  EXPECT_EQ(r.clause, "neg/A1");
  EXPECT_THAT(r.reason, HasSubstr("also P2: canary overwritten"));
}

TEST(Judge, OutputHashTellsBitsButNotNanPayloads) {
  Tensor quiet = f32({1, 2.25, kNan});
  Tensor payload = quiet.contiguous();
  payload.set_bits(2, 0xffc12345);
  const auto hash = [](const Tensor& t) {
    return judged(three(), returned({t})).output_hash;
  };
  EXPECT_EQ(hash(quiet), hash(payload));
  EXPECT_NE(hash(quiet), hash(f32({1, 2.125, kNan})));
  EXPECT_NE(hash_outputs({f32({0.0})}), hash_outputs({f32({-0.0})}));
  EXPECT_NE(hash_outputs({f32({1, 2})}), hash_outputs({f32({1, 2}, {2, 1})}));
}

TEST(Judge, WorstElementsComeLargestFirst) {
  const reference::Golden g =
      golden_of({range(DType::f32, 1, 1.5), range(DType::f32, 1, 1.5),
                 range(DType::f32, 1, 1.5)});
  const auto worst = worst_elements(g, {f32({2, 8, 1.25})}, 5);
  ASSERT_EQ(worst.size(), 2u);
  EXPECT_EQ(worst[0].element, 1);
  EXPECT_EQ(worst[1].element, 0);
  EXPECT_EQ(worst_elements(g, {f32({2, 8, 1.25})}, 1).size(), 1u);
}

TEST(Judge, IntegersAreShownAndComparedAsIntegers) {
  reference::Golden g;
  reference::GoldenOutput out;
  out.type = TensorType::contiguous(DType::i32, {1});
  reference::ElementSet e;
  e.lo = e.hi = 0xfffffffdu;  // -3
  out.elements = {e};
  out.exact = {-3};
  out.bound = {0};
  out.clauses = {"add/V1"};
  g.outputs = {out};
  Tensor t = Tensor::zeros(DType::i32, {1});
  t.set_integer(0, -3);
  EXPECT_EQ(judged(g, returned({t})).status, CellStatus::pass);
  t.set_integer(0, -5);
  const CaseResult r = judged(g, returned({t}));
  EXPECT_EQ(r.status, CellStatus::fail);
  EXPECT_THAT(r.reason, HasSubstr("got -5, admissible [-3], 2 elements below"));
}

}  // namespace
}  // namespace assay::harness
