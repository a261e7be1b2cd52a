// What a nest goes through on its way to a GPU: forward.h, split.h with a GPU's
// rule and part.h. Every bit of its results stays.
#include <gtest/gtest.h>

#include <random>

#include "compiler/graph/passes.h"
#include "compiler/import.h"
#include "compiler/nest/build.h"
#include "compiler/nest/forward.h"
#include "compiler/nest/interpret.h"
#include "compiler/nest/part.h"
#include "compiler/nest/split.h"
#include "compiler/nest/verify.h"
#include "compiler/random_program.h"
#include "compiler/testing/nest_shape.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

struct Nested {
  Nest nest;
  std::vector<Tensor> constants;
};

Nested nested(const Program& program) {
  Result<Imported> imported = import_program(program);
  EXPECT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_TRUE(run_passes(&imported->body, &imported->ledger).ok());
  return {build_nest(imported->body), imported->body.constants};
}

void expect_same_results(const Program& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Tensor> inputs = random_inputs(&random, program);
  Nested n = nested(program);
  const auto expected = interpret(n.nest, n.constants, inputs);
  const auto check = [&](const char* pass) {
    const Status sound = verify(n.nest);
    ASSERT_TRUE(sound.ok()) << pass << ": " << sound.error().message;
    const auto got = interpret(n.nest, n.constants, inputs);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(same_elements(got[i], expected[i]))
          << pass << ", output " << i << " of\n"
          << to_text(program);
    }
  };
  forward_stores(&n.nest);
  check("forward");
  split_reductions(&n.nest, kSplitForGpu);
  check("split");
  part_loops(&n.nest);
  check("part");
}

TEST(GpuPasses, KeepTheBitsOfRandomPrograms) {
  for (int seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    expect_same_results(random_program(&random, 4 + seed % 14), 1);
  }
}

TEST(GpuPasses, KeepTheBitsOfWhatTheyChange) {
  for (const char* lines : {
           "%0 = input f32[5, 300]\n%1 = aten.softmax.int(%0, 1)\n"
           "%2 = aten.mul.Tensor(%1, %0)\n%3 = aten.amax.default(%2, [1])\n"
           "return %1, %2, %3\n",
           "%0 = input f32[2, 9001]\n%1 = aten.sum.dim_IntList(%0, [1])\n"
           "return %1\n",
           "%0 = input f32[5000, 3]\n%1 = aten.mean.dim(%0, [0])\n"
           "return %1\n",
           "%0 = input f32[20, 3, 40]\n%1 = aten.transpose.int(%0, 0, 2)\n"
           "%2 = aten.reshape.default(%1, [2400])\n"
           "%3 = aten.neg.default(%2)\nreturn %3\n",
       }) {
    expect_same_results(parsed(lines), 2);
  }
}

TEST(GpuPasses, ForwardWhatOnlyTheRowReads) {
  Nested n =
      nested(parsed("%0 = input f32[5, 300]\n%1 = aten.softmax.int(%0, 1)\n"
                    "return %1\n"));
  const auto elements = [&] {
    std::int64_t sum = 0;
    for (const Buffer& b : n.nest.buffers) {
      if (b.kind == Buffer::Kind::temporary) {
        sum += element_count(b.type.sizes);
      }
    }
    return sum;
  };
  EXPECT_GE(elements(), 1500);
  forward_stores(&n.nest);
  EXPECT_EQ(elements(), 0);
  for (const Stage& s : std::get<LoopKernel>(n.nest.kernels[0]).stages) {
    EXPECT_EQ(s.kind == Stage::Kind::reduce, s.buffer < 0);
  }
}

std::string for_gpu(const std::string& type, const std::string& call) {
  Nested n = nested(
      parsed("%0 = input " + type + "\n%1 = aten." + call + "\nreturn %1\n"));
  split_reductions(&n.nest, kSplitForGpu);
  part_loops(&n.nest);
  return shape_of(n.nest);
}

TEST(GpuPasses, SplitWhatHasFewRows) {
  EXPECT_EQ(for_gpu("f32[16384, 4096]", "sum.dim_IntList(%0, [0])"),
            "[8 4096] x 2048, [4096] x 8, ");
  EXPECT_EQ(for_gpu("f32[16384, 16384]", "sum.dim_IntList(%0, [0])"),
            "[16384] x 16384, ");
  EXPECT_EQ(for_gpu("f32[511, 8192]", "sum.dim_IntList(%0, [1])"),
            "[2 511] x 4096, [511] x 2, ");
  EXPECT_EQ(for_gpu("f32[512, 8192]", "sum.dim_IntList(%0, [1])"),
            "[512] x 8192, ");
}

TEST(GpuPasses, PartWhatIsReadAcross) {
  const std::string across = "f32[40, 70] strides[1, 40]";
  EXPECT_EQ(for_gpu(across, "reshape.default(%0, [2800])"), "[40 70] x 1, ");
  EXPECT_EQ(for_gpu("f32[40, 70]", "neg.default(%0)"), "[2800] x 1, ");
  // Every 70 elements again, which are neighbours.
  EXPECT_EQ(for_gpu("f32[70]", "repeat.default(%0, [40])"), "[2800] x 1, ");
}

}  // namespace
}  // namespace assay::compiler
