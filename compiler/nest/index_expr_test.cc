// Index arithmetic: simplification must not change values.
#include "compiler/nest/index_expr.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/nest/view.h"

namespace assay::compiler {
namespace {

const std::vector<std::string> kNames = {"i", "j", "k"};

TEST(IndexExpr, ViewsOfContiguousDataStayAffine) {
  const Shape extents = {3, 4, 5};
  Index index = {IndexExpr::variable(0), IndexExpr::variable(1),
                 IndexExpr::variable(2)};
  const IndexExpr linear = offset_of(index, contiguous_strides(extents));
  // Merged and split again in another way: 3 x 4 x 5 as 12 x 5 as 3 x 20.
  const Index merged = unravel(linear, {12, 5}, extents);
  const Index split =
      unravel(offset_of(merged, contiguous_strides({12, 5})), {3, 20}, extents);
  EXPECT_EQ(to_text(split[0], kNames), "i");
  EXPECT_EQ(to_text(split[1], kNames), "j * 5 + k");
  // Across rows there is no affine form, but joining restores it.
  const Index across = unravel(linear, {6, 10}, extents);
  EXPECT_FALSE(across[0].is_affine());
  EXPECT_EQ(offset_of(across, contiguous_strides({6, 10})), linear);
}

TEST(IndexExpr, TellsWhatAVariableAdds) {
  const IndexExpr i = IndexExpr::variable(0), j = IndexExpr::variable(1);
  const IndexExpr at = i * 10 + j + IndexExpr::number(3);
  EXPECT_EQ(at.factor_of(0), 10);
  EXPECT_EQ(at.factor_of(1), 1);
  EXPECT_EQ(at.factor_of(2), 0);
  // A quotient of it is another thing.
  const Index rows = unravel(i, {6, 10}, {60});
  EXPECT_EQ(rows[0].factor_of(0), 0);
}

TEST(IndexExpr, PiecesOfAnIndexJoinAgain) {
  const Shape extents = {120};
  const IndexExpr all = IndexExpr::variable(0);
  for (const Shape& sizes : {Shape{3, 4, 10}, Shape{2, 3, 4, 5}}) {
    const Index pieces = unravel(all, sizes, extents);
    EXPECT_FALSE(pieces[1].is_affine());
    EXPECT_EQ(offset_of(pieces, contiguous_strides(sizes)), all);
    // Not so where one of them is missing, or counts for more.
    Index fewer = pieces;
    fewer[1] = IndexExpr::number(0);
    EXPECT_FALSE(offset_of(fewer, contiguous_strides(sizes)).is_affine());
    Shape strides = contiguous_strides(sizes);
    strides[0] *= 2;
    EXPECT_FALSE(offset_of(pieces, strides).is_affine());
  }
}

// A plane and a place in it, seen as four dimensions and joined again.
TEST(IndexExpr, LowDigitsDoNotMatter) {
  const Shape extents = {128, 4096};
  const Index index = {IndexExpr::variable(0), IndexExpr::variable(1)};
  const IndexExpr linear = offset_of(index, contiguous_strides(extents));
  const Index split = unravel(linear, {4, 32, 64, 64}, extents);
  EXPECT_EQ(to_text(split[0], kNames), "(i) / 32");
  EXPECT_EQ(to_text(split[1], kNames), "(i) % 32");
  EXPECT_EQ(offset_of(split, contiguous_strides({4, 32, 64, 64})), linear);
}

TEST(IndexExpr, WhatWasSplitJoinsAgain) {
  std::mt19937_64 random(2);
  // 2^3 * 3 * 5 in random factors.
  const auto shape = [&] {
    Shape sizes = {1};
    for (const std::int64_t prime : {2, 3, 2, 5, 2}) {
      if (random() % 2 == 0) sizes.push_back(1);
      sizes[random() % sizes.size()] *= prime;
    }
    return sizes;
  };
  for (int round = 0; round < 500; ++round) {
    const Shape extents = shape(), other = shape();
    Index index;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      index.push_back(extents[d] == 1
                          ? IndexExpr::number(0)
                          : IndexExpr::variable(static_cast<int>(d)));
    }
    const IndexExpr linear = offset_of(index, contiguous_strides(extents));
    const Index split = unravel(linear, other, extents);
    const IndexExpr joined = offset_of(split, contiguous_strides(other));
    EXPECT_EQ(joined, linear)
        << ::testing::PrintToString(extents) << ::testing::PrintToString(other);
  }
}

TEST(IndexExpr, RandomExpressionsKeepTheirValues) {
  std::mt19937_64 random(1);
  const auto pick = [&](int n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  for (int round = 0; round < 3000; ++round) {
    const Shape extents = {1 + pick(6), 1 + pick(6), 1 + pick(6)};
    const Shape point = {pick(static_cast<int>(extents[0])),
                         pick(static_cast<int>(extents[1])),
                         pick(static_cast<int>(extents[2]))};
    // The expression, and its value worked out step by step.
    std::vector<std::pair<IndexExpr, std::int64_t>> pool;
    for (int v = 0; v < 3; ++v) {
      pool.emplace_back(IndexExpr::variable(v),
                        point[static_cast<std::size_t>(v)]);
    }
    for (int step = 0; step < 8; ++step) {
      const auto a = pool[random() % pool.size()];
      const auto b = pool[random() % pool.size()];
      const std::int64_t n = 1 + pick(9);
      switch (pick(4)) {
        case 0:
          pool.emplace_back(a.first + b.first, a.second + b.second);
          break;
        case 1:
          pool.emplace_back(a.first * n, a.second * n);
          break;
        case 2:
          pool.emplace_back(divide(a.first, n, extents), a.second / n);
          break;
        default:
          pool.emplace_back(modulo(a.first, n, extents), a.second % n);
          break;
      }
      ASSERT_EQ(evaluate(pool.back().first, point), pool.back().second)
          << to_text(pool.back().first, kNames);
      ASSERT_GE(largest(pool.back().first, extents), pool.back().second)
          << to_text(pool.back().first, kNames);
    }
  }
}

}  // namespace
}  // namespace assay::compiler
