// Result types as PyTorch's promotion gives them (measured on 2.11.0), and
// values that a lowering is most likely to get wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/graph/interpret.h"
#include "compiler/import.h"
#include "core/program_text.h"

namespace assay::compiler {
namespace {

Imported import_call(const std::string& inputs, const std::string& call) {
  std::string text = "assay-program 1\n";
  int id = 0;
  std::size_t from = 0;
  while (from < inputs.size()) {
    const std::size_t to = std::min(inputs.find("; ", from), inputs.size());
    text += "%" + std::to_string(id++) + " = input " +
            inputs.substr(from, to - from) + "\n";
    from = to + 2;
  }
  const std::string result = "%" + std::to_string(id);
  text += result + " = aten." + call + "\nreturn " + result + "\n";
  const Result<Program> program = parse_program(text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  Result<Imported> imported = import_program(*program);
  EXPECT_TRUE(imported.ok()) << imported.error().message << "\n" << text;
  EXPECT_FALSE(imported->refusal) << imported->refusal->message << "\n" << text;
  EXPECT_EQ(imported->unsupported, "") << text;
  return *std::move(imported);
}

TEST(Lowering, ResultTypes) {
  const struct {
    const char* inputs;
    const char* call;
    const char* expected;
  } kCases[] = {
      {"f16[3]; bf16[3]", "add.Tensor(%0, %1)", "f32[3]"},
      {"f16[3]; f64[]", "add.Tensor(%0, %1)", "f16[3]"},
      {"u8[3]; i64[]", "add.Tensor(%0, %1)", "u8[3]"},
      {"u8[3]; f16[]", "add.Tensor(%0, %1)", "f16[3]"},
      {"u8[3]; i32[3]", "add.Tensor(%0, %1)", "i32[3]"},
      {"u8[3]; i8[3]", "add.Tensor(%0, %1)", "i16[3]"},
      {"f64[]; f32[]", "add.Tensor(%0, %1)", "f64[]"},
      {"i64[3]", "add.Tensor(%0, 2.5)", "f32[3]"},
      {"i64[3]", "add.Tensor(2.5, %0)", "f32[3]"},
      {"bool[3]", "add.Tensor(%0, 2)", "i64[3]"},
      {"bool[3]", "add.Tensor(%0, true)", "bool[3]"},
      {"u8[3]", "mul.Tensor(%0, 300)", "u8[3]"},
      {"i64[3]; i32[3]", "div.Tensor(%0, %1)", "f32[3]"},
      {"bf16[3]; bool[3]", "div.Tensor(%0, %1)", "bf16[3]"},
      {"i64[3]", "exp.default(%0)", "f32[3]"},
      {"i64[3]", "ceil.default(%0)", "i64[3]"},
      {"i64[3]", "clamp.default(%0, 0.5)", "f32[3]"},
      {"bool[3]", "clamp.default(%0, 0, 1)", "i64[3]"},
      {"f16[2, 1]; f32[3]", "gt.Tensor(%0, %1)", "bool[2, 3]"},
      {"bool[2]; f16[2]; i64[2]", "where.self(%0, %1, %2)", "f16[2]"},
      {"u8[2, 3]", "sum.default(%0)", "i64[]"},
      {"bf16[2, 3]", "sum.dim_IntList(%0, [0], true)", "bf16[1, 3]"},
      {"f32[2, 3]", "sum.dim_IntList(%0, [])", "f32[]"},
      {"i64[2]", "sum.default(%0, dtype=f16)", "f16[]"},
      {"i64[2]", "mean.default(%0, dtype=f32)", "f32[]"},
      {"i64[2]", "softmax.int(%0, 0, f64)", "f64[2]"},
      {"f16[2, 3, 4]; f16[4]", "matmul.default(%0, %1)", "f16[2, 3]"},
      {"f16[3]; f16[2, 1, 3, 5]", "matmul.default(%0, %1)", "f16[2, 1, 5]"},
      {"f16[2, 2, 0]; f32[2, 0, 4]", "bmm.default(%0, %1)", "f16[2, 2, 4]"},
      {"bf16[7, 4]; i32[2, 3]", "embedding.default(%0, %1)", "bf16[2, 3, 4]"},
      {"f32[3, 8, 9]; f32[4, 3, 3, 3]", "conv2d.default(%0, %1, none, 2, 1)",
       "f32[4, 4, 5]"},
      {"f16[2, 3, 4]", "flatten.using_ints(%0, -2)", "f16[2, 12]"},
      {"f16[]", "flatten.using_ints(%0)", "f16[1]"},
      {"u8[5]", "slice.Tensor(%0, 0, -3, none, 2)", "u8[2]"},
      {"u8[5]", "slice.Tensor(%0, 0, 4, 2)", "u8[0]"},
      {"u8[5]", "slice.Tensor(%0, 0, 1, 9223372036854775807)", "u8[4]"},
      {"u8[2, 3]; f16[1, 3]", "cat.default([%0, %1])", "f16[3, 3]"},
  };
  for (const auto& c : kCases) {
    const Imported p = import_call(c.inputs, c.call);
    const Type& t = p.outputs[0];
    std::string got = std::string(dtype_name(t.dtype)) + "[";
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
      got += (d > 0 ? ", " : "") + std::to_string(t.sizes[d]);
    }
    EXPECT_EQ(got + "]", c.expected) << c.inputs << " " << c.call;
  }
}

// The result of a call on one-dimensional inputs with these elements.
std::vector<double> values(const std::string& inputs, const std::string& call,
                           const std::vector<std::vector<double>>& elements) {
  const Imported p = import_call(inputs, call);
  std::vector<Tensor> in;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Tensor t = Tensor::strided(p.body.inputs[i]);
    for (std::int64_t k = 0; k < t.numel(); ++k) {
      t.set_number(k, elements[i][static_cast<std::size_t>(k)]);
    }
    in.push_back(std::move(t));
  }
  const Tensor out = interpret(p.body, in)[0];
  std::vector<double> got;
  for (std::int64_t k = 0; k < out.numel(); ++k) got.push_back(out.number(k));
  return got;
}

using V = std::vector<double>;

TEST(Lowering, Values) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // 300 wraps to 44 as u8; i64 beyond 2^53 stays exact.
  EXPECT_EQ(values("u8[2]", "add.Tensor(%0, 300)", {{1, 255}}), (V{45, 43}));
  EXPECT_EQ(values("i64[1]", "mul.Tensor(%0, 4611686018427387904)", {{4}}),
            (V{0}));
  EXPECT_EQ(values("i32[2]", "sub.Tensor(%0, 1, alpha=3)", {{1, 5}}),
            (V{-2, 2}));
  EXPECT_EQ(values("bool[2]; bool[2]", "add.Tensor(%0, %1)", {{0, 1}, {0, 1}}),
            (V{0, 1}));
  EXPECT_EQ(values("i64[2]; i64[2]", "div.Tensor(%0, %1)", {{1, -1}, {0, 2}}),
            (V{inf, -0.5}));
  // f16: 2048 + 1 is a tie to even, 65504 + 32 overflows.
  EXPECT_EQ(
      values("f16[2]; f16[2]", "add.Tensor(%0, %1)", {{2048, 65504}, {1, 32}}),
      (V{2048, inf}));
  const V relu = values("f32[3]", "relu.default(%0)", {{nan, -inf, 2}});
  EXPECT_TRUE(std::isnan(relu[0]));
  EXPECT_EQ(relu[1], 0);
  const V top =
      values("f32[2]; f32[2]", "maximum.default(%0, %1)", {{1, nan}, {nan, 1}});
  EXPECT_TRUE(std::isnan(top[0]) && std::isnan(top[1]));
  EXPECT_EQ(values("f32[3]", "clamp.default(%0, 2, -2)", {{-5, 0, 5}}),
            (V{-2, -2, -2}));
  EXPECT_EQ(values("f32[4]", "_to_copy.default(%0, dtype=u8)",
                   {{-0.9, 3.99, 255, 2.5}}),
            (V{0, 3, 255, 2}));
  EXPECT_EQ(
      values("f32[3]", "_to_copy.default(%0, dtype=bool)", {{0, nan, -0.1}}),
      (V{0, 1, 1}));
  EXPECT_EQ(values("f32[2]", "zeros_like.default(%0)", {{nan, 3}}), (V{0, 0}));
  EXPECT_EQ(values("i64[2]", "sum.default(%0, dtype=u8)", {{255, 3}}), (V{2}));
  EXPECT_EQ(values("f32[3]", "sum.default(%0, dtype=i64)", {{.5, .5, .5}}),
            (V{0}));
  EXPECT_EQ(values("f32[0]", "sum.default(%0)", {{}}), (V{0}));
  EXPECT_TRUE(std::isnan(values("f32[0]", "mean.default(%0)", {{}})[0]));
  // beta = 0 ignores what is added; integer scales are truncated.
  EXPECT_EQ(values("f32[1]; f32[1, 1]; f32[1, 1]",
                   "addmm.default(%0, %1, %2, beta=0)", {{nan}, {2}, {3}}),
            (V{6}));
  EXPECT_EQ(values("i64[1]; i64[1, 1]; i64[1, 1]",
                   "addmm.default(%0, %1, %2, beta=1.5)", {{7}, {2}, {3}}),
            (V{13}));
  // alpha = 0 leaves nothing of a product, though it may overflow.
  EXPECT_EQ(
      values("f32[1]; f32[1, 1]; f32[1, 1]",
             "addmm.default(%0, %1, %2, alpha=0)", {{7}, {0x1p100}, {0x1p100}}),
      (V{7}));
  EXPECT_EQ(values("f32[1, 1, 1]; f32[1, 1, 1]; f32[1, 1, 1]",
                   "baddbmm.default(%0, %1, %2, alpha=0)",
                   {{7}, {0x1p100}, {0x1p100}}),
            (V{7}));
  // What is left is a zero of the product's sign.
  const V signs = values("f32[2]; f32[1, 1]; f32[1, 2]",
                         "addmm.default(%0, %1, %2, alpha=0)",
                         {{-0.0, -0.0}, {1}, {-1, 1}});
  EXPECT_TRUE(std::signbit(signs[0]));
  EXPECT_FALSE(std::signbit(signs[1]));
  // A product is taken into the sum unrounded: (1 + 2^-12)^2 - 1.
  const double x = 1 + 0x1p-12;
  EXPECT_EQ(values("f32[1, 2]; f32[2, 2]", "mm.default(%0, %1)",
                   {{-1, x}, {1, 0, x, 0}}),
            (V{0x1p-11 + 0x1p-24, 0}));
  // A row by a column, too, whatever is beside them.
  EXPECT_EQ(
      values("f32[1, 2]; f32[2, 1]", "mm.default(%0, %1)", {{-1, x}, {1, x}}),
      (V{0x1p-11 + 0x1p-24}));
  // A vector by a vector adds rounded products.
  EXPECT_EQ(
      values("f32[2]; f32[2]", "matmul.default(%0, %1)", {{-1, x}, {1, x}}),
      (V{0x1p-11}));
  EXPECT_EQ(values("f32[1, 2, 1, 1]; f32[1, 2, 1, 1]", "conv2d.default(%0, %1)",
                   {{-1, x}, {1, x}}),
            (V{0x1p-11 + 0x1p-24}));
  // Windows overlap where the sizes do not divide.
  EXPECT_EQ(values("f32[1, 1, 1, 5]", "adaptive_avg_pool2d.default(%0, [1, 3])",
                   {{1, 2, 3, 4, 5}}),
            (V{1.5, 3, 4.5}));
  // Padding counts where it is asked for, and beyond it nothing does.
  EXPECT_EQ(values("f32[1, 1, 3]",
                   "avg_pool2d.default(%0, [1, 2], [1, 2], [0, 1], true)",
                   {{6, 2, 4}}),
            (V{3, 3}));
  EXPECT_EQ(
      values("f32[1, 1, 3]",
             "avg_pool2d.default(%0, [1, 2], [1, 2], [0, 1], true, false)",
             {{6, 2, 4}}),
      (V{6, 3}));
  EXPECT_EQ(values("f32[1, 1, 4]",
                   "avg_pool2d.default(%0, [1, 3], [1, 2], [0, 0], true, true)",
                   {{1, 2, 3, 8}}),
            (V{2, 5.5}));
  EXPECT_TRUE(std::signbit(
      values("f32[1, 1, 2]", "avg_pool2d.default(%0, [1, 2])", {{-0.0, -0.0}})
          .front()));
  EXPECT_EQ(values("f32[1, 2, 3]",
                   "max_pool2d_with_indices.default(%0, [2, 2], [1, 1])",
                   {{nan, 1, 3, 9, 2, inf}})[1],
            inf);
  // Padding is multiplied too: infinity times zero.
  const V padded =
      values("f32[1, 1, 1, 1]; f32[1, 1, 1, 3]",
             "conv2d.default(%0, %1, none, 1, [0, 1])", {{1}, {inf, 2, 3}});
  EXPECT_TRUE(std::isnan(padded[0]));
}

TEST(Lowering, FloatsNarrowInOneRounding) {
  // 1 + 2^-11 + 2^-40: through f32 it would become a tie and round down.
  EXPECT_EQ(values("f64[1]", "_to_copy.default(%0, dtype=f16)",
                   {{1 + 0x1p-11 + 0x1p-40}}),
            (V{1 + 0x1p-10}));
  EXPECT_EQ(values("i32[1]", "_to_copy.default(%0, dtype=bf16)",
                   {{(1 << 24) + (1 << 16) + 1}}),
            (V{(1 << 24) + (1 << 17)}));
}

}  // namespace
}  // namespace assay::compiler
