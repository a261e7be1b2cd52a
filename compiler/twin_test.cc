// Differential tests: the contract graph, the graph after the passes, the
// nest, and what each compiler makes of the text for each target must agree
// bit for bit on random programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "compiler/artifact.h"
#include "compiler/graph/interpret.h"
#include "compiler/graph/passes.h"
#include "compiler/random_program.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

std::string scratch_cache() {
  return (std::filesystem::temp_directory_path() /
          ("assay-twin-" + std::to_string(getpid())))
      .string();
}

std::vector<Tensor> run(const Program& program, const CompileOptions& options,
                        std::vector<Tensor> inputs, std::string* text) {
  const auto artifact = compiled(program, options);
  std::vector<Tensor> outputs = launched(artifact.get(), std::move(inputs));
  if (artifact != nullptr) *text = artifact->explain("c++");
  return outputs;
}

// Nothing where a call has no derived code.
std::optional<std::vector<Tensor>> run_graph(
    const Program& program, const std::vector<Tensor>& inputs,
    Lowering lowering = Lowering::hand) {
  Result<Imported> imported = import_program(program, {}, lowering);
  if (!imported.ok()) {
    ADD_FAILURE() << imported.error().message;
    return std::nullopt;
  }
  if (!imported->unsupported.empty()) {
    EXPECT_EQ(lowering, Lowering::derived) << imported->unsupported;
    return std::nullopt;
  }
  return interpret(imported->body, inputs);
}

using Size = ToolchainOptions::Program;

struct Way {
  std::string name;
  CompileOptions options;
};

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  const auto add = [&](const std::string& name, CompileOptions o) {
    o.cache = scratch_cache();
    ways.push_back({name, std::move(o)});
  };
  CompileOptions graph;
  graph.engine = CompileOptions::Engine::graph;
  add("graph after passes", graph);
  CompileOptions nest;
  nest.engine = CompileOptions::Engine::nest;
  add("nest", nest);
  for (const std::string& compiler : system_compilers()) {
    for (const Size size : {Size::small, Size::large}) {
      CompileOptions o;
      o.compiler = compiler;
      o.program = size;
      o.threads = size == Size::small ? 1 : 3;
      add(compiler +
              (size == Size::small ? " fast to compile" : " fast to run"),
          o);
    }
  }
  for (const Target& t : machine_targets()) {
    CompileOptions o;
    o.target = t;
    o.program = Size::small;
    add(t.name, o);
  }
  return ways;
}

// What each compiler makes for each target where it takes its time.
std::vector<Way> optimised_ways() {
  std::vector<Way> ways;
  for (const std::string& compiler : system_compilers()) {
    for (const Target& target : machine_targets()) {
      CompileOptions o;
      o.compiler = compiler;
      o.target = target;
      o.program = Size::large;
      o.cache = scratch_cache();
      ways.push_back({compiler + " for " + target.name, std::move(o)});
    }
  }
  return ways;
}

int programs_to_try() {
  const char* n = std::getenv("ASSAY_TWIN_PROGRAMS");
  return n != nullptr ? std::atoi(n) : 24;
}

void expect_the_same_bits(Lowering lowering) {
  std::vector<Way> ways = all_ways();
  int tried = 0;
  for (int seed = 0; seed < programs_to_try(); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const Program program = random_program(&random, 4 + seed % 14);
    const std::vector<Tensor> inputs = random_inputs(&random, program);
    const auto expected = run_graph(program, inputs, lowering);
    if (!expected) continue;
    ++tried;
    for (Way& way : ways) {
      way.options.lowering = lowering;
      // Compiled ways in turn: each program takes two of them.
      const auto place = static_cast<std::size_t>(&way - ways.data());
      if (place >= 2 && (place + static_cast<std::size_t>(seed)) % 3 != 0) {
        continue;
      }
      std::string text;
      const std::vector<Tensor> got = run(program, way.options, inputs, &text);
      ASSERT_EQ(got.size(), expected->size()) << "seed " << seed;
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(same_elements(got[i], (*expected)[i]))
            << "seed " << seed << ", " << way.name << ", output " << i << "\n"
            << to_text(program) << text;
      }
    }
  }
  EXPECT_GT(tried, programs_to_try() / 2);
  std::filesystem::remove_all(scratch_cache());
}

