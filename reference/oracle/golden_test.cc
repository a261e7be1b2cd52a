// Goldens of whole programs: rounding, composition, profiles, coherence,
// errors, refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/golden/admits.h"
#include "reference/golden/element_ranges.h"
#include "reference/numbers/element_order.h"
#include "reference/sets/round.h"
#include "reference/testing/test_specs.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::string& text, const std::vector<Tensor>& inputs,
                     const OracleOptions& options = {}) {
  Result<Golden> g =
      Oracle(test_specs()).golden(program_of(text), inputs, options);
  return g ? "a golden" : g.error().message;
}

// The one admissible element of each place.
std::vector<std::uint64_t> only(const GoldenOutput& out) {
  std::vector<std::uint64_t> bits;
  for (const ElementSet& e : out.elements) {
    EXPECT_TRUE(e.has_values && !e.nan && !e.unspecified);
    EXPECT_EQ(e.lo, e.hi);
    bits.push_back(e.lo);
  }
  return bits;
}

std::vector<double> only_numbers(const GoldenOutput& out) {
  std::vector<double> numbers;
  for (const std::uint64_t b : only(out)) {
    numbers.push_back(number_of_bits(out.type.dtype, b));
  }
  return numbers;
}

TEST(Golden, DivisionIsCorrectlyRoundedInEveryFormat) {
  for (const DType t : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    const std::string name(dtype_name(t));
    const Golden g = golden_of(
        "%0 = input " + name + "[3]\n%1 = input " + name +
            "[3]\n"
            "%2 = aten.div.default(%0, %1)\nreturn %2\n",
        {tensor_of(t, {3}, {1, 5, -7}), tensor_of(t, {3}, {3, 2, 9})});
    EXPECT_THAT(
        only(g.outputs[0]),
        ElementsAre(nearest_bits(t, quotient(exact<Mp>(1), exact<Mp>(3)).down),
                    encode_float(t, 2.5), encode_float(t, -7.0 / 9.0)));
    EXPECT_EQ(g.precision, t == DType::f64 ? 113 : 53);
  }
}

TEST(Golden, SpecialValuesFollowIeee) {
  const double inf = kInfinity;
  const Golden g = golden_of(
      "%0 = input f32[6]\n%1 = input f32[6]\n"
      "%2 = aten.mul.default(%0, %1)\n%3 = aten.add.default(%0, %1)\n"
      "%4 = aten.div.default(%0, %1)\n%5 = aten.maximum.default(%0, %1)\n"
      "return %2, %3, %4, %5\n",
      {tensor_of(DType::f32, {6}, {inf, -0.0, 1, 2, std::nan(""), inf}),
       tensor_of(DType::f32, {6}, {0.0, -0.0, -0.0, -2, 1, -inf})});
  const auto is_nan = [&](int output, int i) {
    const ElementSet& e = g.outputs[static_cast<std::size_t>(output)]
                              .elements[static_cast<std::size_t>(i)];
    return e.nan && !e.has_values;
  };
  const auto bits = [&](int output, int i) {
    const ElementSet& e = g.outputs[static_cast<std::size_t>(output)]
                              .elements[static_cast<std::size_t>(i)];
    EXPECT_TRUE(e.has_values && !e.nan && e.lo == e.hi) << output << i;
    return e.lo;
  };
  EXPECT_TRUE(is_nan(0, 0));           // inf * 0
  EXPECT_EQ(bits(0, 1), 0u);           // -0 * -0
  EXPECT_EQ(bits(1, 1), 0x80000000u);  // -0 + -0
  EXPECT_EQ(bits(1, 3), 0u);           // 2 + -2
  EXPECT_TRUE(is_nan(1, 5));           // inf + -inf
  EXPECT_EQ(bits(2, 2), 0xff800000u);  // 1 / -0
  EXPECT_TRUE(is_nan(2, 1));           // 0 / 0
  EXPECT_TRUE(is_nan(3, 4));           // max(NaN, 1)
  EXPECT_EQ(bits(3, 5), 0x7f800000u);
}

