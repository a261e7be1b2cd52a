// Programs that write: what is read afterwards, through whatever view.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/numbers/element_order.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const language::SpecSet& written_specs() {
  static const language::SpecSet set = specs_of({R"yaml(
op: twice
aten: aten.twice.default
inplace: {itself: any}
doc: Two times x, within a half.
params: {x: {tensor: T, shape: [S...]}}
dtypes: {T: [f32]}
result: {dtype: T, shape: shape(x)}
value: {V1: "out[i...] = 2 * x[i...]"}
accuracy: {A1: {abs: 0.5}}
cases: {C1: {shapes: [{S: [3]}]}}
)yaml",
                                                 R"yaml(
op: plus
aten: aten.plus.default
inplace: true
doc: A sum.
params: {x: {tensor: T, shape: [S...]}, y: {tensor: T, shape: [S...]}}
dtypes: {T: [f32, i64]}
result: {dtype: T, shape: shape(x)}
value: {V1: "out[i...] = x[i...] + y[i...]"}
accuracy: {A1: {bound: correctly_rounded}}
cases: {C1: {shapes: [{S: [3]}]}}
)yaml",
                                                 R"yaml(
op: pick
aten: aten.pick.default
doc: Elements by their numbers.
params: {x: {tensor: T, shape: [N]}, at: {tensor: I, shape: [M]}}
dtypes: {T: [f32], I: [i64]}
result: {dtype: T, shape: shape(at)}
requires:
  E1:
    that: "all(k < dim(at, 0): 0 <= at[k] and at[k] < dim(x, 0))"
    raises: IndexError
value: {V1: "out[k] = x[at[k]]"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [{N: 3, M: 2}], inputs: {at: {integers: [0, 1]}}}}
)yaml",
                                                 R"yaml(
op: slice
aten: aten.slice.Tensor
doc: Every step-th element from start on.
params: {x: {tensor: T, shape: [N]}, start: int, step: int, length: int}
dtypes: {T: [f32, i64]}
result: {dtype: T, shape: "[length]", layout: view}
value: {V1: "out[i] = x[start + step * i]"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [{N: 9}], attrs: {start: [1], step: [2], length: [3]}}}
)yaml"});
  return set;
}

// The exact values of an output.
std::vector<double> values(const Golden& g, std::size_t output) {
  return output < g.outputs.size() ? g.outputs[output].exact
                                   : std::vector<double>();
}

TEST(Versions, ABaseSeesWhatIsWrittenThroughAView) {
  const Golden g =
      golden_of(written_specs(),
                "%0 = input f32[5]\n%1 = aten.slice.Tensor(%0, 1, 2, 2)\n"
                "%2 = aten.twice_.default(%1)\n%3 = aten.plus.default(%0, %0)\n"
                "return %3, %0, %1, %2\n",
                {tensor_of(DType::f32, {5}, {1, 2, 3, 4, 5})});
  EXPECT_THAT(values(g, 0), ElementsAre(2, 8, 6, 16, 10));
  EXPECT_THAT(values(g, 1), ElementsAre(1, 4, 3, 8, 5));
  EXPECT_THAT(values(g, 2), ElementsAre(4, 8));
  EXPECT_THAT(values(g, 3), ElementsAre(4, 8));
  // What was not written is the input's; what was has the call's clause.
  const GoldenOutput& x = g.outputs[1];
  EXPECT_EQ(x.clauses[x.elements[0].clause], "V1");
  EXPECT_EQ(x.clauses[x.elements[1].clause], "twice_/A1");
  EXPECT_LT(x.elements[1].lo, x.elements[1].hi);
}

TEST(Versions, SiblingsAndTheBaseBeforeAndAfter) {
  const Golden g =
      golden_of(written_specs(),
                "%0 = input f32[4]\n%1 = input f32[3]\n"
                "%2 = aten.slice.Tensor(%0, 0, 1, 3)\n"
                "%3 = aten.slice.Tensor(%0, 1, 1, 3)\n"
                "%4 = aten.plus.default(%3, %1)\n"   // before
                "%5 = aten.plus_.default(%2, %1)\n"  // x[:3] += y
                "%6 = aten.plus.default(%3, %1)\n"   // after
                "%7 = aten.plus_.default(%3, %1)\n"  // x[1:] += y
                "%8 = aten.plus.default(%2, %1)\nreturn %4, %6, %8, %5\n",
                {tensor_of(DType::f32, {4}, {0, 10, 20, 30}),
                 tensor_of(DType::f32, {3}, {1, 2, 3})});
  EXPECT_THAT(values(g, 0), ElementsAre(11, 22, 33));
  EXPECT_THAT(values(g, 1), ElementsAre(13, 25, 33));
  EXPECT_THAT(values(g, 2), ElementsAre(2, 15, 28));
  EXPECT_THAT(values(g, 3), ElementsAre(1, 13, 25));
}

