// Calls bound to the well-formed specs of testdata: arguments, requirements
// in order, forms, results.
#include "suite/language/bind/bind.h"

#include <gtest/gtest.h>

#include "suite/language/testing/test_specs.h"

namespace assay::language {
namespace {

TensorArg tensor(DType t, Shape sizes) {
  TensorArg a;
  a.type = TensorType::contiguous(t, std::move(sizes));
  return a;
}

Node call(const std::string& op, std::vector<Arg> args,
          std::vector<std::pair<std::string, Arg>> kwargs = {}) {
  return {op, std::move(args), std::move(kwargs)};
}

using Values = std::map<int, TensorArg>;
using V = ValueRef;

Result<Binding> bind(const Node& node, const Values& values) {
  return bind_call(*good_specs().find_aten(node.op), node, values);
}

// What the call comes to: a clause, an error, or the result's type.
std::string outcome(const Node& node, const Values& values) {
  Result<Binding> b = bind(node, values);
  if (!b) return b.error().message;
  const auto violated = first_violation(*b);
  if (!violated) return violated.error().message;
  if (*violated != nullptr) return (*violated)->id;
  const Status form = select_form(&*b);
  if (!form) return form.error().message;
  const Result<TensorType> t = infer_result(*b);
  if (!t) return t.error().message;
  std::string out = std::string(dtype_name(t->dtype)) + "[";
  for (const std::int64_t n : t->sizes) {
    out += (out.ends_with('[') ? "" : ", ") + std::to_string(n);
  }
  return out + "]";
}

TEST(Bind, PositionalAndKeywordArguments) {
  const Values values = {{0, tensor(DType::f32, {2, 3})},
                         {1, tensor(DType::f16, {3})}};
  const auto add = [&values](std::vector<Arg> args,
                             std::vector<std::pair<std::string, Arg>> kwargs) {
    return outcome(call("aten.add.Tensor", std::move(args), std::move(kwargs)),
                   values);
  };
  const Arg one = std::int64_t{1};
  EXPECT_EQ(add({V{0}, V{1}}, {}), "f32[2, 3]");
  EXPECT_EQ(add({V{0}}, {{"b", V{1}}}), "f32[2, 3]");
  EXPECT_EQ(add({}, {{"b", V{1}}, {"a", V{0}}}), "f32[2, 3]");
  EXPECT_EQ(add({V{0}, V{1}}, {{"alpha", 2.5}}), "f32[2, 3]");
  EXPECT_EQ(add({V{0}, 2.5}, {}), "f32[2, 3]");
  EXPECT_EQ(add({V{0}}, {}), "aten.add.Tensor: parameter 'b' is missing");
  EXPECT_EQ(add({V{0}, V{1}, one}, {}),
            "aten.add.Tensor: too many positional arguments (3)");
  EXPECT_EQ(add({V{0}, V{1}}, {{"a", V{0}}}),
            "aten.add.Tensor: parameter 'a' is given twice");
  EXPECT_EQ(add({V{0}, V{1}}, {{"beta", one}}),
            "aten.add.Tensor: no parameter 'beta'");
  EXPECT_EQ(add({V{0}, None{}}, {}),
            "aten.add.Tensor: parameter 'b' may not be none");
  EXPECT_EQ(add({V{0}, DType::f32}, {}),
            "aten.add.Tensor: parameter 'b' must be a tensor, found the "
            "dtype f32");
  EXPECT_EQ(add({V{0}, V{7}}, {}), "aten.add.Tensor: value %7 is not defined");
}

TEST(Bind, NumbersPromoteAsNumbers) {
  const Values values = {{0, tensor(DType::u8, {3})},
                         {1, tensor(DType::f16, {})}};
  const auto add = [&values](Arg a, Arg b) {
    return outcome(call("aten.add.Tensor", {std::move(a), std::move(b)}),
                   values);
  };
  EXPECT_EQ(add(V{0}, std::int64_t{300}), "u8[3]");
  EXPECT_EQ(add(V{0}, 0.5), "f32[3]");
  EXPECT_EQ(add(V{0}, V{1}), "f16[3]");
  EXPECT_EQ(add(0.5, V{1}), "f16[]");
  const Node node = call("aten.add.Tensor", {V{0}, true});
  const Result<Binding> b = bind(node, values);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->symbols.at("T"), StaticValue(DType::u8));
  EXPECT_EQ(b->symbols.at("T2"), StaticValue(DType::boolean));
  EXPECT_EQ(b->tensor("b"), nullptr);
  ASSERT_NE(b->tensor("a"), nullptr);
  EXPECT_EQ(b->tensor("a")->ref, V{0});
}

TEST(Bind, TheFirstBrokenRequirementDecides) {
  const auto bmm = [](Shape a, Shape b, DType t = DType::f32,
                      DType u = DType::f32) {
    return outcome(
        call("aten.bmm.default", {V{0}, V{1}}),
        {{0, tensor(t, std::move(a))}, {1, tensor(u, std::move(b))}});
  };
  EXPECT_EQ(bmm({2, 3, 5}, {2, 5, 4}), "f32[2, 3, 4]");
  EXPECT_EQ(bmm({3, 5}, {5}), "E1");
  EXPECT_EQ(bmm({2, 3, 5}, {5, 4}), "E2");
  EXPECT_EQ(bmm({2, 3, 5}, {2, 6, 4}), "E3");
  EXPECT_EQ(bmm({2, 3, 5}, {1, 5, 4}), "E3");
  EXPECT_EQ(bmm({2, 3, 5}, {2, 5, 4}, DType::f16), "E4");
  EXPECT_EQ(bmm({2, 3, 0}, {2, 0, 4}, DType::f16), "f16[2, 3, 4]");
}

TEST(Bind, RequirementsMayReadElements) {
  Tensor index = Tensor::zeros(DType::i64, {2});
  index.set_integer(1, 4);
  TensorArg known;
  known.type = index.type;
  known.value = &index;
  const auto embedding = [](const TensorArg& i) {
    return outcome(call("aten.embedding.default", {V{0}, V{1}}),
                   {{0, tensor(DType::f16, {5, 3})}, {1, i}});
  };
  EXPECT_EQ(embedding(known), "f16[2, 3]");
  index.set_integer(0, -1);
  EXPECT_EQ(embedding(known), "E3");
  index.set_integer(0, 5);
  EXPECT_EQ(embedding(known), "E3");
  // Without elements the question stays open: an error, no verdict.
  EXPECT_NE(
      embedding(tensor(DType::i64, {2}))
          .find("embedding/E3 cannot be evaluated: the elements of 'index' "
                "are not known"),
      std::string::npos);
  // What was decided before needs no elements.
  EXPECT_EQ(embedding(tensor(DType::f32, {2})), "E2");
}

TEST(Bind, ListsOfTensors) {
  const Values values = {{0, tensor(DType::u8, {2, 3})},
                         {1, tensor(DType::f16, {4, 3})},
                         {2, tensor(DType::f16, {4, 2})},
                         {3, tensor(DType::f16, {})}};
  const auto cat = [&values](std::vector<V> list, std::int64_t dim) {
    return outcome(call("aten.cat.default", {std::move(list), dim}), values);
  };
  EXPECT_EQ(cat({V{0}, V{1}}, 0), "f16[6, 3]");
  EXPECT_EQ(cat({V{1}, V{2}}, -1), "f16[4, 5]");
  EXPECT_EQ(cat({V{1}, V{2}}, 0), "E5");
  EXPECT_EQ(cat({}, 0), "E1");
  EXPECT_EQ(cat({V{3}}, 0), "E2");
  EXPECT_EQ(cat({V{0}}, 2), "E3");
  EXPECT_EQ(outcome(call("aten.cat.default", {Shape{}}), values), "E1");
  EXPECT_EQ(outcome(call("aten.cat.default", {V{0}}), values),
            "aten.cat.default: parameter 'tensors' must be a list of "
            "tensors, found a tensor");
}

TEST(Bind, ConvolutionShapes) {
  const auto conv = [](std::vector<Arg> rest, Shape x = {2, 3, 7, 6}) {
    std::vector<Arg> args = {V{0}, V{1}};
    args.insert(args.end(), rest.begin(), rest.end());
    return outcome(call("aten.conv2d.default", std::move(args)),
                   {{0, tensor(DType::f32, std::move(x))},
                    {1, tensor(DType::f32, {4, 3, 3, 3})},
                    {2, tensor(DType::f32, {4})}});
  };
  EXPECT_EQ(conv({}), "f32[2, 4, 5, 4]");
  EXPECT_EQ(conv({V{2}, Shape{2, 2}, Shape{1, 1}}), "f32[2, 4, 4, 3]");
  EXPECT_EQ(conv({None{}, Shape{1, 1}, Shape{0, 0}, Shape{3, 2}}),
            "f32[2, 4, 1, 2]");
  EXPECT_EQ(conv({None{}, Shape{0, 1}}), "E6");
  EXPECT_EQ(conv({}, {2, 3, 2, 6}), "E13");
}

TEST(Bind, FormsAreTriedInOrder) {
  const OpSpec& op = *good_specs().find_op("everything");
  const Values values = {{0, tensor(DType::f16, {3, 2, 4})},
                         {1, tensor(DType::f32, {4})}};
  const auto select = [&](Node node) {
    Result<Binding> b = bind_call(op, node, values);
    if (!b) return b.error().message;
    const Status s = select_form(&*b);
    return s ? b->form->id : s.error().message;
  };
  const Arg none = std::vector<V>{};
  EXPECT_EQ(select({"", {V{0}, 2.5, none}, {}}), "F1");
  EXPECT_EQ(select({"", {V{0}, V{1}, none}, {}}), "F4");
  const Node node = {"", {V{0}, V{1}, none}, {{"mode", std::string("tanh")}}};
  Result<Binding> b = bind_call(op, node, values);
  ASSERT_TRUE(b);
  ASSERT_TRUE(select_form(&*b));
  EXPECT_EQ(b->form->id, "F3");
  EXPECT_EQ(b->symbols.at("N"), StaticValue(std::int64_t{3}));
  EXPECT_EQ(b->symbols.at("M"), StaticValue(std::int64_t{2}));
  EXPECT_EQ(b->symbols.at("S"), StaticValue(Shape{4}));
  EXPECT_EQ(infer_result(*b)->dtype, DType::f32);
  EXPECT_EQ(infer_result(*b)->sizes, (Shape{3, 4}));
}

TEST(Bind, ShapesThatDisagreeAreTheSpecsFault) {
  const OpSpec& op = *good_specs().find_op("everything");
  const Node node = {
      "", {V{0}, V{1}, std::vector<V>{}}, {{"mode", std::string("tanh")}}};
  Result<Binding> b = bind_call(
      op, node,
      {{0, tensor(DType::f16, {3, 2, 4})}, {1, tensor(DType::f32, {5})}});
  ASSERT_TRUE(b);
  const Status s = select_form(&*b);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().message,
            "everything: parameter 'y': symbol S is both [4] and [5]");
}

TEST(Bind, Defaults) {
  const OpSpec& op = *good_specs().find_op("everything");
  const Result<Binding> b =
      bind_call(op, {"", {V{0}, std::int64_t{1}, std::vector<V>{}}, {}},
                {{0, tensor(DType::f16, {3, 2})}});
  ASSERT_TRUE(b);
  EXPECT_TRUE(std::holds_alternative<None>(b->actuals.at("weight")));
  EXPECT_TRUE(std::holds_alternative<None>(b->actuals.at("dtype")));
  EXPECT_EQ(std::get<Shape>(b->actuals.at("dims")), (Shape{0, -1}));
  EXPECT_EQ(std::get<std::string>(b->actuals.at("mode")), "none");
  EXPECT_EQ(std::get<double>(b->actuals.at("alpha")), 0.5);
  EXPECT_EQ(std::get<bool>(b->actuals.at("keepdim")), false);
}

}  // namespace
}  // namespace assay::language