// A dimension of one element repeats, but not within inside().
TEST(Golden, NothingIsInsideBesideAnOnlyElement) {
  const Golden g = golden_of(
      "%0 = input f32[3]\n%1 = input f32[1]\n"
      "%2 = aten.next.default(%0)\n%3 = aten.next.default(%1)\n"
      "%4 = aten.mul.default(%0, %1)\nreturn %2, %3, %4\n",
      {tensor_of(DType::f32, {3}, {1, 2, 3}), tensor_of(DType::f32, {1}, {5})});
  EXPECT_THAT(only_numbers(g.outputs[0]), ElementsAre(2, 3, 7));
  EXPECT_THAT(only_numbers(g.outputs[1]), ElementsAre(7));
  EXPECT_THAT(only_numbers(g.outputs[2]), ElementsAre(5, 10, 15));
}

TEST(Golden, RoundTripThroughAnExplicitCastHasOneAnswer) {
  std::vector<double> x;
  for (int i = 0; i < 20; ++i) x.push_back(i / 7.0);
  const Tensor input = tensor_of(DType::f32, {20}, x);
  for (const Numerics numerics : {Numerics::fused, Numerics::strict}) {
    OracleOptions options;
    options.numerics = numerics;
    const Golden g = golden_of(
        "%0 = input f32[20]\n%1 = aten.cast.default(%0, dtype=f16)\n"
        "%2 = aten.cast.default(%1, dtype=f32)\nreturn %2\n",
        {input}, options);
    const std::vector<std::uint64_t> bits = only(g.outputs[0]);
    int changed = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const double rounded = decode_float(
          DType::f16,
          encode_float(DType::f16, input.number(static_cast<int>(i))));
      EXPECT_EQ(decode_float(DType::f32, bits[i]), rounded);
      if (!admits(g.outputs[0].elements[i], DType::f32,
                  input.bits(static_cast<int>(i)))) {
        ++changed;
      }
    }
    EXPECT_GT(changed, 10);
  }
}

TEST(Golden, ImplicitIntermediatesMayKeepPrecisionInTheFusedProfile) {
  // 1 + 2^-8 is a tie in bf16: rounded it is 1, kept it is itself.
  const std::string text =
      "%0 = input bf16[1]\n%1 = aten.add.default(%0, 0.00390625)\n"
      "%2 = aten.add.default(%1, -1.0)\nreturn %2\n";
  const std::vector<Tensor> inputs = {tensor_of(DType::bf16, {1}, {1})};
  const ElementSet fused = golden_of(text, inputs).outputs[0].elements[0];
  EXPECT_EQ(decode_float(DType::bf16, fused.lo), 0);
  EXPECT_EQ(decode_float(DType::bf16, fused.hi), 0x1p-8);
  OracleOptions strict;
  strict.numerics = Numerics::strict;
  EXPECT_THAT(only(golden_of(text, inputs, strict).outputs[0]),
              ElementsAre(0u));
}

// What ceil(log2 x) may be: by the definition of the bound, in MPFR.
std::pair<double, double> codes(double x) {
  const PrecisionScope precision(500);
  const Set<Mp> log = apply(Elementary::log2, Set<Mp>::of(x));
  const double near = below(log.lo.a);
  const Mp t = exact<Mp>(
      near == 0 ? 0
                : 1.5 * std::ldexp(1.0, std::max(std::ilogb(near), -126) - 23));
  return {below(ceil_of(sum(log.lo.a, negated(t)).down)),
          below(ceil_of(sum(log.lo.b, t).up))};
}

