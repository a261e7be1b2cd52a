// The search with predicates in place of an oracle and a subject.
#include "harness/reduce/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/float_bits.h"
#include "core/program_text.h"
#include "harness/reduce/failure.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

const language::SpecSet& specs() {
  static const language::LoadResult loaded =
      language::load_specs(ASSAY_SOURCE_DIR "/specs");
  EXPECT_TRUE(loaded.errors.empty());
  return loaded.specs;
}

// The program with inputs that hold 0, 0.5, 1, 1.5 ...
Candidate candidate(const std::string& lines,
                    const std::string& must_raise = "") {
  const auto program = parse_program("assay-program 1\n" + lines);
  EXPECT_TRUE(program) << (program ? "" : program.error().message);
  cases::Case c;
  c.program = *program;
  c.must_raise = must_raise;
  c.make_inputs = [types = program->inputs] {
    std::vector<Tensor> out;
    for (const TensorType& type : types) {
      Tensor t = Tensor::strided(type);
      for (std::int64_t i = 0; i < t.numel(); ++i) {
        t.set_number(i, 0.5 * static_cast<double>(i));
      }
      out.push_back(std::move(t));
    }
    return out;
  };
  const Result<Candidate> made = candidate_of(c);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return *made;
}

bool calls(const Candidate& c, const std::string& op) {
  return std::any_of(c.nodes.begin(), c.nodes.end(),
                     [&op](const Node& n) { return n.op == op; });
}

bool holds(const Candidate& c, double value) {
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    for (const std::uint64_t bits : c.inputs[k].bits) {
      if (is_float(c.inputs[k].dtype) &&
          decode_float(c.inputs[k].dtype, bits) == value) {
        return true;
      }
    }
  }
  return false;
}

std::int64_t elements(const Candidate& c) {
  std::int64_t n = 0;
  for (const GivenTensor& g : c.inputs) n += element_count(g.sizes);
  return n;
}

using Predicate = std::function<bool(const Candidate&)>;

class Fake : public Examiner {
 public:
  explicit Fake(Predicate fails) : fails_(std::move(fails)) {}

  Examined examine(const Candidate& c, bool must_tell) override {
    ++trials;
    EXPECT_TRUE(types_of(c, specs())) << text_of(c);
    EXPECT_EQ(text_of(pruned(c)), text_of(c));
    for (const GivenTensor& g : c.inputs) {
      EXPECT_EQ(static_cast<std::int64_t>(g.bits.size()),
                element_count(g.sizes));
    }
    Examined out;
    out.telling = !telling || telling(c);
    out.fails = fails_(c) && (out.telling || !must_tell);
    return out;
  }
  std::vector<GivenTensor> values_of(const Candidate& c, ValueRef v) override {
    const auto types = types_of(c, specs());
    const TensorType& type = (*types)[static_cast<std::size_t>(v.id)];
    Tensor t = Tensor::zeros(type.dtype, type.sizes);
    for (std::int64_t i = 0; i < t.numel(); ++i) t.set_number(i, 1);
    return {given_of(t)};
  }

  int trials = 0;
  Predicate telling;

 private:
  Predicate fails_;
};

Reduced reduced(const Candidate& start, Fake* fake, int limit = 100'000) {
  SearchLimits limits;
  limits.trials = limit;
  const Examined first = fake->examine(start, false);
  EXPECT_TRUE(first.fails);
  fake->trials = 0;
  return search(start, first, specs(), *fake, limits);
}

constexpr const char* kChain =
    "%0 = input f16[4, 6] strides[1, 4]\n%1 = input f16[4, 6]\n"
    "%2 = const f16[6] {0x1, 0x2, 0x3, 0x4, 0x5, 0x6}\n"
    "%3 = aten.neg.default(%0)\n%4 = aten.add.Tensor(%3, %1, alpha=2)\n"
    "%5 = aten.mul.Tensor(%4, %2)\n%6 = aten.exp.default(%5)\n"
    "%7 = aten.sum.dim_IntList(%6, [1], true)\n"
    "%8 = aten.abs.default(%7)\nreturn %6, %8\n";

