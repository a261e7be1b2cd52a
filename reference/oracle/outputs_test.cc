// Operations of several outputs: a plan for each, and those that must belong
// together judged from what came back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/golden/admits.h"
#include "reference/golden/element_ranges.h"
#include "reference/numbers/element_order.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The greatest element and any index at which it stands.
const language::SpecSet& output_specs() {
  static const language::SpecSet set = specs_of({R"yaml(
op: peak
aten: aten.peak.default
doc: Greatest element and where it stands.
params: {x: {tensor: T, shape: [N]}}
dtypes: {T: [f32, f16]}
requires: {E1: {that: "rank(x) == 1", raises: IndexError}}
outputs:
  value:
    result: {dtype: T, shape: "[]"}
    value: {V1: "out[] = max(k < N: x[k])"}
    accuracy: {A1: {bound: exact, zero_sign: any}}
  place:
    result: {dtype: i64, shape: "[]"}
    value: {V2: "out[] = which(k < N: x[k] == value[])"}
    accuracy: {A2: {bound: exact}}
cases: {C1: {shapes: [{N: 3}]}}
)yaml",
                                                 R"yaml(
op: triple
aten: aten.triple.default
doc: Three times x, within a sixteenth.
params: {x: {tensor: T, shape: [S...]}}
dtypes: {T: [f32]}
result: {dtype: T, shape: shape(x)}
value: {V1: "out[i...] = 3 * x[i...]"}
accuracy: {A1: {abs: 0.0625}}
cases: {C1: {shapes: [{S: [3]}]}}
)yaml"});
  return set;
}

constexpr const char* kPeak =
    "%0 = input f32[5]\n%1 = aten.peak.default(%0)\n"
    "%2 = getitem(%1, 1)\nreturn %1, %2\n";

TEST(Outputs, EachHasItsOwnSetsAndClauses) {
  const Golden g = golden_of(output_specs(), kPeak,
                             {tensor_of(DType::f32, {5}, {1, 7, -2, 7, 7})});
  ASSERT_EQ(g.outputs.size(), 2u);
  EXPECT_EQ(g.outputs[0].type.dtype, DType::f32);
  EXPECT_THAT(g.outputs[0].clauses, ElementsAre("peak/A1"));
  EXPECT_EQ(g.outputs[1].type.dtype, DType::i64);
  EXPECT_THAT(g.outputs[1].clauses, ElementsAre("peak/A2"));
}

TEST(Outputs, AnOpenIndexIsOneOfItsMembers) {
  const Golden g = golden_of(output_specs(), kPeak,
                             {tensor_of(DType::f32, {5}, {1, 7, -2, 7, 7})});
  const ElementSet& place = g.outputs[1].elements[0];
  EXPECT_THAT(ranges_of(place),
              ElementsAre(ElementRange{1, 1}, ElementRange{3, 4}));
  for (std::uint64_t k = 0; k < 6; ++k) {
    EXPECT_EQ(admits(place, DType::i64, k), k == 1 || k == 3 || k == 4) << k;
  }
  const Golden run = golden_of(output_specs(), kPeak,
                               {tensor_of(DType::f32, {5}, {7, 7, -2, 1, 1})});
  EXPECT_THAT(ranges_of(run.outputs[1].elements[0]),
              ElementsAre(ElementRange{0, 1}));
}

std::uint64_t float_of(DType t, std::uint64_t kind) {
  const std::uint64_t kinds[] = {0, sign_bit_mask(t), 1, largest_bits(t),
                                 quiet_nan_bits(t)};
  return kinds[kind];
}