TEST(Golden, CeilOfLog2NextToPowersOfTwoHasTheAnswersTheBoundImplies) {
  std::vector<double> x;
  for (int k = -149; k <= 127; ++k) {
    for (int step : {-1, 0, 1}) {
      const std::uint64_t bits = encode_float(DType::f32, std::ldexp(1.0, k)) +
                                 static_cast<std::uint64_t>(step);
      if (bits != 0 && bits < 0x7f800000) {
        x.push_back(decode_float(DType::f32, bits));
      }
    }
  }
  const auto n = static_cast<std::int64_t>(x.size());
  const Golden g = golden_of("%0 = input f32[" + std::to_string(n) +
                                 "]\n%1 = aten.log2.default(%0)\n%2 = "
                                 "aten.ceil.default(%1)\nreturn %2\n",
                             {tensor_of(DType::f32, {n}, x)});
  int two_answers = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const ElementSet& e = g.outputs[0].elements[i];
    const auto [low, high] = codes(x[i]);
    EXPECT_EQ(decode_float(DType::f32, e.lo), low) << std::hexfloat << x[i];
    EXPECT_EQ(decode_float(DType::f32, e.hi), high) << std::hexfloat << x[i];
    for (const double between : {low + 0.5, low + 0x1p-15, high - 0x1p-15}) {
      EXPECT_FALSE(admits(e, DType::f32, encode_float(DType::f32, between)))
          << std::hexfloat << x[i];
    }
    if (low != high) ++two_answers;
  }
  EXPECT_GT(two_answers, 500);
  EXPECT_LT(two_answers, static_cast<int>(x.size()) - 3);
}

// 2^63 - 1 is no double, but must be known where a requirement reads it.
TEST(Golden, IndicesOf64BitsAreKnown) {
  const Result<Golden> g =
      Oracle(test_specs())
          .golden(
              program_of("%0 = input f32[3, 2]\n%1 = input i64[1]\n"
                         "%2 = aten.addi.default(%1, 4611686018427387903)\n"
                         "%3 = aten.embedding.default(%0, %2)\nreturn %3\n"),
              {tensor_of(DType::f32, {3, 2}, {1, 2, 3, 4, 5, 6}),
               tensor_of(DType::i64, {1}, {0x1p62})});
  ASSERT_TRUE(g.ok()) << g.error().message;
  ASSERT_TRUE(g->error);
  EXPECT_EQ(g->error->clause, "embedding/E1");
}

// Neither branch of a choice lies between the two, nor does what becomes of
// them: the sign of a NaN is either, that of noise is any of three.
TEST(Golden, WhatIsDiscreteHasNothingBetween) {
  const auto answers = [](const std::string& op, double x) {
    const Golden g = golden_of("%0 = input f32[1]\n" + op,
                               {tensor_of(DType::f32, {1}, {x})});
    std::vector<double> values;
    for (const ElementRange& r : ranges_of(g.outputs[0].elements[0])) {
      EXPECT_EQ(r.lo, r.hi);
      values.push_back(number_of_bits(g.outputs[0].type.dtype, r.lo));
    }
    return values;
  };
  const double nan = std::nan("");
  EXPECT_THAT(answers("%1 = aten.side.default(%0)\nreturn %1\n", nan),
              ElementsAre(-2, 3));
  EXPECT_THAT(answers("%1 = aten.side.default(%0)\n"
                      "%2 = aten.mul.default(%1, %1)\nreturn %2\n",
                      nan),
              ElementsAre(-6, 4, 9));
  EXPECT_THAT(answers("%1 = aten.loose.default(%0)\n"
                      "%2 = aten.sgn.default(%1)\nreturn %2\n",
                      7),
              ElementsAre(-1, 0, 1));
  EXPECT_THAT(answers("%1 = aten.loose.default(%0)\n"
                      "%2 = aten.gt.default(%1, 0)\nreturn %2\n",
                      107),
              ElementsAre(1));
}