TEST(Twin, EveryWayGivesTheSameBits) { expect_the_same_bits(Lowering::hand); }

TEST(Twin, EveryWayGivesTheSameBitsOfDerivedCode) {
  expect_the_same_bits(Lowering::derived);
}

void expect_bits_of_the_graph(const Program& program,
                              const std::vector<Tensor>& inputs,
                              const std::vector<Way>& ways) {
  const auto expected = run_graph(program, inputs);
  ASSERT_TRUE(expected);
  for (const Way& way : ways) {
    std::string text;
    const std::vector<Tensor> got = run(program, way.options, inputs, &text);
    // The graph has what guards look at beside them.
    ASSERT_EQ(got.size(), program.outputs.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(same_elements(got[i], (*expected)[i]))
          << way.name << ", output " << i;
    }
  }
  std::filesystem::remove_all(scratch_cache());
}

// An index that is one column narrower than what it is added to leaves the last
// lane of a vector on a path of its own: Clang 14 read all lanes' terms from
// where no lane was to read (loops.inc, A_LOOP_OF_SCALARS), in the company of
// another reduction.
TEST(Twin, TermsOnOneOfSeveralPathsAreRead) {
  const Program program = parsed(
      "%0 = input u8[4, 17]\n%1 = input i32[9, 16]\n%2 = input u8[9, 17]\n"
      "%3 = input bf16[3, 0]\n%4 = aten.any.default(%3)\n"
      "%5 = aten.scatter_add.default(%0, 0, %1, %2)\n"
      "%6 = aten._to_copy.default(%5, dtype=i32)\nreturn %4, %6\n");
  std::vector<Tensor> inputs;
  for (const TensorType& t : program.inputs) {
    inputs.push_back(Tensor::zeros(t.dtype, t.sizes));
    for (std::int64_t i = 0; i < inputs.back().numel(); ++i) {
      inputs.back().set_number(i, static_cast<double>(i * 5 % 3));
    }
  }
  expect_bits_of_the_graph(program, inputs, optimised_ways());
}

// Of a float that becomes an i32 Clang 14 took the pattern, where a u8 became
// an i64 beside it (the same place).
TEST(Twin, FloatsBecomeNarrowIntegersBesideWideOnes) {
  const Program program = parsed(
      "%0 = input f32[5, 7]\n%1 = input u8[1, 7] strides[14, 2]\n"
      "%2 = input i64[5, 7]\n%3 = aten._to_copy.default(%0, dtype=i32)\n"
      "%4 = aten._to_copy.default(%3, dtype=f32)\n"
      "%5 = aten._to_copy.default(%4, dtype=bf16)\n"
      "%6 = aten.log10.default(%4)\n%7 = aten.eq.Scalar(%4, 1.0)\n"
      "%8 = aten.where.self(%7, %4, %6)\n%9 = aten.eq.Tensor(%1, %2)\n"
      "return %5, %8, %9\n");
  std::vector<Tensor> inputs;
  for (const TensorType& t : program.inputs) {
    Tensor x;
    x.type = t;
    x.storage = Tensor::zeros(t.dtype, {64}).storage;
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      x.set_number(i, is_float(t.dtype) ? 3.25 * static_cast<double>(i) : 1);
    }
    inputs.push_back(std::move(x));
  }
  expect_bits_of_the_graph(program, inputs, optimised_ways());
}

