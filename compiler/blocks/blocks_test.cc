// A nest that is run by blocks gives the bits of the contract graph, on random
// programs and on what those do not reach; and a program that starts so goes
// over to its code.
#include "compiler/blocks/blocks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "compiler/graph/interpret.h"
#include "compiler/random_program.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

// Those of this machine's targets that have block functions.
std::vector<Target> targets() {
  std::vector<Target> all;
  for (const Target& t : machine_targets()) {
    if (block_functions(t.march) != nullptr) all.push_back(t);
  }
  return all;
}

class BlocksTest : public testing::Test {
 protected:
  void SetUp() override {
    if (targets().empty())
      GTEST_SKIP() << "block functions are compiled for x86-64-v3 and "
                      "v4, of which this machine has neither";
  }

  // True if it ran by blocks: not every nest can.
  bool compare(const Program& program, Lowering lowering = Lowering::hand) {
    const Result<Imported> imported = import_program(program, {}, lowering);
    EXPECT_TRUE(imported.ok()) << imported.error().message;
    if (!imported.ok() || !imported->unsupported.empty()) return false;
    std::vector<Tensor> inputs = random_inputs(&random_, program);
    const std::vector<Tensor> expected = interpret(imported->body, inputs);
    for (const Target& t : targets()) {
      CompileOptions options;
      options.engine = CompileOptions::Engine::blocks;
      options.target = t;
      options.lowering = lowering;
      Artifact::Made made = Artifact::compile(program, options);
      if (const auto* failure = std::get_if<Failure>(&made)) {
        EXPECT_EQ(failure->kind, Failure::Kind::unsupported)
            << failure->refusal.message;
        return false;
      }
      auto& artifact = std::get<std::unique_ptr<Artifact>>(made);
      const std::vector<Tensor> got = launched(artifact.get(), inputs);
      EXPECT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(same_elements(got[i], expected[i]))
            << t.name << ", output " << i << "\n"
            << to_text(program) << artifact->explain("nest");
      }
    }
    return true;
  }

  std::mt19937_64 random_{11};
};

TEST_F(BlocksTest, GivesTheBitsOfTheGraph) {
  for (const Lowering lowering : {Lowering::hand, Lowering::derived}) {
    int ran = 0;
    for (int seed = 2000; seed < 2200 && !HasFailure(); ++seed) {
      random_.seed(static_cast<std::uint64_t>(seed));
      const Program program = random_program(&random_, 3 + seed % 16);
      ran += compare(program, lowering) ? 1 : 0;
    }
    EXPECT_GT(ran, 60) << "of 200 programs";
  }
}

// Several blocks in a row, with a rest; strides; columns; computed indices;
// every order of reductions over floats and integers; narrow types.
TEST_F(BlocksTest, GivesTheBitsOfTheGraphInLongLoops) {
  constexpr const char* kPrograms[] = {
      "%0 = input f32[3, 9000]\n"
      "%1 = aten.sum.dim_IntList(%0, [1])\n"
      "%2 = aten.amax.default(%0, [1])\n"
      "%3 = aten.amin.default(%0, [1])\n"
      "%4 = aten.sum.default(%0)\nreturn %1, %2, %3, %4\n",
      "%0 = input f32[2100, 7] strides[1, 2100]\n"
      "%1 = aten.sum.dim_IntList(%0, [0])\n"
      "%2 = aten.softmax.int(%0, 0)\n%3 = aten.softmax.int(%0, 1)\n"
      "return %1, %2, %3\n",
      "%0 = input f64[5, 300]\n%1 = input bool[5, 300]\n"
      "%2 = input f16[300]\n%3 = aten.layer_norm.default(%0, [300])\n"
      "%4 = aten.where.self(%1, %3, %2)\n%5 = aten.any.default(%1)\n"
      "%6 = aten.logical_not.default(%1)\nreturn %4, %5, %6\n",
      "%0 = input i8[4, 700]\n%1 = input i16[700]\n"
      "%2 = aten.mul.Tensor(%0, %1)\n%3 = aten.amax.default(%2, [1])\n"
      "%4 = aten.sum.dim_IntList(%2, [0])\n%5 = aten.abs.default(%0)\n"
      "return %3, %4, %5\n",
      "%0 = input bf16[4, 515]\n%1 = aten.gelu.default(%0)\n"
      "%2 = aten.silu.default(%0)\n%3 = aten.flip.default(%2, [1])\n"
      "%4 = aten.roll.default(%1, [5], [1])\nreturn %3, %4\n",
      "%0 = input f32[6, 1]\n%1 = input f32[1, 400]\n"
      "%2 = aten.mul.Tensor(%0, %1)\n%3 = aten.exp.default(%2)\n"
      "%4 = aten.mean.dim(%3, [1])\nreturn %3, %4\n",
  };
  for (const char* lines : kPrograms) {
    EXPECT_TRUE(compare(parsed(lines))) << lines;
  }
}

// The code comes while launches go on, and both give the same bits.
TEST_F(BlocksTest, StartsProgramsUntilTheirCodeIsThere) {
  const Program program = parsed(
      "%0 = input f32[40, 300]\n%1 = aten.softmax.int(%0, 1)\n"
      "%2 = aten.tanh.default(%1)\nreturn %2\n");
  CompileOptions options;
  options.cache = (std::filesystem::temp_directory_path() /
                   ("assay-blocks-" + std::to_string(getpid())))
                      .string();
  options.start = CompileOptions::Start::blocks;
  const auto artifact = compiled(program, options);
  ASSERT_NE(artifact, nullptr);
  const std::vector<Tensor> inputs = random_inputs(&random_, program);
  EXPECT_EQ(artifact->explain("running"), "blocks");
  const std::vector<Tensor> first = launched(artifact.get(), inputs);
  EXPECT_NE(artifact->explain("c++"), "");  // waits for the compiler
  EXPECT_EQ(artifact->explain("running"), "code");
  const std::vector<Tensor> later = launched(artifact.get(), inputs);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_TRUE(same_elements(first[0], later[0]));
  // Of text that is loaded the code runs at once.
  EXPECT_EQ(compiled(program, options)->explain("running"), "code");
  std::filesystem::remove_all(options.cache);
}

// What no compiler can make is said by the launch that would need it.
TEST_F(BlocksTest, SaysWhenTheCodeWillNotCome) {
  const Program program =
      parsed("%0 = input f32[9]\n%1 = aten.tan.default(%0)\nreturn %1\n");
  CompileOptions options;
  options.compiler = "/nowhere/g++";
  options.start = CompileOptions::Start::blocks;
  const auto artifact = compiled(program, options);
  ASSERT_NE(artifact, nullptr);
  artifact->explain("c++");
  std::vector<Tensor> inputs = random_inputs(&random_, program);
  std::vector<Tensor> outputs = {Tensor::zeros(DType::f32, {9})};
  const auto failure = artifact->launch(refs(inputs), refs(outputs));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, Failure::Kind::unsupported);
  EXPECT_NE(failure->refusal.message.find("/nowhere/g++"), std::string::npos)
      << failure->refusal.message;
}

}  // namespace
}  // namespace assay::compiler
