// What specs promise of strides, for calls and for programs of several.
#include "suite/language/bind/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/language/testing/test_specs.h"

namespace assay::language {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

// An operation of x with this head and value, alone in its file.
SourceFile operation(const std::string& name, const std::string& params,
                     const std::string& result, const std::string& value) {
  SourceFile f;
  f.name = name + ".yaml";
  f.text = "op: " + name + "\naten: aten." + name +
           ".default\ndoc: A test.\nparams: {x: \"T[S...]\"" + params +
           "}\ndtypes: {T: [f32]}\nresult: " + result + "\nvalue: {V1: \"" +
           value + "\"}\naccuracy: {A1: {bound: exact}}\n" +
           "cases: {C1: {shapes: [[3]], attrs: [{" +
           (params.empty() ? std::string() : "dims: [0]") + "}]}}\n";
  if (params.empty()) {
    const std::size_t attrs = f.text.find(", attrs: [{}]");
    f.text.erase(attrs, std::string(", attrs: [{}]").size());
  }
  f.role = role_of(f.name, f.text);
  return f;
}

const SpecSet& specs() {
  static const LoadResult result = [] {
    std::vector<SourceFile> files = read_testdata("good");
    files.push_back(operation("negated", "", "T of shape(x) as elementwise",
                              "out[i...] = -x[i...]"));
    files.push_back(operation("turned", ", dims: ints",
                              "T of permute(shape(x), dims) as view",
                              "out[i...] = x[unpermute(i..., dims)]"));
    files.push_back(operation("evens", "",
                              "T of put(shape(x), 0, dim(x, 0) // 2) as view",
                              "out[i...] = x[put(i..., 0, 2 * at(i..., 0))]"));
    files.push_back(operation("spread", "", "T of [4, shape(x)...] as view",
                              "out[i...] = x[i...]"));
    files.push_back(operation("copied", "", "T of shape(x) as contiguous",
                              "out[i...] = x[i...]"));
    files.push_back(operation("kept", "", "T of shape(x) as like(x)",
                              "out[i...] = x[i...]"));
    files.push_back(
        operation("open", "", "T of shape(x) as any", "out[i...] = x[i...]"));
    files.push_back(
        operation("by_rank", "",
                  "T of shape(x) as where(rank(x) == 2, contiguous, like(x))",
                  "out[i...] = x[i...]"));
    files.push_back(operation("imaged", "", "T of shape(x) as channels_last(x)",
                              "out[i...] = x[i...]"));
    return load_sources(std::move(files));
  }();
  for (const Diagnostic& d : result.errors) ADD_FAILURE() << to_string(d);
  return result.specs;
}

// The strides of what these operations make of x one after another.
Strides promised(const std::vector<Node>& nodes, TensorType x) {
  Program p;
  p.inputs.push_back(std::move(x));
  for (Node node : nodes) {
    node.op = "aten." + node.op + ".default";
    node.args.insert(node.args.begin(), ValueRef{p.value_count() - 1});
    p.nodes.push_back(std::move(node));
  }
  p.outputs = {{p.value_count() - 1}};
  const auto strides = promised_strides(specs(), p);
  if (!strides) {
    ADD_FAILURE() << strides.error().message;
    return std::nullopt;
  }
  return strides->front();
}

Strides promised(const std::string& op, Shape sizes, Shape strides) {
  return promised({{op, {}, {}}},
                  {DType::f32, std::move(sizes), std::move(strides)});
}

const Node kTurned = {"turned", {Shape{2, 0, 1}}, {}};

TEST(Layout, ElementwiseKeepsTheOrderAndLeavesNoGap) {
  EXPECT_THAT(promised("negated", {3, 4}, {1, 3}), Optional(Shape{1, 3}));
  EXPECT_THAT(promised("negated", {3, 4}, {8, 2}), Optional(Shape{4, 1}));
  EXPECT_THAT(promised("negated", {3, 4}, {0, 1}), Optional(Shape{4, 1}));
}

TEST(Layout, ViewsHaveTheStridesOfWhatTheyShow) {
  EXPECT_THAT(promised({kTurned}, {DType::f32, {2, 3, 4}, {12, 4, 1}}),
              Optional(Shape{1, 12, 4}));
  EXPECT_THAT(promised("evens", {6, 4}, {4, 1}), Optional(Shape{8, 1}));
  EXPECT_THAT(promised("evens", {6, 4}, {1, 6}), Optional(Shape{2, 6}));
  EXPECT_THAT(promised("spread", {3}, {2}), Optional(Shape{0, 2}));
  EXPECT_THAT(promised("spread", {3, 5}, {0, 1}), Optional(Shape{0, 0, 1}));
}

TEST(Layout, OtherRules) {
  EXPECT_THAT(promised("copied", {3, 4}, {1, 3}), Optional(Shape{4, 1}));
  EXPECT_THAT(promised("kept", {3, 4}, {2, 6}), Optional(Shape{2, 6}));
  EXPECT_EQ(promised("open", {3, 4}, {1, 3}), std::nullopt);
  EXPECT_THAT(promised("by_rank", {3, 4}, {1, 3}), Optional(Shape{4, 1}));
  EXPECT_THAT(promised("by_rank", {3}, {2}), Optional(Shape{2}));
  EXPECT_THAT(promised("imaged", {2, 3, 4, 5}, {60, 1, 15, 3}),
              Optional(Shape{60, 1, 15, 3}));
  EXPECT_THAT(promised("imaged", {2, 3, 4, 5}, {60, 20, 1, 4}),
              Optional(Shape{60, 20, 5, 1}));
}

TEST(Layout, GoesThroughPrograms) {
  const TensorType x = TensorType::contiguous(DType::f32, {2, 3, 4});
  EXPECT_THAT(promised({kTurned, {"negated", {}, {}}}, x),
              Optional(Shape{1, 12, 4}));
  EXPECT_THAT(promised({kTurned, {"evens", {}, {}}, {"negated", {}, {}}}, x),
              Optional(Shape{1, 6, 2}));
  EXPECT_THAT(promised({{"copied", {}, {}}, kTurned, kTurned}, x),
              Optional(Shape{4, 1, 12}));
}

TEST(Layout, AfterWhatPromisesNoneOnlyRulesWithoutOperandsDo) {
  const TensorType x = TensorType::contiguous(DType::f32, {2, 3, 4});
  const Node open = {"open", {}, {}};
  EXPECT_EQ(promised({open, {"negated", {}, {}}}, x), std::nullopt);
  EXPECT_EQ(promised({open, kTurned}, x), std::nullopt);
  EXPECT_THAT(promised({open, {"copied", {}, {}}}, x),
              Optional(Shape{12, 4, 1}));
}

TEST(Layout, AnInputThatIsReturnedLiesAsItDid) {
  Program p;
  p.inputs.push_back({DType::f32, {3, 4}, {1, 3}});
  p.outputs = {{0}, {0}};
  const auto strides = promised_strides(specs(), p);
  ASSERT_TRUE(strides.ok());
  EXPECT_THAT(*strides,
              ElementsAre(Optional(Shape{1, 3}), Optional(Shape{1, 3})));
}

}  // namespace
}  // namespace assay::language