TEST(Golden, ConsumersOfAReturnedValueAreJudgedFromIt) {
  const std::string text =
      "%0 = input f32[2]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.log2.default(%1)\n%3 = aten.eq.default(%1, 2.7182817)\n"
      "return %1, %2, %3\n";
  const std::vector<Tensor> inputs = {tensor_of(DType::f32, {2}, {1, 1})};
  const Golden open = golden_of(text, inputs);
  const ElementSet& e = open.outputs[0].elements[0];
  ASSERT_LT(e.lo, e.hi);
  // Both answers are right by themselves; the test of equality follows.
  OracleOptions options;
  Tensor seen = bits_of(DType::f32, {e.lo, e.hi});
  options.observed[1] = seen;
  const Golden g = golden_of(text, inputs, options);
  EXPECT_EQ(g.outputs[0].elements[0].lo, e.lo);
  EXPECT_EQ(g.outputs[0].elements[0].hi, e.hi);
  const Golden direct = golden_of(
      "%0 = input f32[2]\n%1 = aten.log2.default(%0)\n"
      "%2 = aten.eq.default(%0, 2.7182817)\nreturn %1, %2\n",
      {seen});
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(g.outputs[1].elements[i].lo, direct.outputs[0].elements[i].lo);
    EXPECT_EQ(g.outputs[1].elements[i].hi, direct.outputs[0].elements[i].hi);
    EXPECT_EQ(g.outputs[2].elements[i].lo, direct.outputs[1].elements[i].lo);
    EXPECT_EQ(g.outputs[2].elements[i].lo, g.outputs[2].elements[i].hi);
  }
  EXPECT_THAT(error_of(text, inputs,
                       [] {
                         OracleOptions wrong;
                         wrong.observed[1] = Tensor::zeros(DType::f16, {2});
                         return wrong;
                       }()),
              HasSubstr("observed"));
}

TEST(Golden, UndecidedIsRefusedAndNeverGuessed) {
  const std::string third =
      "%0 = input f64[1]\n%1 = aten.div.default(%0, 3)\nreturn %1\n";
  const std::vector<Tensor> one = {tensor_of(DType::f64, {1}, {1})};
  OracleOptions low;
  low.last_precision = 53;
  EXPECT_THAT(error_of(third, one, low), HasSubstr("undecided"));
  EXPECT_THAT(only_numbers(golden_of(third, one).outputs[0]),
              ElementsAre(1.0 / 3.0));
  // exp(log(3)) is 3, and no precision shows it.
  const std::string text =
      "%0 = input f32[1]\n%1 = aten.logexp.default(%0)\nreturn %1\n";
  EXPECT_THAT(error_of(text, {tensor_of(DType::f32, {1}, {3})}),
              HasSubstr("undecided at 4096 bits"));
  EXPECT_EQ(error_of(text, {tensor_of(DType::f32, {1}, {3.5})}), "a golden");
}

TEST(Golden, RationalResultsOnABoundaryAreDecided) {
  // 7 / 3 * 3 is 7, a double, though 7 / 3 is none.
  for (const DType t : {DType::f64, DType::f16}) {
    const std::string name(dtype_name(t));
    const Golden g = golden_of(
        "%0 = input " + name + "[3]\n%1 = aten.third.default(%0)\nreturn %1\n",
        {tensor_of(t, {3}, {7, -1.5, 0.0})});
    EXPECT_THAT(only_numbers(g.outputs[0]), ElementsAre(7, -1.5, 0.0));
  }
}

