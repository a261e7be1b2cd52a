#include "suite/cases/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "core/program_text.h"
#include "core/text.h"
#include "suite/cases/testing/case_testing.h"

namespace assay::cases {
namespace {

using ::testing::ElementsAre;

// Elements 0, 1, 2, ... in row-major order, whatever the layout.
std::vector<Tensor> counted(const Program& program) {
  std::vector<Tensor> out;
  for (const TensorType& t : program.inputs) {
    out.push_back(Tensor::strided(t));
    for (std::int64_t i = 0; i < out.back().numel(); ++i) {
      out.back().set_number(i, static_cast<double>(i));
    }
  }
  return out;
}

struct Row {
  const char* what;
  const char* text;
  // The types of each question's inputs.
  std::vector<std::string> asked;
};

void PrintTo(const Row& r, std::ostream* os) { *os << r.what; }

class Rows : public ::testing::TestWithParam<Row> {};

TEST_P(Rows, FollowFromTheDefinition) {
  const auto program =
      parse_program(std::string("assay-program 1\n") + GetParam().text);
  ASSERT_TRUE(program.ok()) << program.error().message;
  const auto questions =
      row_questions(specs_of("specs"), *program, counted(*program));
  std::vector<std::string> asked;
  for (const RowQuestion& q : questions) {
    std::string types;
    for (const Tensor& t : q.inputs) {
      types += (types.empty() ? "" : " ") + shape_text(t.sizes());
      EXPECT_TRUE(t.type.is_contiguous());
    }
    asked.push_back(types);
    EXPECT_EQ(q.dimensions.size(), program->outputs.size());
    for (std::size_t k = 0; k < q.inputs.size(); ++k) {
      EXPECT_EQ(q.program.inputs[k], q.inputs[k].type);
    }
  }
  EXPECT_EQ(asked, GetParam().asked);
}

INSTANTIATE_TEST_SUITE_P(
    Operations, Rows,
    ::testing::Values(
        Row{"pointwise",
            "%0 = input f32[4, 3]\n%1 = aten.exp.default(%0)\nreturn %1\n",
            {"[1, 3]", "[4, 1]"}},
        // It has no third and fourth column.
        Row{"a narrower index",
            "%0 = input f32[4, 4]\n%1 = input i64[2, 2]\n"
            "%2 = input f32[2, 2]\n"
            "%3 = aten.scatter.src(%0, 0, %1, %2)\nreturn %3\n",
            {}},
        Row{"broadcast",
            "%0 = input f32[4, 3]\n%1 = input f32[3]\n"
            "%2 = aten.add.Tensor(%0, %1)\nreturn %2\n",
            {"[1, 3] [3]", "[4, 1] [1]"}},
        Row{"the same operand twice",
            "%0 = input f32[4]\n%1 = aten.mul.Tensor(%0, %0)\nreturn %1\n",
            {"[1]"}},
        Row{"softmax of rows",
            "%0 = input f32[4, 3]\n%1 = aten._softmax.default(%0, 1, false)\n"
            "return %1\n",
            {"[1, 3]"}},
        Row{"a reduction over the first dimension",
            "%0 = input f32[4, 3]\n%1 = aten.sum.dim_IntList(%0, [0])\n"
            "return %1\n",
            {"[4, 1]"}},
        Row{"a reduction over all dimensions",
            "%0 = input f32[4, 3]\n%1 = aten.sum.default(%0)\nreturn %1\n",
            {}},
        Row{"rows and columns of a product",
            "%0 = input f32[4, 3]\n%1 = input f32[3, 5]\n"
            "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
            {"[1, 3] [3, 5]", "[4, 3] [3, 1]"}},
        Row{"two outputs",
            "%0 = input f32[4, 3]\n%1 = aten.max.dim(%0, 1)\n"
            "%2 = getitem(%1, 1)\nreturn %2, %1\n",
            {"[1, 3]"}},
        Row{"indices say which row is read",
            "%0 = input f32[4, 3]\n%1 = input i64[2]\n"
            "%2 = aten.index_select.default(%0, 0, %1)\nreturn %2\n",
            {"[4, 3] [1]", "[4, 1] [2]"}},
        Row{"parts of complex numbers are no rows",
            "%0 = input c64[4, 2]\n%1 = aten.neg.default(%0)\nreturn %1\n",
            {"[1, 2]", "[4, 1]"}},
        Row{"complex numbers of pairs",
            "%0 = input f32[4, 2]\n%1 = aten.view_as_complex.default(%0)\n"
            "return %1\n",
            {"[1, 2]"}},
        Row{"pairs of complex numbers",
            "%0 = input c64[4]\n%1 = aten.view_as_real.default(%0)\n"
            "return %1\n",
            {"[1]"}},
        Row{"one row comes from another place",
            "%0 = input f32[4, 3]\n%1 = aten.flip.default(%0, [0])\n"
            "return %1\n",
            {"[4, 1]"}},
        Row{"what a row is hangs on its place",
            "%0 = input f32[4, 3]\n%1 = aten.tril.default(%0)\nreturn %1\n",
            {}},
        Row{"sizes stand in the call",
            "%0 = input f32[4, 3]\n%1 = aten.expand.default(%0, [4, 3])\n"
            "return %1\n",
            {}},
        Row{"a single row",
            "%0 = input f32[1, 3]\n%1 = aten._softmax.default(%0, 1, false)\n"
            "return %1\n",
            {}},
        Row{"another layout",
            "%0 = input f32[4, 3] strides[1, 4]\n%1 = aten.exp.default(%0)\n"
            "return %1\n",
            {}},
        Row{"a call that writes",
            "%0 = input f32[4, 3]\n%1 = aten.neg_.default(%0)\nreturn %1\n",
            {}},
        Row{"two calls",
            "%0 = input f32[4]\n%1 = aten.neg.default(%0)\n"
            "%2 = aten.neg.default(%1)\nreturn %2\n",
            {}},
        Row{"no operand",
            "%0 = aten.arange.start_step(0, 4, 1)\nreturn %0\n",
            {}}));

TEST(RowQuestion, NamesTheRowThatItMustBe) {
  const auto program = parse_program(
      "assay-program 1\n%0 = input f32[4, 3]\n%1 = aten.max.dim(%0, 0)\n"
      "%2 = getitem(%1, 1)\nreturn %1, %2\n");
  ASSERT_TRUE(program.ok());
  const auto questions =
      row_questions(specs_of("specs"), *program, counted(*program));
  ASSERT_EQ(questions.size(), 1u);
  const RowQuestion& q = questions[0];
  EXPECT_EQ(q.row, 1);
  EXPECT_THAT(q.dimensions, ElementsAre(0, 0));
  std::vector<double> column;
  for (std::int64_t i = 0; i < q.inputs[0].numel(); ++i) {
    column.push_back(q.inputs[0].number(i));
  }
  EXPECT_THAT(column, ElementsAre(1, 4, 7, 10));
}

}  // namespace
}  // namespace assay::cases
