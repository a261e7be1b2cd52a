#include "compiler/nest/collapse.h"

#include <gtest/gtest.h>

namespace assay::compiler {
namespace {

// A copy over `outer`, from and to these strides.
LoopKernel copy(const Shape& outer, const Shape& from, const Shape& to) {
  LoopKernel k;
  k.outer = outer;
  Value load;
  load.buffer = 0;
  Stage store;
  store.buffer = 1;
  for (std::size_t d = 0; d < outer.size(); ++d) {
    const IndexExpr v = IndexExpr::variable(static_cast<int>(d));
    load.at = load.at + v * from[d];
    store.at = store.at + v * to[d];
  }
  k.values = {load};
  k.stages = {store};
  return k;
}

// The places that a kernel reads and writes, in order.
std::vector<std::pair<std::int64_t, std::int64_t>> visited(
    const LoopKernel& k) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  Shape point(k.outer.size() + 1, 0);
  for (;;) {
    out.emplace_back(evaluate(k.values[0].at, point),
                     evaluate(k.stages[0].at, point));
    std::size_t d = k.outer.size();
    while (d-- > 0) {
      if (++point[d] < k.outer[d]) break;
      point[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return out;
  }
}

TEST(Collapse, VisitsTheSamePoints) {
  const struct {
    Shape outer, from, to;
    Shape expected;
  } kCases[] = {
      {{3, 4, 5}, {20, 5, 1}, {20, 5, 1}, {60}},
      {{3, 4, 5}, {1, 15, 3}, {20, 5, 1}, {3, 20}},
      {{3, 4, 5}, {0, 5, 1}, {20, 5, 1}, {3, 20}},
      {{3, 1, 5}, {5, 0, 1}, {5, 0, 1}, {15}},
      {{3, 4, 5}, {4, 1, 12}, {20, 5, 1}, {12, 5}},
      {{1, 1}, {0, 0}, {0, 0}, {}},
      {{2, 3}, {1, 2}, {3, 1}, {2, 3}},
  };
  for (const auto& c : kCases) {
    LoopKernel k = copy(c.outer, c.from, c.to);
    const auto before = visited(k);
    collapse(&k);
    EXPECT_EQ(k.outer, c.expected);
    EXPECT_EQ(visited(k), before);
  }
}

TEST(Collapse, LooksIntoQuotients) {
  LoopKernel k = copy({4, 6}, {6, 1}, {6, 1});
  const IndexExpr linear = IndexExpr::variable(0) * 6 + IndexExpr::variable(1);
  k.values[0].at = divide(linear, 7, k.extents());
  const auto before = visited(k);
  collapse(&k);
  EXPECT_EQ(k.outer, Shape{24});
  EXPECT_EQ(visited(k), before);
  LoopKernel apart = copy({4, 6}, {6, 1}, {6, 1});
  apart.values[0].at = divide(IndexExpr::variable(0) + IndexExpr::variable(1),
                              4, apart.extents());
  collapse(&apart);
  EXPECT_EQ(apart.outer, (Shape{4, 6}));
}

TEST(Collapse, LeavesTheRowAlone) {
  LoopKernel k = copy({2, 3}, {12, 4}, {3, 1});
  k.has_row = true;
  k.row = 4;
  k.values[0].at = k.values[0].at + IndexExpr::variable(2);
  collapse(&k);
  EXPECT_EQ(k.outer, Shape{6});
  EXPECT_EQ(evaluate(k.values[0].at, {5, 3}), 23);
}

}  // namespace
}  // namespace assay::compiler