// Whatever the type of the elements and of the index, with NaN and zeros of
// both signs among the elements.
TEST(Outputs, AnOpenIndexIsAMemberInEveryType) {
  constexpr std::int64_t kCount = 48;
  for (const DType index : {DType::u8, DType::i32, DType::i64}) {
    const language::SpecSet set =
        specs_of({"op: seat\naten: aten.seat.default\ndoc: a test\n"
                  "params: {x: {tensor: T, shape: [N]}}\n"
                  "dtypes: {T: [f64, f32, f16, bf16, f8e4m3fn, f8e5m2, u8, i8, "
                  "i32, i64, bool]}\n"
                  "result: {dtype: " +
                  std::string(dtype_name(index)) +
                  ", shape: \"[]\"}\n"
                  "value: {V1: \"out[] = which(k < N: x[k] == x[3] or "
                  "(isnan(x[k]) and isnan(x[3])))\"}\n"
                  "accuracy: {A1: {bound: exact}}\n"
                  "cases: {C1: {shapes: [{N: 4}]}}\n"});
    for (const DType t : {DType::f64, DType::f32, DType::f16, DType::bf16,
                          DType::f8e4m3fn, DType::f8e5m2, DType::u8, DType::i8,
                          DType::i32, DType::i64, DType::boolean}) {
      const std::uint64_t kinds = t == DType::boolean ? 2 : 5;
      for (std::uint64_t wanted = 0; wanted < kinds; ++wanted) {
        Tensor x = Tensor::zeros(t, {kCount});
        for (std::int64_t k = 0; k < kCount; ++k) {
          const auto n = static_cast<std::uint64_t>(k);
          const std::uint64_t kind =
              k == 3 ? wanted : (n * n + n / 7 + wanted) % kinds;
          x.set_bits(k, is_float(t) ? float_of(t, kind) : kind);
        }
        const Program p =
            program_of("%0 = input " + std::string(dtype_name(t)) +
                       "[48]\n%1 = aten.seat.default(%0)\nreturn %1\n");
        const Result<Golden> g = Oracle(set).golden(p, {x});
        ASSERT_TRUE(g.ok()) << dtype_name(t) << ": " << g.error().message;
        const ElementSet& e = g->outputs[0].elements[0];
        const double due = number_of_bits(t, x.bits(3));
        std::size_t members = 0;
        for (std::int64_t k = 0; k < kCount + 8; ++k) {
          const double here = k < kCount ? number_of_bits(t, x.bits(k)) : 0;
          const bool member =
              k < kCount && (here == due || (here != here && due != due));
          members += member ? 1 : 0;
          EXPECT_EQ(admits(e, index, static_cast<std::uint64_t>(k)), member)
              << dtype_name(t) << " " << dtype_name(index) << " " << wanted
              << " " << k;
        }
        EXPECT_GT(members, 1u) << dtype_name(t) << " " << wanted;
        EXPECT_LT(members, static_cast<std::size_t>(kCount));
      }
    }
  }
}

// 3x is known within a sixteenth, so either of two elements may be the peak,
// but not the one that does not fit the peak that came back.
TEST(Outputs, AreJudgedFromTheFirstAsItCameBack) {
  const std::string text =
      "%0 = input f32[3]\n%1 = aten.triple.default(%0)\n"
      "%2 = aten.peak.default(%1)\n%3 = getitem(%2, 1)\nreturn %2, %3\n";
  const Tensor x = tensor_of(DType::f32, {3}, {1, 1.03125, 0});
  const ElementSet open =
      golden_of(output_specs(), text, {x}).outputs[1].elements[0];
  EXPECT_TRUE(admits(open, DType::i64, 0));
  EXPECT_TRUE(admits(open, DType::i64, 1));
  EXPECT_FALSE(admits(open, DType::i64, 2));
  OracleOptions options;
  options.observed.emplace(2, tensor_of(DType::f32, {}, {3.125}));
  const ElementSet high =
      golden_of(output_specs(), text, {x}, options).outputs[1].elements[0];
  EXPECT_FALSE(admits(high, DType::i64, 0));
  EXPECT_TRUE(admits(high, DType::i64, 1));
  // Nothing fits a value that no element has.
  options.observed.at(2) = tensor_of(DType::f32, {}, {9});
  const ElementSet none =
      golden_of(output_specs(), text, {x}, options).outputs[1].elements[0];
  for (std::uint64_t k = 0; k < 3; ++k) {
    EXPECT_FALSE(admits(none, DType::i64, k)) << k;
  }
}

TEST(Outputs, OneCallIsRefusedOnce) {
  const Golden g =
      golden_of(output_specs(),
                "%0 = input f32[2, 2]\n%1 = aten.peak.default(%0)\n"
                "%2 = getitem(%1, 1)\nreturn %1, %2\n",
                {tensor_of(DType::f32, {2, 2}, {1, 2, 3, 4})});
  ASSERT_TRUE(g.error.has_value());
  EXPECT_EQ(g.error->clause, "peak/E1");
}

TEST(Outputs, AProgramNamesAllOrTheOracleDeclines) {
  const Tensor x = tensor_of(DType::f32, {2}, {1, 2});
  const auto fault = [&](const std::string& text) {
    const Result<Golden> g =
        Oracle(output_specs())
            .golden(program_of("%0 = input f32[2]\n" + text), {x});
    return g ? "a golden" : g.error().message;
  };
  EXPECT_THAT(fault("%1 = aten.peak.default(%0)\nreturn %1\n"),
              HasSubstr("2 outputs, which the program does not name"));
  EXPECT_THAT(fault("%1 = aten.peak.default(%0)\n%2 = getitem(%1, 2)\n"
                    "return %2\n"),
              HasSubstr("peak has no output 2"));
  EXPECT_THAT(fault("%1 = aten.triple.default(%0)\n%2 = getitem(%1, 1)\n"
                    "return %2\n"),
              HasSubstr("1 outputs"));
}

}  // namespace
}  // namespace assay::reference
