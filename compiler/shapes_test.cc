// Programs of several shapes: they share code where their texts are the same,
// and code that is shared gives the bits of the graph's interpreter, as that
// made for a shape alone does.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "compiler/artifact.h"
#include "compiler/graph/interpret.h"
#include "compiler/random_program.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

using ::testing::HasSubstr;
using Size = ToolchainOptions::Program;

class Shapes : public ::testing::Test {
 protected:
  Shapes() {
    options_.cache = (std::filesystem::temp_directory_path() /
                      ("assay-shapes-" + std::to_string(getpid())))
                         .string();
  }
  ~Shapes() override { std::filesystem::remove_all(options_.cache); }

  CompileOptions options_;
};

// Nothing if the program is refused or not supported.
std::optional<std::vector<Tensor>> expected_of(
    const Program& program, const std::vector<Tensor>& inputs) {
  const Result<Imported> imported = import_program(program);
  if (!imported.ok() || imported->refusal || !imported->unsupported.empty()) {
    return std::nullopt;
  }
  std::vector<Tensor> out = interpret(imported->body, inputs);
  out.resize(imported->outputs.size());  // guards look at the others
  return out;
}

void expect_bits(Artifact* artifact, std::vector<Tensor> inputs,
                 const std::vector<Tensor>& expected, const Program& program) {
  ASSERT_NE(artifact, nullptr);
  const std::vector<Tensor> got = launched(artifact, std::move(inputs));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(same_elements(got[i], expected[i]))
        << "output " << i << "\n"
        << to_text(program) << artifact->explain("sizes")
        << artifact->explain("c++");
  }
}

// A program for some extents.
struct Family {
  const char* name;
  std::string (*text)(std::int64_t m, std::int64_t n);
  bool divides = false;  // by sizes: in the text unless the program is small
};
constexpr Family kFamilies[] = {
    {"pointwise",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input f32[{0}, {1}]\n%1 = input f16[{1}]\n"
           "%2 = input i64[{0}, 1]\n%3 = aten.mul.Tensor(%0, %1)\n"
           "%4 = aten.add.Tensor(%3, %2)\n%5 = aten.exp.default(%4)\n"
           "return %5\n",
           m, n);
     }},
    {"rows",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input f32[{0}, {1}]\n%1 = aten.softmax.int(%0, 1)\n"
           "%2 = aten.mean.dim(%0, [1])\n%3 = aten.amax.default(%0, [1])\n"
           "return %1, %2, %3\n",
           m, n);
     }},
    {"normalised rows",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input bf16[{0}, {1}]\n%1 = input bf16[{1}]\n"
           "%2 = aten.layer_norm.default(%0, [{1}], %1, %1, 1e-05, true)\n"
           "return %2\n",
           m, n);
     }},
    {"columns",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input f32[{0}, {1}]\n%1 = aten.softmax.int(%0, 0)\n"
           "%2 = aten.sum.dim_IntList(%0, [0])\nreturn %1, %2\n",
           m, n);
     }},
    {"transposed",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input f32[{0}, {1}]\n%1 = input f64[{1}, {0}]\n"
           "%2 = aten.transpose.int(%1, 0, 1)\n%3 = aten.add.Tensor(%0, %2)\n"
           "return %3\n",
           m, n);
     }},
    {"gathered",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input f32[5, {1}]\n%1 = input bool[{0}]\n"
           "%2 = aten._to_copy.default(%1, dtype=i64)\n"
           "%3 = aten.embedding.default(%0, %2)\nreturn %3\n",
           m, n);
     }},
    {"product",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input f32[{0}, {1}]\n%1 = input f32[{1}, {0}]\n"
           "%2 = input i32[{0}, {1}]\n%3 = input i32[{1}, {0}]\n"
           "%4 = aten.mm.default(%0, %1)\n%5 = aten.mm.default(%2, %3)\n"
           "return %4, %5\n",
           m, n);
     }},
    {"pooling",
     [](std::int64_t m, std::int64_t n) {
       return fmt::format(
           "%0 = input f32[2, 3, {0}, {1}]\n"
           "%1 = aten.adaptive_avg_pool2d.default(%0, [3, 2])\nreturn %1\n",
           m, n);
     },
     true},
};

// Shapes in which no short loop occurs, and whose products are cut alike.
constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {
    {96, 160}, {160, 80}, {192, 72}};

TEST_F(Shapes, AnotherShapeCompilesNothing) {
  std::mt19937_64 random(3);
  for (const Size size : {Size::small, Size::medium}) {
    options_.program = size;
    for (const Family& f : kFamilies) {
      if (size != Size::small && f.divides) continue;
      std::int64_t after_first = 0;
      for (const auto& [m, n] : kShapes) {
        const Program program = parsed(f.text(m, n));
        const std::vector<Tensor> inputs = random_inputs(&random, program);
        const auto expected = expected_of(program, inputs);
        ASSERT_TRUE(expected.has_value()) << f.name;
        const std::int64_t before = compilations();
        const auto artifact = compiled(program, options_);
        expect_bits(artifact.get(), inputs, *expected, program);
        if (after_first == 0) {
          EXPECT_EQ(compilations(), before + 1) << f.name;
          after_first = compilations();
        }
        EXPECT_EQ(compilations(), after_first)
            << f.name << " " << m << "x" << n << "\n"
            << to_text(program);
      }
    }
  }
}

