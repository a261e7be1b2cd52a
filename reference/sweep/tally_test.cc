// Sweeps over results with known faults in known places.
#include "reference/sweep/tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "reference/golden/admits.h"
#include "reference/sweep/function_specs.h"
#include "reference/testing/test_specs.h"

namespace assay::reference {
namespace {

// Every result of a function in f16, as it should be.
class Sixteen {
 public:
  explicit Sixteen(const language::SpecSet& specs, const std::string& op,
                   DType t = DType::f16)
      : sweep_(*Sweep::open(specs, {op, t, {}})),
        oracle_(
            std::move(SweepOracle::make(sweep_, &engines().front()).value())) {
    const auto block = std::make_unique<BlockResult>();
    for (std::uint64_t first = 0; first < sweep_.inputs(); first += kBlock) {
      EXPECT_TRUE(oracle_->golden(first, kBlock, block.get()).ok());
      for (const double x : block->rounded) {
        results_.push_back(
            static_cast<std::uint16_t>(encode_float(sweep_.result(), x)));
      }
    }
  }

  std::vector<std::uint16_t>& results() { return results_; }

  // The tally of the blocks that begin at `order`.
  Tally judge(const std::vector<std::uint64_t>& order) {
    const auto block = std::make_unique<BlockResult>();
    BlockJudge judge(sweep_, oracle_->accuracy(), *engines().front().loops);
    Tally all;
    for (const std::uint64_t first : order) {
      EXPECT_TRUE(oracle_->golden(first, kBlock, block.get()).ok());
      Tally t;
      EXPECT_TRUE(judge.compare(
          first, kBlock, *block,
          reinterpret_cast<const std::byte*>(&results_[first]), &t));
      all.add(t);
    }
    return all;
  }
  Tally judge() {
    std::vector<std::uint64_t> order;
    for (std::uint64_t b = 0; b < sweep_.inputs(); b += kBlock) {
      order.push_back(b);
    }
    return judge(order);
  }

