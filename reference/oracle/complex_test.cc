// Complex numbers: pairs to the oracle, one element to a spec.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/golden/admits.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const language::SpecSet& complex_specs() {
  static const language::SpecSet set = specs_of({R"yaml(
op: times
aten: aten.times.default
doc: The product.
params: {a: "T[A...]", b: "T2[B...] or number"}
dtypes: {T: [c64, c128], T2: T}
result: T of broadcast(shape(a), shape(b))
value:
  V1: "out[i...] = complex(
    re(a[i...]) * re(b[i...]) - im(a[i...]) * im(b[i...]),
    re(a[i...]) * im(b[i...]) + im(a[i...]) * re(b[i...]))"
accuracy: {A1: {bound: dot}}
cases: {C1: {shapes: [{A: [3], B: [3]}]}}
)yaml",
                                                 R"yaml(
op: plus
aten: aten.plus.default
doc: The sum, part by part.
params: {a: "T[A...]", b: "T2[B...] or number"}
dtypes: {T: [f32, c64], T2: T}
result: promote(a, b) of broadcast(shape(a), shape(b))
value: {V1: "out[i...] = a[i...] + b[i...]"}
accuracy: {A1: {bound: correctly_rounded}}
cases: {C1: {shapes: [{A: [3], B: [3]}]}}
)yaml",
                                                 R"yaml(
op: size_complex
aten: aten.size.default
doc: The magnitude.
params: {x: "T[S...]"}
dtypes: {T: [c64, c128]}
result: component(T) of shape(x)
value: {V1: "out[i...] = hypot(re(x[i...]), im(x[i...]))"}
accuracy: {A1: {bound: correctly_rounded}}
cases: {C1: {shapes: [[3]]}}
)yaml",
                                                 R"yaml(
op: size_real
aten: aten.size.default
doc: The magnitude.
params: {x: "T[S...]"}
dtypes: {T: [f32, f64]}
result: T of shape(x)
value: {V1: "out[i...] = abs(x[i...])"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [[3]]}}
)yaml",
                                                 R"yaml(
op: chosen
aten: aten.chosen.default
doc: The elements that are named, and zero.
params: {x: "T[N]", mask: "M[N]"}
dtypes: {T: [f32, c64], M: [bool]}
result: T of shape(x)
value: {V1: "out[i] = where(mask[i] == 1, x[i], 0)"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [{N: 3}]}}
)yaml",
                                                 R"yaml(
op: filled
aten: aten.filled.default
doc: A number, or a truth value, in the type of a tensor.
params: {x: "T[N]", n: number, told: bool = false}
dtypes: {T: [c64]}
forms:
  F1:
    when: told
    result: T of shape(x)
    value: {V1: "out[i] = re(x[i]) == n"}
    accuracy: {A1: {bound: exact}}
    undefined: {U1: {when: "im(x[i]) > 9", why: none}}
  F2:
    result: T of shape(x)
    value: {V1: "out[i] = round(n, T)"}
    accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [{N: 3}], attrs: {n: 1}}}
)yaml",
                                                 R"yaml(
op: flipped
aten: aten.flipped.default
doc: The last element first.
params: {x: "T[N]"}
dtypes: {T: [f32, c64]}
result: T of shape(x)
value: {V1: "out[i] = x[N - 1 - i]"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [{N: 3}]}}
)yaml"});
  return set;
}

Tensor complex_of(DType t, Shape sizes, const std::vector<double>& parts) {
  const Tensor x = Tensor::zeros(t, std::move(sizes));
  Tensor c = components(x);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    c.set_number(static_cast<std::int64_t>(i), parts[i]);
  }
  return x;
}

TEST(Complex, PartsOfAProductAreJudgedOneByOne) {
  const Tensor a = complex_of(DType::c64, {2}, {1, 2, 3, -1});
  const Tensor b = complex_of(DType::c64, {2}, {5, -3, 0, 2});
  const Golden g = golden_of(complex_specs(),
                             "%0 = input c64[2]\n%1 = input c64[2]\n"
                             "%2 = aten.times.default(%0, %1)\nreturn %2\n",
                             {a, b});
  ASSERT_EQ(g.outputs.size(), 1u);
  EXPECT_TRUE(g.outputs[0].is_complex);
  EXPECT_EQ(g.outputs[0].type.sizes, (Shape{2, 2}));
  EXPECT_EQ(g.outputs[0].returned(), TensorType::contiguous(DType::c64, {2}));
  EXPECT_THAT(g.outputs[0].exact, ElementsAre(11, 7, 2, 6));
  // As far as the terms go, not the sum of them, which is 2^-20 here.
  const Golden small =
      golden_of(complex_specs(),
                "%0 = input c64[1]\n%1 = input c64[1]\n"
                "%2 = aten.times.default(%0, %1)\nreturn %2\n",
                {complex_of(DType::c64, {1}, {1 + 0x1p-20, 1}),
                 complex_of(DType::c64, {1}, {1 + 0x1p-21, 1 + 0x1p-22})});
  EXPECT_GT(small.outputs[0].bound[0], 0x1p-24);
}

// Of a number only the real part is there.
TEST(Complex, ANumberInATensorsPlaceIsReal) {
  const Tensor a = complex_of(DType::c64, {1}, {1, 2});
  const std::string lines = "%0 = input c64[1]\n%1 = aten.";
  EXPECT_THAT(golden_of(complex_specs(),
                        lines + "times.default(%0, 3)\nreturn %1\n", {a})
                  .outputs[0]
                  .exact,
              ElementsAre(3, 6));
  EXPECT_THAT(golden_of(complex_specs(),
                        lines + "plus.default(%0, 3)\nreturn %1\n", {a})
                  .outputs[0]
                  .exact,
              ElementsAre(4, 2));
}