// The lanes of a reduction are one array for all points. Told that no point
// touches what another writes, Clang 14 filled it for many points before it
// read what was there for the first (loops.inc, A_LOOP_OF_SUMS), in the company
// of another reduction.
TEST(Twin, PointsThatReduceShareNoLanes) {
  const Program program = parsed(
      "%0 = input f16[1, 2, 64]\n%1 = input bf16[1, 2, 8, 9]\n"
      "%2 = aten.max_pool1d.default(%0, [2], [], [0], [2], true)\n"
      "%3 = aten.logcumsumexp.default(%1, 3)\nreturn %2, %3\n");
  std::vector<Tensor> inputs = {Tensor::zeros(DType::f16, {1, 2, 64}),
                                Tensor::zeros(DType::bf16, {1, 2, 8, 9})};
  for (std::int64_t i = 0; i < 128; ++i) {
    inputs[0].set_number(i, static_cast<double>(i * 37 % 101));
  }
  std::vector<Way> ways = optimised_ways();
  for (Way way : optimised_ways()) {
    way.name += ", fixed";
    way.options.fixed_sizes = true;
    ways.push_back(std::move(way));
  }
  expect_bits_of_the_graph(program, inputs, ways);
}

// What small programs do not reach: several blocks of an order, strips with a
// rest, tiles with rests, kernels that threads share.
TEST(Twin, LongLoopsGiveTheSameBits) {
  constexpr const char* kPrograms[] = {
      "%0 = input f32[4, 9000]\n"
      "%1 = aten.sum.dim_IntList(%0, [1])\n"
      "%2 = aten.amax.default(%0, [1])\n"
      "%3 = aten.amin.default(%0, [1])\n"
      "%4 = aten.sum.default(%0)\nreturn %1, %2, %3, %4\n",
      "%0 = input f32[2100, 70]\n"
      "%1 = aten.sum.dim_IntList(%0, [0])\n"
      "%2 = aten.softmax.int(%0, 0)\n"
      "%3 = aten.amax.default(%0, [0])\nreturn %1, %2, %3\n",
      "%0 = input bf16[90, 300]\n%1 = input f64[5, 40, 300]\n"
      "%2 = aten.mean.dim(%0, [0])\n%3 = aten.softmax.int(%0, 1)\n"
      "%4 = aten.sum.dim_IntList(%1, [1])\n"
      "%5 = aten.amin.default(%1, [2])\nreturn %2, %3, %4, %5\n",
      "%0 = input f32[150, 250]\n%1 = input f32[250, 150]\n"
      "%2 = input u8[250, 150]\n%3 = aten.transpose.int(%1, 0, 1)\n"
      "%4 = aten.add.Tensor(%0, %3)\n%5 = aten.transpose.int(%2, 0, 1)\n"
      "%6 = aten.mul.Tensor(%4, %5)\nreturn %6\n",
      "%0 = input f16[3, 20, 12, 40]\n%1 = input f64[3, 40, 20, 12]\n"
      "%2 = aten.permute.default(%0, [0, 3, 1, 2])\n"
      "%3 = aten.add.Tensor(%2, %1)\nreturn %3\n",
      "%0 = input f32[120, 300]\n%1 = input f32[300]\n"
      "%2 = aten.add.Tensor(%0, %1)\n"
      "%3 = aten.layer_norm.default(%2, [300], %1, %1, 1e-05, true)\n"
      "%4 = aten.relu.default(%3)\nreturn %2, %4\n",
      "%0 = input i64[700, 60]\n%1 = input bool[700, 60]\n"
      "%2 = aten.amax.default(%0, [1])\n%3 = aten.amin.default(%0, [0])\n"
      "%4 = aten.sum.dim_IntList(%1, [1])\n"
      "%5 = aten.amax.default(%1, [1])\n%6 = aten.amax.default(%1, [0])\n"
      "return %2, %3, %4, %5, %6\n",
      // Rows that are reduced in parts, with a rest of a block.
      "%0 = input f32[3, 270000]\n%1 = aten.sum.dim_IntList(%0, [1])\n"
      "%2 = aten.mean.default(%0)\n%3 = aten.amin.default(%0, [1])\n"
      "return %1, %2, %3\n",
      "%0 = input bf16[131100, 3]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.sum.dim_IntList(%1, [0])\n%3 = aten.amax.default(%0)\n"
      "return %2, %3\n",
      // Rows that are fetched ahead, with a rest of a chunk.
      "%0 = input f32[264, 1000]\n%1 = aten.softmax.int(%0, 1)\n"
      "%2 = aten.var.correction(%0, [1])\nreturn %1, %2\n",
      "%0 = input f16[2, 3, 12, 20]\n%1 = input bf16[1, 2, 9, 5]\n"
      "%2 = aten.upsample_bilinear2d.default(%0, [24, 37], false)\n"
      "%3 = aten.upsample_bilinear2d.default(%0, [6, 50], true)\n"
      "%4 = aten.upsample_bilinear2d.default(%1, [9, 3], false)\n"
      "%5 = aten.gelu.default(%2)\n%6 = aten.silu.default(%3)\n"
      "%7 = aten.gelu.default(%4, approximate=\"tanh\")\n"
      "%8 = aten.sigmoid.default(%0)\nreturn %5, %6, %7, %8\n",
  };
  const std::vector<Way> ways = all_ways();
  std::mt19937_64 random(7);
  std::size_t next = 0;
  for (const char* lines : kPrograms) {
    const Result<Program> program =
        parse_program(std::string("assay-program 1\n") + lines);
    ASSERT_TRUE(program.ok()) << program.error().message;
    const std::vector<Tensor> inputs = random_inputs(&random, *program);
    const auto expected = run_graph(*program, inputs);
    ASSERT_TRUE(expected.has_value()) << lines;
    // The nest, and compiled ways in turn.
    for (std::size_t i = 1; i < ways.size(); ++i) {
      if (i > 1 && (i + next) % 3 != 0) continue;
      std::string text;
      const std::vector<Tensor> got =
          run(*program, ways[i].options, inputs, &text);
      ASSERT_EQ(got.size(), expected->size()) << lines;
      for (std::size_t o = 0; o < got.size(); ++o) {
        ASSERT_TRUE(same_elements(got[o], (*expected)[o]))
            << ways[i].name << ", output " << o << "\n"
            << lines << text;
      }
    }
    ++next;
  }
  std::filesystem::remove_all(scratch_cache());
}