 private:
  Sweep sweep_;
  std::unique_ptr<SweepOracle> oracle_;
  std::vector<std::uint16_t> results_;
};

TEST(Tally, FindsNothingWhereNothingIsWrong) {
  for (const std::string& name : function_names()) {
    const Tally t = Sixteen(function_specs(), name).judge();
    EXPECT_EQ(t.inputs, 65536u) << name;
    EXPECT_EQ(t.not_rounded, 0u) << name;
    EXPECT_EQ(t.broken, 0u) << name;
  }
}

TEST(Tally, CountsEachFaultByItsKind) {
  Sixteen exp(function_specs(), "exp");
  auto& r = exp.results();
  r[0x3c00] += 1;          // exp(1), one ulp off
  r[0x4000] += 3;          // exp(2)
  r[0x7e00] = 0x3c00;      // a number for NaN
  r[0x3800] = 0x7e00;      // NaN for a number
  r[0x4000 + 1] = 0x7c00;  // infinity for a number
  r[0xfc00] = 0x8000;      // exp(-inf) is +0
  ASSERT_GT(r[0xc980], 0u);
  ASSERT_LT(r[0xc980], 0x400u);  // exp(-11) is subnormal
  r[0xc980] = 0;
  const Tally t = exp.judge();
  EXPECT_EQ(t.not_rounded, 7u);
  EXPECT_EQ(t.broken, 7u);
  EXPECT_EQ(t.wrong_nan, 2u);
  EXPECT_EQ(t.wrong_infinity, 1u);
  EXPECT_EQ(t.wrong_zero_sign, 1u);
  EXPECT_EQ(t.flushed, 1u);
  // Distances are of finite pairs only: exp(-11) is 280 elements above zero.
  ASSERT_TRUE(t.distance_at.has_value());
  EXPECT_EQ(t.distance_at->input, 0xc980u);
  EXPECT_EQ(t.over[2], 2u + 1u);  // exp(2), the flushed one, the infinity
}

TEST(Tally, MeasuresInUlpsOfTheExactValue) {
  Sixteen sqrt(function_specs(), "sqrt");
  // sqrt(4) is 2 exactly; two elements below lie in the lower binade.
  sqrt.results()[0x4400] -= 2;
  const Tally t = sqrt.judge();
  EXPECT_EQ(t.max_error, 1.0);
  EXPECT_EQ(t.max_distance, 2);
  EXPECT_EQ(t.over[0], 1u);
  EXPECT_EQ(t.over[1], 0u);
}

// The order of parts, and what else was judged, changes nothing.
TEST(Tally, IsTheSameInAnyOrder) {
  Sixteen tanh(function_specs(), "tanh", DType::bf16);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) tanh.results()[random() % 65536] += 1;
  const Tally whole = tanh.judge();
  std::vector<std::uint64_t> order;
  for (std::uint64_t b = 0; b < 65536; b += kBlock) order.push_back(b);
  for (int i = 0; i < 5; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    const Tally t = tanh.judge(order);
    EXPECT_EQ(t.not_rounded, whole.not_rounded);
    EXPECT_EQ(t.max_error, whole.max_error);
    EXPECT_EQ(t.error_at->input, whole.error_at->input);
    EXPECT_EQ(t.broken_at->input, whole.broken_at->input);
    EXPECT_EQ(t.distance_at->input, whole.distance_at->input);
  }
  // A part by itself says of its elements what the whole says.
  Tally sum;
  for (const std::uint64_t b : order) sum.add(tanh.judge({b}));
  EXPECT_EQ(sum.not_rounded, whole.not_rounded);
  EXPECT_EQ(sum.over, whole.over);
}

TEST(Tally, LeavesTheSignOfAZeroOpenWhereTheSpecDoes) {
  const language::SpecSet specs = specs_of(
      {unary_spec("relu", "max(x[i...], 0)", "bound: exact, zero_sign: any"),
       unary_spec("half", "x[i...] / 2", "bound: correctly_rounded")});
  for (const bool open : {true, false}) {
    Sixteen zeros(specs, open ? "relu" : "half");
    zeros.results()[0x8000] ^= 0x8000;
    EXPECT_EQ(zeros.judge().broken, open ? 0u : 1u);
  }
}

// What the sweep admits, the oracle's acceptance sets admit, and no more.
TEST(Tally, AdmitsWhatTheOracleAdmits) {
  const char* kUlps = "ulp: 2, subnormal_ulp: 3, in: result";
  const language::SpecSet specs = specs_of(
      {unary_spec("one", "exp(x[i...])", kUlps),
       unary_spec("either", "-exp(x[i...])",
                  std::string(kUlps) + ", zero_sign: any"),
       unary_spec("absolute", "exp(x[i...])", "abs: 0.0001, in: result"),
       unary_spec("limited", "cos(x[i...])",
                  std::string(kUlps) + ", range: [-1, 1]"),
       unary_spec("choice",
                  "where(x[i...] > 2, either(0, exp(x[i...])), exp(x[i...]))",
                  kUlps)});
  const Oracle oracle(specs);
  const std::vector<std::uint16_t> exponentials =
      Sixteen(specs, "one").results();
  for (const char* name : {"one", "either", "absolute", "limited", "choice"}) {
    Sixteen f(specs, name);
    const Sweep sweep = *Sweep::open(specs, {name, DType::f16, {}});
    const Result<Golden> golden =
        oracle.golden(sweep.program(65536), sweep.tensors(0, 65536));
    ASSERT_TRUE(golden.ok()) << golden.error().message;
    const std::vector<std::uint16_t> right = f.results();
    const std::size_t negative_infinity = 0xfc00;
    const auto compare = [&](auto&& wrong, const std::string& what) {
      std::uint64_t refused = 0;
      for (std::size_t i = 0; i < right.size(); ++i) {
        f.results()[i] = right[i];
        // The loops do not tell exp(-inf) from what underflows to zero.
        if (i == negative_infinity) continue;
        f.results()[i] = static_cast<std::uint16_t>(wrong(i));
        refused +=
            !admits(golden->outputs[0].elements[i], DType::f16, f.results()[i]);
      }
      EXPECT_EQ(f.judge().broken, refused) << name << what;
    };
    for (const int off : {-4, -3, -2, -1, 1, 2, 3, 4}) {
      compare([&](std::size_t i) { return right[i] + off; },
              std::to_string(off));
      compare([&](std::size_t i) { return exponentials[i] + off; },
              " exp " + std::to_string(off));
    }
    compare([&](std::size_t i) { return exponentials[i]; }, " exp");
    compare([&](std::size_t i) { return right[i] ^ 0x8000; }, " negated");
    compare([](std::size_t) { return 0; }, " +0");
    compare([](std::size_t) { return 0x8000; }, " -0");
  }
}

}  // namespace
}  // namespace assay::reference