TEST(Golden, IntegersAreExactModuloTheirWidth) {
  const auto run = [](DType t, const std::string& op, std::int64_t a,
                      std::int64_t b) {
    const std::string name(dtype_name(t));
    Tensor x = Tensor::zeros(t, {1});
    Tensor y = Tensor::zeros(t, {1});
    x.set_integer(0, a);
    y.set_integer(0, b);
    const Golden g =
        golden_of("%0 = input " + name + "[1]\n%1 = input " + name +
                      "[1]\n%2 = aten." + op + ".default(%0, %1)\nreturn %2\n",
                  {x, y});
    return integer_of_bits(t, only(g.outputs[0])[0]);
  };
  EXPECT_EQ(run(DType::u8, "addi", 200, 100), 44);
  EXPECT_EQ(run(DType::i32, "muli", 1 << 30, 6),
            static_cast<std::int32_t>(std::int64_t{6} << 30));
  const std::int64_t big = 0x7123456789abcdefLL;
  EXPECT_EQ(run(DType::i64, "addi", big, big),
            static_cast<std::int64_t>(2 * static_cast<std::uint64_t>(big)));
  EXPECT_EQ(run(DType::i64, "muli", big, -3),
            static_cast<std::int64_t>(static_cast<std::uint64_t>(big) *
                                      static_cast<std::uint64_t>(-3)));
  EXPECT_EQ(run(DType::i64, "addi", (std::int64_t{1} << 53) + 1, 0),
            (std::int64_t{1} << 53) + 1);
  // A sum of products that leaves 128 bits.
  Tensor a = Tensor::zeros(DType::i64, {1, 1, 3});
  Tensor b = Tensor::zeros(DType::i64, {1, 3, 1});
  std::uint64_t expected = 0;
  for (int i = 0; i < 3; ++i) {
    a.set_integer(i, big - i);
    b.set_integer(i, big + 5 * i);
    expected += static_cast<std::uint64_t>(big - i) *
                static_cast<std::uint64_t>(big + 5 * i);
  }
  const Golden g = golden_of(
      "%0 = input i64[1, 1, 3]\n%1 = input i64[1, 3, 1]\n"
      "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
      {a, b});
  EXPECT_THAT(only(g.outputs[0]), ElementsAre(expected));
}

TEST(Golden, SpecialAndUndefinedClausesReplaceTheValue) {
  const Golden g =
      golden_of("%0 = input f32[4]\n%1 = aten.clamped.default(%0)\nreturn %1\n",
                {tensor_of(DType::f32, {4}, {1, 5, -5, 4})});
  const GoldenOutput& out = g.outputs[0];
  EXPECT_EQ(out.clauses, (std::vector<std::string>{"clamped/A1", "clamped/S1",
                                                   "clamped/U1"}));
  EXPECT_EQ(out.elements[0].clause, 0);
  EXPECT_EQ(out.elements[1].clause, 1);
  EXPECT_EQ(decode_float(DType::f32, out.elements[1].lo), 4);
  EXPECT_EQ(out.elements[2].clause, 2);
  EXPECT_TRUE(out.elements[2].unspecified);
  EXPECT_TRUE(admits(out.elements[2], DType::f32, 0x7fc00001));
  EXPECT_EQ(out.elements[3].clause, 0);
}

TEST(Golden, TheFirstBrokenRequirementIsTheError) {
  const auto error = [](const std::string& a, const std::string& b) {
    const Program p =
        program_of("%0 = input " + a + "\n%1 = input " + b +
                   "\n%2 = aten.bmm.default(%0, %1)\nreturn %2\n");
    std::vector<Tensor> inputs;
    for (const TensorType& t : p.inputs) {
      inputs.push_back(Tensor::zeros(t.dtype, t.sizes));
    }
    return golden_of(p, inputs).error;
  };
  EXPECT_FALSE(error("f16[2, 3, 4]", "f16[2, 4, 5]").has_value());
  EXPECT_EQ(error("f16[2, 3]", "f32[2, 4, 5]")->clause, "bmm/E1");
  EXPECT_EQ(error("f16[2, 3, 4]", "f32[2, 9, 5]")->clause, "bmm/E2");
  const auto mixed = error("f16[2, 3, 4]", "f32[2, 4, 5]");
  EXPECT_EQ(mixed->clause, "bmm/E3");
  EXPECT_THAT(mixed->raises, ElementsAre("RuntimeError", "TypeError"));
  EXPECT_EQ(mixed->message, "dtype");
  EXPECT_EQ(mixed->phase, "run");
}

