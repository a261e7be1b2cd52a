#include "compiler/nest/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace assay::compiler {
namespace {

// Kernels that copy one buffer to another, by number.
Nest copies(const std::vector<std::int64_t>& sizes,
            const std::vector<std::pair<int, int>>& kernels) {
  Nest nest;
  for (const std::int64_t size : sizes) {
    nest.buffers.push_back({Buffer::Kind::temporary, 0,
                            TensorType::contiguous(DType::f32, {size})});
  }
  for (const auto& [from, to] : kernels) {
    LoopKernel k;
    Value load;
    load.buffer = from;
    k.values = {load};
    Stage store;
    store.buffer = to;
    k.stages = {store};
    nest.kernels.emplace_back(k);
  }
  return nest;
}

TEST(Arena, WhatIsAliveTogetherDoesNotOverlap) {
  std::mt19937_64 random(1);
  const auto pick = [&](int n) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 200; ++round) {
    const int buffers = 2 + pick(8);
    std::vector<std::int64_t> sizes;
    for (int b = 0; b < buffers; ++b) sizes.push_back(1 + pick(100));
    std::vector<std::pair<int, int>> kernels;
    for (int k = 1 + pick(10); k > 0; --k) {
      kernels.emplace_back(pick(buffers), pick(buffers));
    }
    const ArenaPlan plan = plan_arena(copies(sizes, kernels));
    // Who wrote each byte last, as the kernels run: what is read from a buffer
    // whose life has begun must be the buffer's own.
    std::vector<int> owner(static_cast<std::size_t>(plan.bytes), -1);
    const auto each = [&](int b, const auto& what) {
      const auto at = static_cast<std::size_t>(b);
      ASSERT_EQ(plan.offsets[at] % kArenaAlignment, 0);
      for (std::int64_t i = 0; i < 4 * sizes[at]; ++i) {
        what(owner.at(static_cast<std::size_t>(plan.offsets[at] + i)));
      }
    };
    std::vector<bool> begun(sizes.size(), false);
    for (const std::pair<int, int>& kernel : kernels) {
      // Not a structured binding: clang 14 lets no lambda capture one.
      const int from = kernel.first;
      const int to = kernel.second;
      for (const int b : {from, to}) {
        const auto at = static_cast<std::size_t>(b);
        if (!begun[at]) each(b, [&](int& o) { o = b; });
        begun[at] = true;
      }
      each(from, [&](int& o) { EXPECT_EQ(o, from); });
      each(to, [&](int& o) { o = to; });
    }
  }
}

TEST(Arena, AChainNeedsTwoBuffers) {
  const ArenaPlan plan =
      plan_arena(copies({64, 64, 64, 64}, {{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(plan.bytes, 2 * 64 * 4);
}

TEST(Arena, OthersHaveNoPlace) {
  Nest nest = copies({8, 8}, {{0, 1}});
  nest.buffers[0].kind = Buffer::Kind::input;
  const ArenaPlan plan = plan_arena(nest);
  EXPECT_EQ(plan.offsets[0], -1);
  EXPECT_EQ(plan.offsets[1], 0);
}

}  // namespace
}  // namespace assay::compiler
