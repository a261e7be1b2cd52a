#include "harness/judge/flush.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/float_bits.h"
#include "harness/testing/fakes.h"
#include "reference/golden/admits.h"

namespace assay::harness {
namespace {

constexpr double kTiny = 0x1p-140;      // subnormal in f32
constexpr double kSmallest = 0x1p-126;  // the smallest normal number

// A set, a value, and whether it is admitted before and after.
struct Value {
  double lo, hi;
  double value;
  bool kept, flushed;
};

const Value kValues[] = {
    {kTiny, kTiny, kTiny, true, false},
    {kTiny, kTiny, 0.0, false, true},
    {kTiny, kTiny, -0.0, false, false},  // of the same sign
    {-kTiny, -kTiny, -0.0, false, true},
    {-kTiny, -kTiny, 0.0, false, false},
    {kTiny, kSmallest, kSmallest, true, true},  // may round up
    {kTiny, kSmallest, 0.0, false, true},
    {kTiny, kSmallest, 2 * kTiny, true, false},
    {-kTiny, kTiny, -0.0, true, true},
    {-kTiny, kTiny, 0.0, true, true},
    {-kTiny, kTiny, kTiny, true, false},
    {kSmallest, kSmallest, 0.0, false, false},  // no subnormal number
    {kSmallest, kSmallest, kSmallest, true, true},
    {0.0, 0.0, 0.0, true, true},
    {0.0, 0.0, -0.0, false, false},
    {1, 2, 1.5, true, true},
    {-1, 1, -0.5, true, true},
    {-1, 1, kTiny, true, false},
};

TEST(Flush, LeavesTheZeroOfTheSameSign) {
  for (const Value& v : kValues) {
    SCOPED_TRACE(::testing::Message()
                 << v.lo << " to " << v.hi << ": " << v.value);
    const auto golden =
        fakes::golden_of({fakes::range(DType::f32, v.lo, v.hi)});
    const std::uint64_t bits = encode_float(DType::f32, v.value);
    const auto admits = [&](const reference::Golden& g) {
      return reference::admits(g.outputs[0].elements[0], DType::f32, bits);
    };
    EXPECT_EQ(admits(golden), v.kept);
    const reference::Golden after = flushed(golden);
    EXPECT_EQ(admits(after), v.flushed);
    if (v.flushed) {
      EXPECT_LE(reference::error_over_bound(after.outputs[0], 0, bits), 1);
    }
  }
}

// Every subnormal number of a format is one, and no other is.
TEST(Flush, KnowsTheFormats) {
  for (const DType t : {DType::f16, DType::bf16, DType::f8e5m2}) {
    for (std::uint64_t bits = 0; bits < (1u << (8 * size_bytes(t))); ++bits) {
      if (is_nan_bits(t, bits)) continue;
      reference::Golden g = fakes::golden_of({{}});
      g.outputs[0].type.dtype = t;
      g.outputs[0].elements[0].lo = g.outputs[0].elements[0].hi = bits;
      const reference::ElementSet set = flushed(g).outputs[0].elements[0];
      const std::uint64_t want =
          is_subnormal_bits(t, bits) ? bits & sign_bit_mask(t) : bits;
      ASSERT_EQ(set.lo, want) << dtype_name(t) << " " << bits;
      ASSERT_EQ(set.hi, want) << dtype_name(t) << " " << bits;
    }
  }
}

TEST(Flush, LeavesIntegersAndNaNAlone) {
  reference::Golden g = fakes::golden_of({fakes::only_nan()});
  EXPECT_FALSE(flushed(g).outputs[0].elements[0].has_values);
  g = fakes::golden_of({{}});
  g.outputs[0].type.dtype = DType::i32;
  g.outputs[0].elements[0].lo = g.outputs[0].elements[0].hi = 1;
  EXPECT_EQ(flushed(g).outputs[0].elements[0].lo, 1u);
}

TEST(Flush, ReadsSubnormalOperandsAsZero) {
  EXPECT_FALSE(without_subnormals({fakes::f32({1, 0, kSmallest})}));
  const std::vector<Tensor> inputs = {fakes::f32({1, kTiny, -kTiny})};
  const auto zeroed = without_subnormals(inputs);
  ASSERT_TRUE(zeroed);
  EXPECT_EQ(inputs[0].number(1), kTiny);  // as it was
  EXPECT_EQ((*zeroed)[0].number(0), 1);
  EXPECT_EQ((*zeroed)[0].bits(1), encode_float(DType::f32, 0.0));
  EXPECT_EQ((*zeroed)[0].bits(2), encode_float(DType::f32, -0.0));
}

// What a subject may return for the negatives of these numbers.
class Judged : public ::testing::Test {
 protected:
  Judged() {
    case_.make_inputs = [] {
      return std::vector<Tensor>{fakes::f32({0, kTiny, -kTiny, 3})};
    };
  }
  FlushJudgement judge(const std::vector<double>& outputs, Flush flush) {
    const Adjudicator adjudicator(oracle_, reference::Numerics::fused, &specs_);
    const auto prepared = adjudicator.prepare(case_);
    Observation o;
    o.outputs = {fakes::f32(outputs)};
    return judge_flush(*prepared, o, flush, adjudicator, specs_);
  }