TEST(Search, LeavesTheStepAndTheElementThatMatter) {
  const Candidate start = candidate(kChain);
  Fake fake([](const Candidate& c) {
    return calls(c, "aten.exp.default") && holds(c, 3.5);
  });
  const Reduced r = reduced(start, &fake);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.trials, fake.trials);
  const Candidate& c = r.candidate;
  EXPECT_EQ(count_steps(c), 1);
  ASSERT_EQ(c.inputs.size(), 1);
  EXPECT_TRUE(c.constants.empty());
  EXPECT_EQ(c.inputs[0].dtype, DType::f32);
  EXPECT_EQ(c.inputs[0].sizes, Shape{});
  EXPECT_EQ(c.inputs[0].layout, language::Layout::contiguous);
  EXPECT_THAT(c.inputs[0].bits, ElementsAre(0x40600000));
}

TEST(Search, KeepsWhatTheFailureNeeds) {
  const Candidate start = candidate(kChain);
  // Two steps in a row, nine elements, a layout.
  Fake fake([](const Candidate& c) {
    const bool transposed = std::any_of(
        c.inputs.begin(), c.inputs.end(),
        [](const auto& g) { return g.layout == language::Layout::transposed; });
    return calls(c, "aten.add.Tensor") && calls(c, "aten.mul.Tensor") &&
           elements(c) >= 9 && transposed;
  });
  const Reduced r = reduced(start, &fake);
  const Candidate& c = r.candidate;
  EXPECT_EQ(count_steps(c), 2);
  EXPECT_LE(elements(c), 12);
  EXPECT_TRUE(calls(c, "aten.add.Tensor") && calls(c, "aten.mul.Tensor"));
  // alpha has a default.
  for (const Node& node : c.nodes) EXPECT_TRUE(node.kwargs.empty());
}

// What is left is refused by the same requirement, whatever the predicate
// would let pass.
TEST(Search, KeepsTheRequirementThatIsBroken) {
  const Candidate start = candidate(
      "%0 = input f16[2, 3, 4]\n%1 = input f32[2, 4, 5]\n"
      "%2 = aten.neg.default(%0)\n%3 = aten.relu.default(%2)\n"
      "%4 = aten.bmm.default(%3, %1)\n%5 = aten.exp.default(%4)\nreturn %5\n",
      "bmm/E4");
  Fake fake([](const Candidate&) { return true; });
  const Candidate c = reduced(start, &fake).candidate;
  EXPECT_EQ(count_steps(c), 1);
  ASSERT_EQ(c.inputs.size(), 2);
  EXPECT_EQ(c.inputs[0].sizes, (Shape{1, 1, 1}));
  EXPECT_EQ(c.inputs[1].sizes, (Shape{1, 1, 1}));
  EXPECT_NE(c.inputs[0].dtype, c.inputs[1].dtype);
  EXPECT_THAT(c.inputs[0].bits, Each(0));
}

TEST(Search, NamesAllOutputsOfACall) {
  const Candidate start = candidate(
      "%0 = input f32[3, 5]\n%1 = aten.neg.default(%0)\n"
      "%2 = aten.max.dim(%1, 1)\n%3 = getitem(%2, 1)\n"
      "%4 = aten.add.Tensor(%3, 1)\nreturn %2, %4\n");
  Fake fake([](const Candidate& c) { return calls(c, "aten.max.dim"); });
  const Candidate c = reduced(start, &fake).candidate;
  EXPECT_EQ(count_steps(c), 1);
  EXPECT_EQ(c.nodes.size(), 2);
  EXPECT_EQ(c.outputs.size(), 1);
}

// What is returned is what the calls have written; of others nothing is left.
TEST(Candidate, KeepsTheCallsThatWroteWhatIsRead) {
  const Candidate c = pruned(
      candidate("%0 = input f32[2, 3]\n%1 = aten.select.int(%0, 0, 1)\n"
                "%2 = aten.neg_.default(%1)\n%3 = aten.select.int(%0, 0, 0)\n"
                "%4 = aten.exp_.default(%3)\n%5 = aten.clone.default(%0)\n"
                "%6 = aten.sin_.default(%0)\nreturn %5\n"));
  EXPECT_TRUE(calls(c, "aten.neg_.default"));
  EXPECT_TRUE(calls(c, "aten.exp_.default"));
  EXPECT_FALSE(calls(c, "aten.sin_.default"));
  EXPECT_EQ(c.nodes.size(), 5);
}