// What the counter counts, and that the option does what it says.
TEST_F(Shapes, CodeForAShapeAloneIsCompiledForEach) {
  options_.program = Size::small;
  options_.fixed_sizes = true;
  std::mt19937_64 random(4);
  const Family& rows = kFamilies[1];
  for (const auto& [m, n] : kShapes) {
    const Program program = parsed(rows.text(m, n));
    const std::vector<Tensor> inputs = random_inputs(&random, program);
    const std::int64_t before = compilations();
    const auto artifact = compiled(program, options_);
    EXPECT_EQ(compilations(), before + 1);
    EXPECT_EQ(artifact->explain("sizes"), "");
    expect_bits(artifact.get(), inputs, *expected_of(program, inputs), program);
  }
}

TEST_F(Shapes, ExplainSaysWhichSizesAreFree) {
  options_.program = Size::medium;
  const Program program = parsed(
      "%0 = input f32[100, 200]\n%1 = aten.sum.dim_IntList(%0, [1])\n"
      "return %1\n");
  const auto artifact = compiled(program, options_);
  ASSERT_NE(artifact, nullptr);
  EXPECT_THAT(artifact->explain("sizes"), HasSubstr(" = 200: extent of r\n"));
  EXPECT_THAT(artifact->explain("sizes"), HasSubstr(" = 200: stride in b0\n"));
  EXPECT_THAT(artifact->explain("c++"), HasSubstr("// extent of r\n"));
}

// `t` with other sizes, whose dimensions lie in memory in the same order, as
// many elements apart.
TensorType resized(TensorType t, const std::vector<std::int64_t>& to) {
  const Shape before = t.strides;
  for (std::int64_t& s : t.sizes) s = to[static_cast<std::size_t>(s)];
  std::vector<std::size_t> order(t.sizes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return before[a] != before[b] ? before[a] < before[b] : a > b;
  });
  std::int64_t stride = 0;
  for (const std::size_t d : order) {
    if (before[d] == 0) continue;
    if (stride == 0) stride = before[d];
    t.strides[d] = stride;
    stride *= std::max<std::int64_t>(t.sizes[d], 1);
  }
  return t;
}

// The program with each size that is no 0 or 1 replaced by another one,
// wherever it occurs.
Program resized(std::mt19937_64* random, Program program) {
  std::vector<std::int64_t> to(64);
  std::iota(to.begin(), to.end(), 0);
  for (std::size_t s = 2; s < to.size(); ++s) {
    to[s] = 2 + static_cast<std::int64_t>((*random)() % 20);
  }
  for (TensorType& t : program.inputs) t = resized(std::move(t), to);
  Program constants;
  for (const Tensor& c : program.constants) {
    constants.inputs.push_back(resized(c.type, to));
  }
  program.constants = random_inputs(random, constants);
  return program;
}

TEST_F(Shapes, SharedCodeGivesTheBitsOfCodeForTheShapeAlone) {
  CompileOptions alone = options_;
  alone.fixed_sizes = true;
  int tried = 0, shared = 0;
  for (int seed = 0; seed < 16; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 50);
    const Program first = random_program(&random, 3 + seed % 6);
    options_.program = seed % 2 == 0 ? Size::small : Size::medium;
    options_.threads = 1 + seed % 2;
    if (compiled(first, options_) == nullptr) continue;
    for (int variant = 0; variant < 4; ++variant) {
      const Program program = resized(&random, first);
      const std::vector<Tensor> inputs = random_inputs(&random, program);
      const auto expected = expected_of(program, inputs);
      if (!expected) continue;
      ++tried;
      const std::int64_t before = compilations();
      const auto artifact = compiled(program, options_);
      shared += compilations() == before ? 1 : 0;
      expect_bits(artifact.get(), inputs, *expected, program);
      if (variant > 0 || HasFailure()) continue;
      alone.program = options_.program;
      expect_bits(compiled(program, alone).get(), inputs, *expected, program);
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(tried, 24);
  EXPECT_GT(3 * shared, tried);
}

// g++ makes vectors of a loop that goes in steps of 8, and of one whose steps
// it does not know; of steps of 10 it makes none.
TEST_F(Shapes, StepsThatNobodySortsOutAreNotInTheText) {
  options_.program = Size::medium;
  const auto text = [&](int columns) {
    const auto artifact = compiled(
        parsed(fmt::format("%0 = input f32[4096, {}]\n"
                           "%1 = aten.logsumexp.default(%0, [1])\nreturn %1\n",
                           columns)),
        options_);
    return artifact == nullptr ? "" : artifact->explain("c++");
  };
  EXPECT_NE(text(8).find("[i0 * 8 + 1]"), std::string::npos) << text(8);
  EXPECT_EQ(text(10).find("i0 * 10"), std::string::npos) << text(10);
}

// A library that is there already serves a program that would do with less.
TEST_F(Shapes, FewElementsTakeTheCodeOfMany) {
  const auto negation = [](std::int64_t n) {
    return parsed(fmt::format(
        "%0 = input f32[{}]\n%1 = aten.neg.default(%0)\nreturn %1\n", n));
  };
  ASSERT_NE(compiled(negation(5000), options_), nullptr);
  const std::int64_t before = compilations();
  ASSERT_NE(compiled(negation(50), options_), nullptr);
  EXPECT_EQ(compilations(), before);
}

}  // namespace
}  // namespace assay::compiler
