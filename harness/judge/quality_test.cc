// Sums made in several ways: right ones, plain ones in order, and ones that
// truncate, which every bound on single results admits.
#include "harness/judge/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/program_text.h"
#include "harness/judge/adjudicate.h"
#include "harness/run/session.h"
#include "suite/cases/testing/case_testing.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;

enum class Way { nearest_to_exact, in_order, truncating };

// Toward zero; the sum of two floats is exact in a double, or as good as.
float truncated_sum(float a, float b) {
  const double exact = static_cast<double>(a) + static_cast<double>(b);
  const auto r = static_cast<float>(exact);
  const bool outward = std::fabs(static_cast<double>(r)) > std::fabs(exact);
  return outward ? std::nextafter(r, 0.0f) : r;
}

// The sums of the rows of x, or of all of it.
Tensor sums(const Tensor& x, const reference::GoldenOutput& golden, Way way) {
  Tensor out = Tensor::zeros(DType::f32, golden.type.sizes);
  const std::int64_t terms = x.numel() / out.numel();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    float sum = 0;
    for (std::int64_t k = 0; k < terms; ++k) {
      const auto term = static_cast<float>(x.number(i * terms + k));
      sum = way == Way::truncating ? truncated_sum(sum, term) : sum + term;
    }
    out.set_number(i, way == Way::nearest_to_exact
                          ? golden.exact[static_cast<std::size_t>(i)]
                          : static_cast<double>(sum));
  }
  return out;
}

CaseResult judged(const std::string& path, Way way,
                  std::string* statistics = nullptr) {
  const language::SpecSet& specs = cases::specs_of("specs");
  const auto oracle = live_oracle(specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused, &specs);
  const cases::Case* c = cases::find_case("specs", path);
  EXPECT_NE(c, nullptr) << path;
  const auto prepared = adjudicator.prepare(*c);
  EXPECT_EQ(prepared->fault, "");
  Observation o;
  o.outputs = {sums(prepared->inputs[0], prepared->golden.outputs[0], way)};
  if (statistics != nullptr) {
    reference::Golden treeless = prepared->golden;
    treeless.outputs[0].tree.clear();
    const auto fault = quality_fault(treeless, o.outputs, c->unbiased);
    *statistics = fault ? fault->reason : "";
  }
  return adjudicator.result(*prepared, o);
}

TEST(Quality, OfRightAndOfPlainSumsIsFine) {
  for (const char* rows :
       {"sum_dim/C8/f32/128x512/dim=1", "sum_dim/C9/f32/128x512/dim=1"}) {
    EXPECT_EQ(judged(rows, Way::nearest_to_exact).status, CellStatus::pass);
    EXPECT_EQ(judged(rows, Way::in_order).status, CellStatus::pass) << rows;
  }
  const std::string stagnating = "sum/C6/f32/16384";
  EXPECT_EQ(judged(stagnating, Way::nearest_to_exact).status, CellStatus::pass);
}

TEST(Quality, OfAnAccumulatorThatTruncatesIsBad) {
  std::string statistics;
  const CaseResult r =
      judged("sum_dim/C9/f32/128x512/dim=1", Way::truncating, &statistics);
  EXPECT_EQ(r.status, CellStatus::quality_warning);
  EXPECT_EQ(r.clause, "sum_dim/A1");
  EXPECT_THAT(r.reason, HasSubstr("declared tree"));
  EXPECT_THAT(statistics, HasSubstr("variance of the 128 errors"));
}

TEST(Quality, OfASumInOrderThatStagnatesIsBad) {
  const CaseResult r = judged("sum/C6/f32/16384", Way::in_order);
  EXPECT_EQ(r.status, CellStatus::quality_warning);
  EXPECT_THAT(r.reason, HasSubstr("declared tree"));
}

// Terms that may be several numbers: whichever they are, their right sum is as
// good as any.
TEST(Quality, OfSumsAllowsForInexactTerms) {
  const language::SpecSet& specs = cases::specs_of("specs");
  const auto parsed = parse_program(
      "assay-program 1\n%0 = input f32[129]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.sum.default(%1)\nreturn %1, %2\n");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  Tensor x = Tensor::zeros(DType::f32, {129});
  for (std::int64_t i = 0; i < 129; ++i) {
    x.set_number(i, 0.01 * static_cast<double>(i));
  }
  const Result<reference::Golden> golden =
      live_oracle(specs)->golden(*parsed, {x}, {});
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  Tensor terms = Tensor::zeros(DType::f32, {129});
  double sum = 0;
  for (std::int64_t i = 0; i < 129; ++i) {
    const auto k = static_cast<std::size_t>(i);
    terms.set_bits(i, golden->outputs[0].elements[k].hi);
    sum += terms.number(i);
  }
  Tensor total = Tensor::zeros(DType::f32, {});
  total.set_number(0, sum);
  const auto fault = quality_fault(*golden, {terms, total}, true);
  EXPECT_FALSE(fault.has_value()) << fault->reason;
  // A sum of operands that are given has a scale, one of these has none.
  EXPECT_TRUE(golden->outputs[1].spread.empty() ||
              golden->outputs[1].spread[0] == 0);
}

reference::GoldenOutput with_spread(std::size_t n) {
  reference::GoldenOutput g;
  g.type = TensorType::contiguous(DType::f32, {static_cast<std::int64_t>(n)});
  g.elements.resize(n);
  g.exact.assign(n, 1.0);
  g.bound.assign(n, 1.0);
  g.tree.assign(n, 0.0);
  g.spread.assign(n, 0x1p-20);
  g.clauses = {"op/A1"};
  return g;
}

// Errors of `size` units, of alternating signs or of one.
std::string reason_of(std::size_t n, double size, bool alternating,
                      bool unbiased) {
  reference::Golden golden;
  golden.outputs = {with_spread(n)};
  Tensor got = Tensor::zeros(DType::f32, golden.outputs[0].type.sizes);
  for (std::size_t i = 0; i < n; ++i) {
    const double sign = alternating && i % 2 == 1 ? -1 : 1;
    got.set_number(static_cast<std::int64_t>(i), 1 + sign * size * 0x1p-20);
  }
  const auto fault = quality_fault(golden, {got}, unbiased);
  return fault ? fault->reason : "";
}

TEST(Quality, IsToldByVarianceAndBiasOfManyResults) {
  EXPECT_EQ(reason_of(100, 0.5, true, true), "");
  EXPECT_THAT(reason_of(100, 0.75, true, true), HasSubstr("variance"));
  EXPECT_THAT(reason_of(100, 0.5, false, true), HasSubstr("bias"));
  EXPECT_EQ(reason_of(100, 0.5, false, false), "");
  EXPECT_EQ(reason_of(100, 0.125, false, true), "");
  EXPECT_EQ(reason_of(kLeastResults - 1, 5, false, true), "");
}

}  // namespace
}  // namespace assay::harness