// Neither has one that is converted, nor has what is true or false; but what
// decides whether an element is defined is asked of both of its parts.
TEST(Complex, NumbersAndTruthValuesAreReal) {
  const Tensor a = complex_of(DType::c64, {2}, {3, 2, 1, 10});
  const std::string lines = "%0 = input c64[2]\n%1 = aten.filled.default(%0, ";
  const Golden number =
      golden_of(complex_specs(), lines + "3)\nreturn %1\n", {a});
  ASSERT_EQ(number.outputs.size(), 1u);
  EXPECT_THAT(number.outputs[0].exact, ElementsAre(3, 0, 3, 0));
  const Golden told =
      golden_of(complex_specs(), lines + "3, true)\nreturn %1\n", {a});
  ASSERT_EQ(told.outputs.size(), 1u);
  EXPECT_EQ(told.outputs[0].exact[0], 1);
  EXPECT_EQ(told.outputs[0].exact[1], 0);
  for (const std::size_t part : {2, 3}) {
    EXPECT_TRUE(told.outputs[0].elements[part].unspecified) << part;
  }
}

TEST(Complex, ARealOperandHasNoImaginaryPart) {
  const Tensor a = complex_of(DType::c64, {1}, {1, 2});
  for (const DType t : {DType::f32, DType::i64}) {
    const Golden g = golden_of(
        complex_specs(),
        "%0 = input c64[1]\n%1 = input " + std::string(dtype_name(t)) +
            "[1]\n%2 = aten.plus.default(%0, %1)\nreturn %2\n",
        {a, tensor_of(t, {1}, {5})});
    EXPECT_THAT(g.outputs[0].exact, ElementsAre(6, 2)) << dtype_name(t);
  }
}

// Which of two is taken does not hang on the part.
TEST(Complex, AConditionIsOneForBothParts) {
  const Tensor a = complex_of(DType::c64, {2}, {1, 2, 3, 4});
  const Golden g = golden_of(complex_specs(),
                             "%0 = input c64[2]\n%1 = input bool[2]\n"
                             "%2 = aten.chosen.default(%0, %1)\nreturn %2\n",
                             {a, tensor_of(DType::boolean, {2}, {1, 0})});
  EXPECT_THAT(g.outputs[0].exact, ElementsAre(1, 2, 0, 0));
}

TEST(Complex, AnOverloadMayHaveASpecForEach) {
  const Golden of_complex =
      golden_of(complex_specs(),
                "%0 = input c64[2]\n%1 = aten.size.default(%0)\nreturn %1\n",
                {complex_of(DType::c64, {2}, {3, 4, -5, 12})});
  EXPECT_FALSE(of_complex.outputs[0].is_complex);
  EXPECT_THAT(of_complex.outputs[0].exact, ElementsAre(5, 13));
  EXPECT_THAT(of_complex.outputs[0].clauses, ElementsAre("size_complex/A1"));
  const Golden of_real =
      golden_of(complex_specs(),
                "%0 = input f32[1]\n%1 = aten.size.default(%0)\nreturn %1\n",
                {tensor_of(DType::f32, {1}, {-2})});
  EXPECT_THAT(of_real.outputs[0].clauses, ElementsAre("size_real/A1"));
}

// Captured, rearranged, and seen to be something else than was worked out.
TEST(Complex, PassesThroughAProgram) {
  const std::string text =
      "%0 = input c64[2]\n"
      "%1 = const c64[2] {0x3f800000, 0x0, 0x0, 0x3f800000}\n"
      "%2 = aten.times.default(%0, %1)\n"
      "%3 = aten.flipped.default(%2)\n"
      "return %2, %3\n";
  const Tensor x = complex_of(DType::c64, {2}, {1, 2, 3, 4});
  EXPECT_THAT(golden_of(complex_specs(), text, {x}).outputs[1].exact,
              ElementsAre(-4, 3, 1, 2));
  OracleOptions options;
  options.observed.emplace(2, complex_of(DType::c64, {2}, {5, 6, 7, 8}));
  const GoldenOutput seen =
      golden_of(complex_specs(), text, {x}, options).outputs[1];
  EXPECT_THAT(seen.exact, ElementsAre(7, 8, 5, 6));
  EXPECT_EQ(seen.elements[0].lo, seen.elements[0].hi);
}

TEST(Complex, WhoHasTwoPartsMustSayWhich) {
  const language::SpecSet vague = specs_of({R"yaml(
op: vague
aten: aten.vague.default
doc: The elements, as real numbers.
params: {x: "T[S...]"}
dtypes: {T: [c64]}
result: f32 of shape(x)
value: {V1: "out[i...] = x[i...]"}
accuracy: {A1: {bound: exact}}
cases: {C1: {shapes: [[3]]}}
)yaml"});
  const Result<Golden> g = Oracle(vague).golden(
      program_of("%0 = input c64[1]\n%1 = aten.vague.default(%0)\nreturn %1\n"),
      {complex_of(DType::c64, {1}, {1, 2})}, {});
  ASSERT_FALSE(g);
  EXPECT_THAT(g.error().message, HasSubstr("re(...) or im(...)"));
}

}  // namespace
}  // namespace assay::reference