TEST(Search, GivesWhatStepsComputed) {
  const Candidate start = candidate(
      "%0 = input f32[2, 3]\n%1 = aten.sum.dim_IntList(%0, [1])\n"
      "%2 = aten.exp.default(%1)\n%3 = aten.sin.default(%2)\nreturn %3\n");
  // Only with ones, which is what Fake says that all steps compute.
  Fake fake([](const Candidate& c) {
    return calls(c, "aten.sin.default") &&
           (calls(c, "aten.sum.dim_IntList") || holds(c, 1));
  });
  const Candidate c = reduced(start, &fake).candidate;
  EXPECT_EQ(count_steps(c), 1);
  EXPECT_THAT(c.inputs[0].bits, ElementsAre(0x3f800000));
}

TEST(Search, StaysWithCasesThatTell) {
  const Candidate start =
      candidate("%0 = input f32[16]\n%1 = aten.exp.default(%0)\nreturn %1\n");
  Fake fake([](const Candidate&) { return true; });
  fake.telling = [](const Candidate& c) { return elements(c) >= 3; };
  const Reduced r = reduced(start, &fake);
  EXPECT_TRUE(r.telling);
  EXPECT_EQ(elements(r.candidate), 3);
}

TEST(Search, StopsAtItsLimits) {
  const Candidate start = candidate(kChain);
  Fake fake([](const Candidate& c) { return holds(c, 3.5); });
  for (const int limit : {1, 2, 7, 20}) {
    const Reduced r = reduced(start, &fake, limit);
    EXPECT_EQ(r.trials, limit);
    EXPECT_FALSE(r.complete);
    EXPECT_TRUE(holds(r.candidate, 3.5));
  }
  SearchLimits limits;
  limits.stop = [] { return true; };
  const Reduced none =
      search(start, fake.examine(start, false), specs(), fake, limits);
  EXPECT_EQ(none.trials, 0);
  EXPECT_EQ(text_of(none.candidate), text_of(start));
}

// Predicates without any order in them: the search ends with something that
// fails, no change of which fails, and finds the same one again.
TEST(Search, EndsWithTheSmallestInItsNeighbourhood) {
  const Candidate start = candidate(kChain);
  const std::string whole = text_of(start);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Predicate by_chance = [&](const Candidate& c) {
      const std::string text = text_of(c);
      const std::uint64_t hash = fnv1a(std::to_string(seed) + text);
      return text == whole || hash % 16 < seed;
    };
    Fake fake(by_chance);
    const Reduced r = reduced(start, &fake);
    ASSERT_TRUE(r.complete);
    EXPECT_TRUE(by_chance(r.candidate));
    const auto start_types = types_of(start, specs());
    EXPECT_LE(r.weight, weigh(start, *start_types));
    EXPECT_EQ(text_of(reduced(start, &fake).candidate), text_of(r.candidate));
    const Reduced again = reduced(r.candidate, &fake);
    EXPECT_EQ(text_of(again.candidate), text_of(r.candidate));
  }
}

TEST(Failure, IsTheSameOfTheSameKind) {
  Failure a{CellStatus::fail, FailureClass::wrong_value, "exp/A1", ""};
  Failure b = a;
  b.clause = "neg/A2";
  EXPECT_TRUE(is_same(a, b));
  b.clause = "exp/S1";
  EXPECT_FALSE(is_same(a, b));
  b = a;
  b.failure = FailureClass::elided;
  EXPECT_FALSE(is_same(a, b));
  a = {CellStatus::fail, FailureClass::lost_error, "bmm/E4", ""};
  b = a;
  EXPECT_TRUE(is_same(a, b));
  b.clause = "bmm/E3";
  EXPECT_FALSE(is_same(a, b));
  a = {CellStatus::fail, FailureClass::wrong_error, "cat/A1", "OverflowError"};
  b = a;
  b.clause = "sum/V1";
  EXPECT_TRUE(is_same(a, b));
  b.exception = "RuntimeError";
  EXPECT_FALSE(is_same(a, b));
}

}  // namespace
}  // namespace assay::harness
