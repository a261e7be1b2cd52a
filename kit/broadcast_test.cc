#include "kit/broadcast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::kit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BroadcastShapes, RepeatDimensionsOfOne) {
  Shape out;
  ASSERT_TRUE(broadcast_shapes({3, 1}, {2, 1, 4}, &out));
  EXPECT_THAT(out, ElementsAre(2, 3, 4));
  ASSERT_TRUE(broadcast_shapes({}, {0}, &out));
  EXPECT_THAT(out, ElementsAre(0));
  ASSERT_TRUE(broadcast_shapes({1}, {0}, &out));
  EXPECT_THAT(out, ElementsAre(0));
  EXPECT_FALSE(broadcast_shapes({3}, {4}, &out));
  EXPECT_FALSE(broadcast_shapes({2}, {0}, &out));
}

std::vector<std::array<std::int64_t, 2>> walk(const Shape& shape,
                                              const Shape& a, const Shape& b) {
  std::vector<std::array<std::int64_t, 2>> out;
  for_each_offset<2>(shape, {a, b}, [&](const auto& at) { out.push_back(at); });
  return out;
}

using Offsets = std::array<std::int64_t, 2>;

TEST(ForEachOffset, WalksRowMajorWhateverTheStrides) {
  EXPECT_THAT(walk({2, 3}, {3, 1}, {1, 2}),
              ElementsAre(Offsets{0, 0}, Offsets{1, 2}, Offsets{2, 4},
                          Offsets{3, 1}, Offsets{4, 3}, Offsets{5, 5}));
  EXPECT_THAT(
      walk({2, 2}, {0, 1}, {0, 0}),
      ElementsAre(Offsets{0, 0}, Offsets{1, 0}, Offsets{0, 0}, Offsets{1, 0}));
}

TEST(ForEachOffset, VisitsAScalarOnceAndAnEmptyTensorNever) {
  EXPECT_THAT(walk({}, {}, {}), ElementsAre(Offsets{0, 0}));
  EXPECT_THAT(walk({2, 0, 3}, {0, 3, 1}, {0, 3, 1}), IsEmpty());
}

TEST(BroadcastStrides, AreZeroWhereADimensionRepeats) {
  const TensorType t{DType::f32, {3, 1}, {5, 7}};
  EXPECT_THAT(broadcast_strides(t, {2, 3, 4}), ElementsAre(0, 5, 0));
  EXPECT_THAT(broadcast_strides({DType::f32, {}, {}}, {2}), ElementsAre(0));
}

}  // namespace
}  // namespace assay::kit