TEST(Golden, RequirementsReadComputedIntegers) {
  // The index is an input's cast, doubled: its elements are known exactly.
  const std::string text =
      "%0 = input f32[3, 2]\n%1 = input i32[2]\n"
      "%2 = aten.cast.default(%1, dtype=i64)\n%3 = aten.addi.default(%2, %2)\n"
      "%4 = aten.embedding.default(%0, %3)\nreturn %4\n";
  const Tensor w = tensor_of(DType::f32, {3, 2}, {1, 2, 3, 4, 5, 6});
  const Golden good = golden_of(text, {w, tensor_of(DType::i32, {2}, {1, 0})});
  EXPECT_THAT(only_numbers(good.outputs[0]), ElementsAre(5, 6, 1, 2));
  const Golden bad =
      golden_of(program_of(text), {w, tensor_of(DType::i32, {2}, {0, 2})});
  ASSERT_TRUE(bad.error.has_value());
  EXPECT_EQ(bad.error->clause, "embedding/E1");
}

TEST(Golden, RequirementsReadComputedFloats) {
  // Exact: negated twice, or rounded by an explicit cast.
  const std::string text =
      "%0 = input f32[2]\n%1 = aten.neg.default(%0)\n"
      "%2 = aten.neg.default(%1)\n%3 = aten.cast.default(%2, dtype=f16)\n"
      "%4 = aten.chance.default(%3)\nreturn %4\n";
  const auto golden = [&](double x) {
    return golden_of(program_of(text), {tensor_of(DType::f32, {2}, {0.5, x})});
  };
  EXPECT_FALSE(golden(1).error.has_value());
  EXPECT_FALSE(golden(1.0001).error.has_value()) << "rounds to 1";
  for (const double x : {-0.25, 1.001, std::nan("")}) {
    ASSERT_TRUE(golden(x).error.has_value()) << x;
    EXPECT_EQ(golden(x).error->clause, "chance/E1");
  }
  EXPECT_TRUE(golden(-0.0).outputs.size() == 1) << "-0 is not below 0";
}

