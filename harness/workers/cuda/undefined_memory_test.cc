// Which differences of two executions come from undefined memory.
#include "harness/workers/cuda/undefined_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ptx/text/parser.h"

namespace assay::harness::worker::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::byte kA{0xff};
constexpr std::byte kB{0x2b};

Tensor bits(DType dtype, const std::vector<std::uint64_t>& values) {
  Tensor t = Tensor::zeros(dtype, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    t.set_bits(static_cast<std::int64_t>(i), values[i]);
  }
  return t;
}

std::vector<std::string> breaches(const Tensor& a, const Tensor& b,
                                  bool deterministic = true) {
  return poison_breaches({a}, kA, {b}, kB, deterministic);
}

TEST(UndefinedMemory, EqualBitsAreNoBreach) {
  // Neither is a value that happens to be the poison.
  const Tensor t = bits(DType::i16, {0xffff, 0x2b2b, 5});
  EXPECT_THAT(breaches(t, t), IsEmpty());
}

TEST(UndefinedMemory, PoisonOfBothIsUnwritten) {
  EXPECT_THAT(breaches(bits(DType::f32, {1, 0xffffffff, 0xffffffff}),
                       bits(DType::f32, {1, 0x2b2b2b2b, 0x2b2b2b2b})),
              ElementsAre("P4: output 0: 2 of 3 elements were never written, "
                          "the first is 1"));
  EXPECT_THAT(
      breaches(bits(DType::boolean, {0xff}), bits(DType::boolean, {0x2b}),
               false),
      ElementsAre("P4: output 0: 1 of 1 elements were never written, the "
                  "first is 0"));
}

TEST(UndefinedMemory, OtherDifferencesCountWhereOrderIsFixed) {
  const Tensor a = bits(DType::f64, {7, ~std::uint64_t{0}});
  const Tensor b = bits(DType::f64, {8, 0x2b2b2b2b2b2b2b00});
  EXPECT_THAT(breaches(a, b),
              ElementsAre("P4: output 0: 2 of 2 elements depend on memory that "
                          "nobody wrote, or on time, the first is 0"));
  EXPECT_THAT(breaches(a, b, false), IsEmpty());
}

TEST(UndefinedMemory, OnlyWhatNothingFillsIsUndefined) {
  LaunchPlan plan;
  plan.buffers.resize(4);
  plan.buffers[0].kind = PlanBuffer::Kind::input;
  plan.buffers[1].bytes = 16;
  plan.buffers[2].bytes = 100;
  plan.buffers[2].fill = std::byte{0};
  plan.buffers[3].kind = PlanBuffer::Kind::output;
  plan.buffers[3].bytes = 5;
  EXPECT_EQ(undefined_bytes(plan), 21u);
}

TEST(UndefinedMemory, AtomicsAreFoundInTheText) {
  const auto module = [](const std::string& line) {
    return *ptx::parse_module(
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 x) {\n"
        ".reg .b32 %r<3>; .reg .b64 %q<2>;\n" +
        line + "\nret;\n}\n");
  };
  const ptx::Module plain = module("redux.sync.add.s32 %r1, %r2, 0xffffffff;");
  EXPECT_FALSE(has_atomics({&plain}));
  for (const char* line :
       {"atom.global.add.u32 %r1, [%q1], 1;", "red.global.add.u32 [%q1], 1;"}) {
    const ptx::Module m = module(line);
    EXPECT_TRUE(has_atomics({&plain, &m})) << line;
  }
}

}  // namespace
}  // namespace assay::harness::worker::cuda