  // In a run, of a column that declares this.
  CaseResult result(const std::vector<double>& outputs, Flush declared) {
    const Adjudicator adjudicator(oracle_, reference::Numerics::fused, &specs_);
    Observation o;
    o.outputs = {fakes::f32(outputs)};
    o.flush = declared;
    return adjudicator.result(*adjudicator.prepare(case_), o);
  }

  fakes::FakeOracle oracle_;
  cases::Case case_ = fakes::negation_case(0);
  language::SpecSet specs_;
};

TEST_F(Judged, AllOrNoneIsFlushed) {
  const Flush declared{true, false};
  const FlushJudgement kept = judge({-0.0, -kTiny, kTiny, -3}, declared);
  EXPECT_EQ(kept.result.status, CellStatus::pass);
  EXPECT_EQ(kept.seen, Flushing::kept);
  const FlushJudgement flushed = judge({-0.0, -0.0, 0.0, -3}, declared);
  EXPECT_EQ(flushed.result.status, CellStatus::pass) << flushed.result.reason;
  EXPECT_EQ(flushed.seen, Flushing::flushed);
  const FlushJudgement some = judge({-0.0, -kTiny, 0.0, -3}, declared);
  EXPECT_EQ(some.result.status, CellStatus::fail);
  const FlushJudgement sign = judge({-0.0, 0.0, -0.0, -3}, declared);
  EXPECT_EQ(sign.result.status, CellStatus::fail);
  const FlushJudgement wrong = judge({-0.0, -0.0, 0.0, 3}, declared);
  EXPECT_EQ(wrong.result.status, CellStatus::fail);
}

TEST_F(Judged, NothingIsExcusedThatWasNotDeclared) {
  EXPECT_EQ(judge({-0.0, -0.0, 0.0, -3}, {}).result.status, CellStatus::fail);
}

// Negated, a zeroed operand is the zero of the other sign.
TEST_F(Judged, OperandsAreReadAsZeroWhereDeclared) {
  const Flush declared{false, true};
  const FlushJudgement zeroed = judge({-0.0, -0.0, 0.0, -3}, declared);
  EXPECT_EQ(zeroed.result.status, CellStatus::pass) << zeroed.result.reason;
  EXPECT_EQ(zeroed.seen, Flushing::flushed);
  EXPECT_EQ(judge({-0.0, 0.0, -0.0, -3}, declared).result.status,
            CellStatus::fail);
}

TEST_F(Judged, ARunSaysWhatPassesByDeclarationAlone) {
  const std::vector<double> flushed = {-0.0, -0.0, 0.0, -3};
  EXPECT_EQ(result(flushed, {}).status, CellStatus::fail);
  const CaseResult by = result(flushed, {true, true});
  EXPECT_EQ(by.status, CellStatus::pass);
  EXPECT_NE(by.reason.find("as its column declares"), std::string::npos);
  const CaseResult kept = result({-0.0, -kTiny, kTiny, -3}, {true, true});
  EXPECT_EQ(kept.status, CellStatus::pass);
  EXPECT_EQ(kept.reason, "");
  const CaseResult some = result({-0.0, -kTiny, 0.0, -3}, {true, true});
  EXPECT_EQ(some.status, CellStatus::fail);
  EXPECT_EQ(some.failure, FailureClass::wrong_value);
}

TEST(Declarations, AreReadFromAColumnsFacts) {
  EXPECT_FALSE(declared_flush({}).any());
  const Flush one = declared_flush({{"declares", "subnormals_are_zero"}});
  EXPECT_TRUE(one.operands);
  EXPECT_FALSE(one.results);
  EXPECT_TRUE(
      declared_flush({{"declares", "flush_subnormals, subnormals_are_zero"}})
          .results);
  EXPECT_TRUE(promises_errors({}));
  EXPECT_FALSE(promises_errors({{"promises", "values"}}));
}

}  // namespace
}  // namespace assay::harness