TEST(Golden, LayoutOperationsMoveBits) {
  const Tensor x = tensor_of(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Golden g = golden_of(
      "%0 = input f32[2, 3]\n%1 = aten.reshape.default(%0, [3, -1])\n"
      "%2 = aten.unflat.default(%0)\n%3 = aten.cat.default([%0, %1], 0)\n"
      "return %1, %2, %0\n",
      {x});
  EXPECT_THAT(only_numbers(g.outputs[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(g.outputs[0].type.sizes, (Shape{3, 2}));
  EXPECT_THAT(only_numbers(g.outputs[1]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(only_numbers(g.outputs[2]), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Golden, ConcatenationPromotesEachPart) {
  const Golden g = golden_of(
      "%0 = input f16[1, 2]\n%1 = input f16[2, 2]\n%2 = input bf16[1, 2]\n"
      "%3 = aten.cat.default([%0, %1, %2], 0)\n"
      "%4 = aten.cat.default([%0, %0], -1)\nreturn %3, %4\n",
      {tensor_of(DType::f16, {1, 2}, {1, 2}),
       tensor_of(DType::f16, {2, 2}, {3, 4, 5, 6}),
       tensor_of(DType::bf16, {1, 2}, {7, 1e30})});
  EXPECT_EQ(g.outputs[0].type.dtype, DType::f32);
  EXPECT_THAT(
      only_numbers(g.outputs[0]),
      ElementsAre(1, 2, 3, 4, 5, 6, 7,
                  decode_float(DType::bf16, encode_float(DType::bf16, 1e30))));
  EXPECT_THAT(only_numbers(g.outputs[1]), ElementsAre(1, 2, 1, 2));
}

TEST(Golden, BroadcastingRepeatsDimensionsOfSizeOne) {
  const Golden g = golden_of(
      "%0 = input f32[2, 1]\n%1 = input f32[3]\n"
      "%2 = aten.add.default(%0, %1)\n%3 = aten.mul.default(2, %1)\n"
      "return %2, %3\n",
      {tensor_of(DType::f32, {2, 1}, {10, 20}),
       tensor_of(DType::f32, {3}, {1, 2, 3})});
  EXPECT_THAT(only_numbers(g.outputs[0]), ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_THAT(only_numbers(g.outputs[1]), ElementsAre(2, 4, 6));
}

TEST(Golden, SoftmaxOfEqualNumbersAndOfInfinities) {
  const double inf = kInfinity;
  const Golden g = golden_of(
      "%0 = input f32[3, 4]\n%1 = aten.softmax.default(%0)\nreturn %1\n",
      {tensor_of(DType::f32, {3, 4},
                 {2, 2, 2, 2, -inf, 0, -inf, -inf, inf, 0, 0, 0})});
  const auto& e = g.outputs[0].elements;
  EXPECT_TRUE(admits(e[0], DType::f32, encode_float(DType::f32, 0.25)));
  EXPECT_EQ(g.outputs[0].exact[0], 0.25);
  EXPECT_TRUE(admits(e[4], DType::f32, 0));
  EXPECT_TRUE(admits(e[5], DType::f32, encode_float(DType::f32, 1)));
  // inf - inf is NaN, and the sum is NaN for all of the row.
  for (const std::size_t i : {8u, 9u, 10u, 11u}) {
    EXPECT_TRUE(e[i].nan && !e[i].has_values) << i;
  }
}

TEST(Golden, EmptyTensorsHaveEmptyGoldens) {
  const Golden g = golden_of(
      "%0 = input f32[0, 3]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.sum.default(%0, [0])\nreturn %1, %2\n",
      {Tensor::zeros(DType::f32, {0, 3})});
  EXPECT_TRUE(g.outputs[0].elements.empty());
  EXPECT_THAT(only_numbers(g.outputs[1]), ElementsAre(0, 0, 0));
  EXPECT_EQ(share_single_valued(g.outputs[0]), 1);
}

TEST(Golden, FirstPrecisionMakesNoDifferenceToDecidedElements) {
  RandomNumbers random(31);
  std::vector<double> x;
  for (int i = 0; i < 200; ++i) x.push_back(random.uniform(-4, 4));
  const std::vector<Tensor> inputs = {tensor_of(DType::f32, {10, 20}, x)};
  const std::string text =
      "%0 = input f32[10, 20]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.cast.default(%1, dtype=bf16)\n%3 = aten.softmax.default(%0)\n"
      "%4 = aten.mul.default(%3, %1)\n%5 = aten.gt.default(%4, 0.05)\n"
      "return %1, %2, %3, %4, %5\n";
  const Golden fast = golden_of(text, inputs);
  EXPECT_EQ(fast.precision, 53);
  OracleOptions options;
  options.first_precision = 256;
  const Golden slow = golden_of(text, inputs, options);
  EXPECT_EQ(slow.precision, 256);
  for (std::size_t o = 0; o < fast.outputs.size(); ++o) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const ElementSet& a = fast.outputs[o].elements[i];
      const ElementSet& b = slow.outputs[o].elements[i];
      EXPECT_EQ(a.lo, b.lo) << o << " " << i;
      EXPECT_EQ(a.hi, b.hi) << o << " " << i;
      EXPECT_NEAR(fast.outputs[o].exact[i], slow.outputs[o].exact[i], 1e-9);
    }
  }
}

TEST(Golden, BadQuestionsGetClearErrors) {
  const std::vector<Tensor> x = {tensor_of(DType::f32, {1}, {1})};
  EXPECT_THAT(error_of("%0 = input f32[1]\n%1 = aten.nothing.default(%0)\n"
                       "return %1\n",
                       x),
              HasSubstr("no spec describes"));
  EXPECT_THAT(error_of("%0 = input f32[2]\n%1 = aten.exp.default(%0)\n"
                       "return %1\n",
                       x),
              HasSubstr("input 0"));
  EXPECT_THAT(error_of("%0 = input f32[1]\nreturn %0\n", {}),
              HasSubstr("takes 1 inputs"));
  EXPECT_THAT(error_of("%0 = input f32[1]\n%1 = aten.exp.default(%0, 3)\n"
                       "return %1\n",
                       x),
              HasSubstr("aten.exp.default"));
}

#if defined(__SSE2__)
TEST(Golden, ADirtyFloatingPointEnvironmentIsRefused) {
  const unsigned before = _mm_getcsr();
  const std::string text =
      "%0 = input f32[1]\n%1 = aten.exp.default(%0)\nreturn %1\n";
  const Tensor x = tensor_of(DType::f32, {1}, {1});
  for (const unsigned mode : {0x8000u, 0x0040u, 0x6000u}) {
    _mm_setcsr(before | mode);
    const std::string message = error_of(text, {x});
    _mm_setcsr(before);
    EXPECT_THAT(message, HasSubstr("environment"));
  }
  EXPECT_EQ(error_of(text, {x}), "a golden");
}
#endif

TEST(ErrorOverBound, MeasuresAgainstTheFartherEnd) {
  const Golden g = golden_of(
      "%0 = input f32[3]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.neg.default(%0)\nreturn %1, %2\n",
      {tensor_of(DType::f32, {3}, {1, 100, std::nan("")})});
  const GoldenOutput& e = g.outputs[0];
  const std::uint64_t right = encode_float(DType::f32, std::exp(1.0));
  EXPECT_GT(error_over_bound(e, 0, right), 0);
  EXPECT_LT(error_over_bound(e, 0, right), 1);
  EXPECT_LE(error_over_bound(e, 0, e.elements[0].lo), 1);
  EXPECT_GT(error_over_bound(e, 0, e.elements[0].lo - 1), 1);
  EXPECT_LE(error_over_bound(e, 1, 0x7f800000), 1);
  EXPECT_EQ(error_over_bound(e, 1, 0xff800000), kInfinity);
  EXPECT_EQ(error_over_bound(e, 2, 0x7fc00000), 0);
  EXPECT_EQ(error_over_bound(e, 2, 0), kInfinity);
  EXPECT_EQ(error_over_bound(g.outputs[1], 0, encode_float(DType::f32, -1.0)),
            0);
}

TEST(ShareSingleValued, IsNoneOfALooseBound) {
  std::vector<double> x;
  for (int i = 0; i < 40; ++i) x.push_back(i - 19.5);
  EXPECT_EQ(share_single_valued(
                golden_of("%0 = input f32[40]\n%1 = aten.loose.default(%0)\n"
                          "return %1\n",
                          {tensor_of(DType::f32, {40}, x)})
                    .outputs[0]),
            0);
}

TEST(Explain, NamesClauseBoundEnclosureAndSet) {
  const Program p = program_of(
      "%0 = input f32[2]\n%1 = aten.exp.default(%0)\n%2 = "
      "aten.log2.default(%1)\n"
      "return %2\n");
  const std::vector<Tensor> inputs = {tensor_of(DType::f32, {2}, {1, 3})};
  const Oracle oracle(test_specs());
  const Result<std::string> text = oracle.explain(p, inputs, {}, 0, 1);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("exp/A1"));
  EXPECT_THAT(*text, HasSubstr("ulp: 1.5 = 1.5"));
  EXPECT_THAT(*text, HasSubstr("0x40400000"));  // the input, 3
  EXPECT_THAT(*text, HasSubstr("neighbours"));
  // exp(3) to 40 digits, and its place between 20.0855369 and 20.0855370.
  EXPECT_THAT(*text, HasSubstr("20.08553692318766774092852965458171789699"));
  EXPECT_THAT(*text, HasSubstr("between 0x41a0af2d"));
  EXPECT_THAT(*text, HasSubstr("of the way"));
  EXPECT_THAT(*text, testing::Not(HasSubstr("0x3f800000")));  // not in its cone
  EXPECT_FALSE(oracle.explain(p, inputs, {}, 0, 2).ok());
  EXPECT_FALSE(oracle.explain(p, inputs, {}, 1, 0).ok());
}

}  // namespace
}  // namespace assay::reference