// Columns: Clang 14 made vectors of 32 halves of every third from others.
TEST(Twin, ColumnsGiveTheSameBits) {
  for (const Way& way : optimised_ways()) {
    for (const char* type : {"f16", "bf16", "i8"}) {
      for (int width = 2; width <= 8; ++width) {
        const Program program =
            parsed(fmt::format("%0 = input {}[300, {}]\n"
                               "%1 = aten.select.int(%0, 1, 1)\n"
                               "%2 = aten._to_copy.default(%1, dtype=f32)\n"
                               "return %2\n",
                               type, width));
        std::mt19937_64 random(7);
        const std::vector<Tensor> inputs = random_inputs(&random, program);
        const auto expected = run_graph(program, inputs);
        ASSERT_TRUE(expected.has_value());
        std::string text;
        const std::vector<Tensor> got =
            run(program, way.options, inputs, &text);
        ASSERT_EQ(got.size(), 1u);
        EXPECT_TRUE(same_elements(got[0], (*expected)[0])) << way.name << "\n"
                                                           << text;
      }
    }
  }
  std::filesystem::remove_all(scratch_cache());
}

// Strips of functions of near operands, with none, one and all of them far, in
// each kind of loop.
TEST(Twin, FarOperandsGiveTheSameBits) {
  constexpr const char* kPrograms[] = {
      "%0 = input f32[1500]\n%1 = aten.sin.default(%0)\n"
      "%2 = aten.cos.default(%0)\n%3 = aten.mul.Tensor(%1, %2)\n"
      "%4 = aten.tan.default(%0)\nreturn %3, %4\n",
      "%0 = input f64[5, 3, 700]\n%1 = aten.sin.default(%0)\n"
      "%2 = aten.cos.default(%0)\n%3 = aten.tan.default(%2)\n"
      "return %1, %3\n",
      "%0 = input bf16[3, 1100]\n%1 = aten.sin.default(%0)\n"
      "%2 = aten.softmax.int(%1, 1)\n%3 = aten.cos.default(%2)\n"
      "%4 = aten.sum.dim_IntList(%1, [0])\nreturn %3, %4\n",
      "%0 = input f32[90, 130]\n%1 = input f32[130, 90]\n"
      "%2 = aten.transpose.int(%0, 0, 1)\n%3 = aten.sin.default(%2)\n"
      "%4 = aten.cos.default(%1)\n%5 = aten.add.Tensor(%3, %4)\n"
      "%6 = aten.amax.default(%3, [0])\nreturn %5, %6\n",
      "%0 = input f32[40, 600]\n%1 = aten.tan.default(%0)\n"
      "%2 = aten.softmax.int(%1, 0)\n%3 = aten.sin.default(%1)\n"
      "%4 = aten.sum.dim_IntList(%3, [0])\nreturn %2, %4\n",
  };
  const std::vector<Way> ways = all_ways();
  std::mt19937_64 random(11);
  for (const char* lines : kPrograms) {
    const Program program = parsed(lines);
    for (const int far_ones : {0, 1, 1 << 20}) {
      std::vector<Tensor> inputs = random_inputs(&random, program);
      for (Tensor& t : inputs) {
        const double far[] = {0x1p17, 0x1.fffffep16, -0x1.8p20, 0x1.86ap100,
                              std::nan("")};
        for (std::int64_t i = 0; i < t.numel(); ++i) {
          const bool is_far = far_ones > t.numel();
          const auto r = random();
          t.set_number(i, is_far ? far[r % 5]
                                 : std::ldexp(static_cast<double>(r) - 0x1p63,
                                              -48 - static_cast<int>(r % 30)));
        }
        if (far_ones != 1) continue;
        const auto n = static_cast<std::uint64_t>(t.numel());
        t.set_number(static_cast<std::int64_t>(random() % n),
                     far[random() % 5]);
      }
      const auto expected = run_graph(program, inputs);
      ASSERT_TRUE(expected.has_value()) << lines;
      for (std::size_t i = 1; i < ways.size(); ++i) {
        std::string text;
        const std::vector<Tensor> got =
            run(program, ways[i].options, inputs, &text);
        ASSERT_EQ(got.size(), expected->size()) << lines;
        for (std::size_t o = 0; o < got.size(); ++o) {
          ASSERT_TRUE(same_elements(got[o], (*expected)[o]))
              << ways[i].name << ", output " << o << "\n"
              << lines << text;
        }
      }
    }
  }
  std::filesystem::remove_all(scratch_cache());
}

// Without compilers: many more programs through the passes and the nest.
TEST(Twin, PassesAndNestKeepTheBits) {
  CompileOptions graph, nest;
  graph.engine = CompileOptions::Engine::graph;
  nest.engine = CompileOptions::Engine::nest;
  int calls = 0;
  for (int seed = 1000; seed < 1400; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const Program program = random_program(&random, 3 + seed % 16);
    calls += static_cast<int>(program.nodes.size());
    const std::vector<Tensor> inputs = random_inputs(&random, program);
    const auto expected = run_graph(program, inputs);
    ASSERT_TRUE(expected.has_value()) << "seed " << seed;
    for (const CompileOptions* options : {&graph, &nest}) {
      std::string text;
      const std::vector<Tensor> got = run(program, *options, inputs, &text);
      ASSERT_EQ(got.size(), expected->size()) << "seed " << seed;
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(same_elements(got[i], (*expected)[i]))
            << "seed " << seed << ", output " << i << "\n"
            << to_text(program);
      }
    }
  }
  EXPECT_GT(calls, 2000);
}

}  // namespace
}  // namespace assay::compiler
