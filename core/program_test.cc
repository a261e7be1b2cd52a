#include "core/program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/program_text.h"

namespace assay {
namespace {

Program sample() {
  Program p;
  p.inputs.push_back({DType::f32, {5, 4}, {1, 5}});
  p.inputs.push_back(TensorType::contiguous(DType::i64, {}));
  Tensor c = Tensor::zeros(DType::f16, {2});
  c.set_number(0, 1.0);
  c.set_number(1, -1.0);
  p.constants.push_back(c);
  p.nodes.push_back(
      {"aten.add.Tensor", {ValueRef{0}, 0.1}, {{"alpha", std::int64_t{2}}}});
  p.nodes.push_back({"aten.cat.default",
                     {std::vector<ValueRef>{{3}, {0}}, std::int64_t{-1}},
                     {}});
  p.nodes.push_back({"aten.gelu.default",
                     {ValueRef{4}},
                     {{"approximate", std::string("ta\"n\\h")}}});
  p.nodes.push_back({"aten._to_copy.default",
                     {ValueRef{5}},
                     {{"dtype", DType::f16}, {"memory", None{}}}});
  p.nodes.push_back({"aten.sum.dim_IntList",
                     {ValueRef{6}, std::vector<std::int64_t>{0, -1}, true},
                     {}});
  p.outputs = {{6}, {7}};
  return p;
}

TEST(ProgramText, ReadsBackAsTheSameText) {
  const std::string text = to_text(sample());
  const Result<Program> again = parse_program(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_text(*again), text);
  EXPECT_NE(text.find("%0 = input f32[5, 4] strides[1, 5]"), std::string::npos);
  EXPECT_NE(text.find("%2 = const f16[2] {0x3c00, 0xbc00}"), std::string::npos);
  EXPECT_NE(text.find("aten.add.Tensor(%0, 0.1, alpha=2)"), std::string::npos);
}

TEST(ProgramText, FloatsStayFloatsAndReadBackEqual) {
  Program p;
  p.inputs.push_back(TensorType::contiguous(DType::f64, {1}));
  const double inf = std::numeric_limits<double>::infinity();
  for (const double v :
       {1.0, -0.0, 0.1, 1e300, 5e-324, inf, -inf, std::nan("")}) {
    p.nodes.push_back({"aten.mul.Tensor", {ValueRef{0}, v}, {}});
  }
  p.outputs = {{1}};
  const Result<Program> q = parse_program(to_text(p));
  ASSERT_TRUE(q.ok()) << q.error().message;
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const double expected = std::get<double>(p.nodes[i].args[1]);
    ASSERT_TRUE(std::holds_alternative<double>(q->nodes[i].args[1]));
    const double got = std::get<double>(q->nodes[i].args[1]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got));
    } else {
      EXPECT_EQ(got, expected);
      EXPECT_EQ(std::signbit(got), std::signbit(expected));
    }
  }
}

TEST(ProgramText, ListsOfFractionsStayFractions) {
  const std::string text =
      "assay-program 1\n%0 = input f32[1, 1, 2, 2]\n"
      "%1 = aten.upsample_nearest2d.vec(%0, none, [2.0, 0.5])\nreturn %1\n";
  const Result<Program> p = parse_program(text);
  ASSERT_TRUE(p.ok()) << p.error().message;
  EXPECT_EQ(p->nodes[0].args[2], Arg(Numbers{2.0, 0.5}));
  EXPECT_EQ(to_text(*p), text);
  EXPECT_FALSE(parse_program("assay-program 1\n%0 = input f32[2]\n"
                             "%1 = aten.f.default(%0, [0.5, 2])\nreturn %1\n")
                   .ok());
}

TEST(ProgramText, NamesADeviceOtherThanTheFirst) {
  Program p;
  p.inputs = {TensorType::contiguous(DType::f32, {2})};
  p.outputs = {ValueRef{0}};
  EXPECT_TRUE(to_text(p).starts_with("assay-program 1\n")) << to_text(p);
  p.device = 1;
  EXPECT_TRUE(to_text(p).starts_with("assay-program 1 device 1\n"));
  EXPECT_EQ(parse_program(to_text(p))->device, 1);
  EXPECT_EQ(pack({&p, &p}).device, 1);
}

TEST(ProgramText, ErrorsNameTheLine) {
  const struct {
    const char* text;
    const char* expected;
  } kBad[] = {
      {"", "empty text"},
      {"assay-program 2\n", "only version 1"},
      {"assay-program 1 device\n", "not a number"},
      {"assay-program 1 device -1\n", "negative device"},
      {"assay-program 1 on 1\n", "text after the version"},
      {"assay-program 1\n%0 = input f33[2]\n", "unknown dtype 'f33'"},
      {"assay-program 1\n%1 = input f32[2]\n", "line 2"},
      {"assay-program 1\n%0 = aten.neg.default(%0)\n", "not defined yet"},
      {"assay-program 1\n%0 = input f32[2]\n", "no return line"},
      {"assay-program 1\n%0 = input f32[x]\n", "not a number"},
      {"assay-program 1\n%0 = input f32[2] {\n", "text after"},
      {"assay-program 1\n%0 = input f32[2]\n%1 = getitem(%0, 1)\n", "getitem"},
      {"assay-program 1\n%0 = input f32[2]\n%1 = aten.max.dim(%0, 0)\n"
       "%2 = getitem(%1, 0)\n",
       "one of its outputs from 1"},
      {"assay-program 1\n%0 = input f32[2]\n%1 = aten.max.dim(%0, 0)\n"
       "%2 = getitem(%1, 1)\n%3 = getitem(%2, 1)\n",
       "line 5"},
  };
  for (const auto& bad : kBad) {
    const Result<Program> r = parse_program(bad.text);
    ASSERT_FALSE(r.ok()) << bad.text;
    EXPECT_NE(r.error().message.find(bad.expected), std::string::npos)
        << r.error().message;
  }
}

TEST(ProgramText, SeveralOutputs) {
  const std::string text =
      "assay-program 1\n%0 = input f32[3]\n%1 = aten.neg.default(%0)\n"
      "%2 = aten.max.dim(%1, 0)\n%3 = getitem(%2, 1)\nreturn %2, %3\n";
  const Result<Program> p = parse_program(text);
  ASSERT_TRUE(p.ok()) << p.error().message;
  EXPECT_EQ(to_text(*p), text);
  EXPECT_EQ(output_count(*p, {1}), 1u);
  EXPECT_EQ(output_count(*p, {2}), 2u);
  const Program both = pack({&*p, &*p});
  ASSERT_TRUE(further_output(both.nodes[5]).has_value());
  EXPECT_EQ(further_output(both.nodes[5])->call.id, 6);
}

TEST(Pack, KeepsEachProgramsMeaning) {
  const Program p = sample();
  const Program both = pack({&p, &p});
  EXPECT_EQ(both.inputs.size(), 4u);
  EXPECT_EQ(both.constants.size(), 2u);
  ASSERT_EQ(both.nodes.size(), 10u);
  ASSERT_EQ(both.outputs.size(), 4u);
  // Second copy of `add`: reads input 2, and its result is node 11.
  EXPECT_EQ(std::get<ValueRef>(both.nodes[5].args[0]).id, 2);
  const auto cat = std::get<std::vector<ValueRef>>(both.nodes[6].args[0]);
  EXPECT_EQ(cat[0].id, 11);
  EXPECT_EQ(cat[1].id, 2);
  EXPECT_EQ(both.outputs[2].id, 14);
  EXPECT_TRUE(parse_program(to_text(both)).ok());
}

}  // namespace
}  // namespace assay
