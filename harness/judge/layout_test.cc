// Where the specs promise strides, eager returns them, and results share
// storage as promised: the rules are facts of PyTorch, so PyTorch decides
// whether they are right.
#include "harness/judge/layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/text.h"
#include "harness/judge/sharing.h"
#include "harness/testing/workers.h"
#include "suite/cases/testing/case_testing.h"
#include "suite/language/bind/strides.h"

namespace assay::harness::testing {
namespace {

Worker& worker() {
  static Worker* const w = new Worker(subject("eager"));
  return *w;
}

// The first case of each clause that lies otherwise is named.
void expect_promised(cases::Profile profile) {
  const language::SpecSet& specs = cases::specs_of("specs");
  int asked = 0, wrong = 0;
  std::map<std::string, std::string> first;
  for (const cases::Case& c : cases::expansion_of("specs").cases) {
    if (!c.is_in(profile) || !c.must_raise.empty()) continue;
    const Observation o =
        worker().rerun(c.program, c.make_inputs(), {}, kAmple);
    if (o.kind != Kind::returned ||
        o.outputs.size() != c.program.outputs.size()) {
      continue;
    }
    const auto fault = layout_fault(specs, c.program, o);
    ASSERT_TRUE(fault.ok()) << c.path << ": " << fault.error().message;
    ++asked;
    if (const auto shared = sharing_fault(c.program, o)) {
      first.emplace(c.spec + "/" + c.clause,
                    fmt::format("{}: out{} lies {}, and {} is promised", c.path,
                                shared->output, shared->got, shared->promised));
    }
    if (!*fault) continue;
    ++wrong;
    first.emplace(
        c.spec + "/" + c.clause,
        fmt::format("{}: out{} has {}, promised {}", c.path, (**fault).output,
                    (**fault).got, (**fault).promised));
  }
  for (const auto& [row, what] : first) ADD_FAILURE() << what;
  ::testing::Test::RecordProperty("asked", asked);
  fmt::print("{} of {} cases lie otherwise than promised\n", wrong, asked);
}

TEST(EagerLayout, IsAsPromisedInTheQuickProfile) {
  expect_promised(cases::Profile::quick);
}

TEST(EagerLayout, IsAsPromisedInTheFullProfile) {
  expect_promised(cases::Profile::full);
}

// A type of these sizes, its dimensions in any order, with gaps, with repeated
// dimensions, or with fewer of them.
TensorType random_type(Shape sizes, std::mt19937* random) {
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::shuffle(order.begin(), order.end(), *random);
  TensorType t{DType::f32, std::move(sizes), Shape(order.size())};
  for (std::int64_t& s : t.sizes) {
    if ((*random)() % 5 == 0) s = 1;
  }
  std::int64_t next = 1 + static_cast<std::int64_t>((*random)() % 2);
  for (const std::size_t d : order) {
    t.strides[d] = next;
    next *= t.sizes[d] * (1 + static_cast<std::int64_t>((*random)() % 2));
    if ((*random)() % 6 == 0) t.strides[d] = 0;
  }
  const auto missing = static_cast<std::ptrdiff_t>(
      (*random)() % 4 == 0 ? (*random)() % (t.sizes.size() + 1) : 0);
  t.sizes.erase(t.sizes.begin(), t.sizes.begin() + missing);
  t.strides.erase(t.strides.begin(), t.strides.begin() + missing);
  return t;
}

Shape common_shape(const std::vector<TensorType>& types) {
  std::size_t rank = 0;
  for (const TensorType& t : types) rank = std::max(rank, t.sizes.size());
  Shape shape(rank, 1);
  for (const TensorType& t : types) {
    const std::size_t missing = rank - t.sizes.size();
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
      shape[missing + d] = std::max(shape[missing + d], t.sizes[d]);
    }
  }
  return shape;
}

TEST(EagerLayout, OfElementwiseResultsFollowsTheRuleForAnyOperands) {
  std::mt19937 random(7);
  for (int n = 0; n < 1500; ++n) {
    Shape sizes(1 + random() % 5);
    for (std::int64_t& s : sizes) s = 1 + static_cast<int>(random() % 4);
    const bool single = n % 3 == 0;
    Program p;
    p.inputs.push_back(random_type(sizes, &random));
    if (single) {
      p.nodes.push_back({"aten.neg.default", {ValueRef{0}}, {}});
    } else {
      p.inputs.push_back(random_type(sizes, &random));
      p.nodes.push_back({"aten.add.Tensor", {ValueRef{0}, ValueRef{1}}, {}});
    }
    p.outputs = {{p.value_count() - 1}};
    std::vector<Tensor> inputs;
    std::vector<language::Strided> operands;
    for (const TensorType& t : p.inputs) {
      inputs.push_back(Tensor::strided(t));
      operands.push_back({t.sizes, t.strides});
    }
    const Observation o = worker().run(p, inputs, {}, kAmple);
    ASSERT_EQ(o.kind, Kind::returned) << o.detail << to_text(p);
    ASSERT_EQ(o.layouts.size(), 1u);
    const Shape shape = common_shape(p.inputs);
    ASSERT_EQ(o.outputs[0].sizes(), shape);
    const Shape due = language::elementwise_strides(operands, shape);
    EXPECT_TRUE(language::same_strides(shape, o.layouts[0].strides, due))
        << to_text(p) << "got " << shape_text(o.layouts[0].strides) << ", due "
        << shape_text(due);
  }
}

}  // namespace
}  // namespace assay::harness::testing