TEST(Versions, WhatIsComputedKeepsWhatItRead) {
  const Golden g =
      golden_of(written_specs(),
                "%0 = input f32[3]\n%1 = aten.plus.default(%0, %0)\n"
                "%2 = aten.plus_.default(%0, %1)\nreturn %1, %0\n",
                {tensor_of(DType::f32, {3}, {1, 2, 3})});
  EXPECT_THAT(values(g, 0), ElementsAre(2, 4, 6));
  EXPECT_THAT(values(g, 1), ElementsAre(3, 6, 9));
}

TEST(Versions, RequirementsReadWhatIsThereNow) {
  const std::string text =
      "%0 = input f32[3]\n%1 = input i64[2]\n"
      "%2 = aten.plus_.default(%1, %1)\n%3 = aten.pick.default(%0, %1)\n"
      "return %3\n";
  const Tensor x = tensor_of(DType::f32, {3}, {5, 6, 7});
  const Golden g =
      golden_of(written_specs(), text, {x, tensor_of(DType::i64, {2}, {1, 0})});
  EXPECT_THAT(values(g, 0), ElementsAre(7, 5));
  const Golden bad =
      golden_of(written_specs(), text, {x, tensor_of(DType::i64, {2}, {2, 0})});
  ASSERT_TRUE(bad.error.has_value());
  EXPECT_EQ(bad.error->clause, "pick/E1");
}

TEST(Versions, WhatWasReturnedIsWhatIsThereInTheEnd) {
  // %1 was 6 when %2 read it: that nobody has seen. %3 has been.
  OracleOptions options;
  options.observed.emplace(1, tensor_of(DType::f32, {1}, {12.25}));
  const Golden g =
      golden_of(written_specs(),
                "%0 = input f32[1]\n%1 = aten.twice.default(%0)\n"
                "%2 = aten.twice.default(%1)\n%3 = aten.twice_.default(%1)\n"
                "%4 = aten.plus.default(%1, %1)\nreturn %1, %2, %4\n",
                {tensor_of(DType::f32, {1}, {3})}, options);
  EXPECT_THAT(values(g, 1), ElementsAre(12));
  EXPECT_THAT(values(g, 2), ElementsAre(24.5));
}

// There is no value of what nobody defines.
TEST(Versions, NothingIsWrittenTwiceOrReadElsewhereByACall) {
  const auto message = [](const std::string& steps) {
    const Result<Golden> g =
        Oracle(written_specs())
            .golden(program_of("%0 = input f32[5]\n" + steps + "return %0\n"),
                    {tensor_of(DType::f32, {5}, {1, 2, 3, 4, 5})});
    if (g.ok()) return g->error ? g->error->clause : std::string();
    return g.error().message;
  };
  EXPECT_THAT(message("%1 = aten.slice.Tensor(%0, 1, 0, 2)\n"
                      "%2 = aten.twice_.default(%1)\n"),
              HasSubstr("share memory"));
  EXPECT_EQ(message("%1 = aten.slice.Tensor(%0, 0, 1, 2)\n"
                    "%2 = aten.slice.Tensor(%0, 1, 1, 2)\n"
                    "%3 = aten.plus_.default(%1, %2)\n"),
            "plus_/E2");
  // Between the elements are others: eager does not look, and nobody knows.
  EXPECT_THAT(message("%1 = aten.slice.Tensor(%0, 0, 2, 2)\n"
                      "%2 = aten.slice.Tensor(%0, 2, 2, 2)\n"
                      "%3 = aten.plus_.default(%1, %2)\n"),
              HasSubstr("shares some of the elements"));
  EXPECT_EQ(message("%1 = aten.slice.Tensor(%0, 0, 1, 1)\n"
                    "%2 = aten.slice.Tensor(%0, 1, 1, 1)\n"
                    "%3 = aten.plus_.default(%1, %2)\n"
                    "%4 = aten.plus_.default(%0, %0)\n"),
            "");
}

TEST(Versions, ExplainNamesTheCallThatWrote) {
  const Result<std::string> text =
      Oracle(written_specs())
          .explain(
              program_of(
                  "%0 = input f32[3]\n%1 = aten.slice.Tensor(%0, 1, 1, 2)\n"
                  "%2 = aten.twice_.default(%1)\nreturn %0\n"),
              {tensor_of(DType::f32, {3}, {1, 2, 3})}, {}, 0, 2);
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("%2 = aten.twice_.default"));
  EXPECT_THAT(*text, HasSubstr("exact value: 6"));
}

}  // namespace
}  // namespace assay::reference
