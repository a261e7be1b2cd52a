#include "suite/language/bind/strides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace assay::language {
namespace {

using Random = std::mt19937;

Shape random_order(std::size_t rank, Random* random) {
  Shape order(rank);
  for (std::size_t d = 0; d < rank; ++d) order[d] = static_cast<int>(d);
  std::shuffle(order.begin(), order.end(), *random);
  return order;
}

// Dense, the dimensions in this order, the outermost first.
Strided dense_in(const Shape& sizes, const Shape& order) {
  Strided t{sizes, Shape(sizes.size())};
  std::int64_t next = 1;
  for (std::size_t n = order.size(); n-- > 0;) {
    const auto d = static_cast<std::size_t>(order[n]);
    t.strides[d] = next;
    next *= sizes[d];
  }
  return t;
}

Shape random_sizes(Random* random) {
  Shape sizes((*random)() % 5);
  for (std::int64_t& s : sizes) s = 1 + static_cast<int>((*random)() % 4);
  return sizes;
}

// Elements at the places 0, 1, 2 ..., each once.
bool is_dense(const Shape& sizes, const Shape& strides) {
  std::vector<std::int64_t> places = {0};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::vector<std::int64_t> more;
    for (const std::int64_t p : places) {
      for (std::int64_t i = 0; i < sizes[d]; ++i) {
        more.push_back(p + i * strides[d]);
      }
    }
    places = more;
  }
  std::sort(places.begin(), places.end());
  for (std::size_t n = 0; n < places.size(); ++n) {
    if (places[n] != static_cast<std::int64_t>(n)) return false;
  }
  return true;
}

TEST(Strides, OfDenseOperandsThatAgreeAreTheirs) {
  Random random(1);
  for (int n = 0; n < 500; ++n) {
    const Shape sizes = random_sizes(&random);
    const Strided t = dense_in(sizes, random_order(sizes.size(), &random));
    const std::vector<Strided> operands(1 + random() % 3, t);
    EXPECT_TRUE(
        same_strides(sizes, elementwise_strides(operands, sizes), t.strides));
  }
}

TEST(Strides, OfAnElementwiseResultAreDenseWhateverTheOperandsAre) {
  Random random(2);
  for (int n = 0; n < 2000; ++n) {
    const Shape sizes = random_sizes(&random);
    std::vector<Strided> operands;
    for (std::size_t k = 0; k <= random() % 3; ++k) {
      Strided t = dense_in(sizes, random_order(sizes.size(), &random));
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (random() % 4 == 0) t.strides[d] = 0;
        if (random() % 4 == 0) t.strides[d] *= 3;
        if (random() % 4 == 0) t.sizes[d] = 1;
      }
      const auto missing =
          static_cast<std::ptrdiff_t>(random() % (sizes.size() + 1));
      t.sizes.erase(t.sizes.begin(), t.sizes.begin() + missing);
      t.strides.erase(t.strides.begin(), t.strides.begin() + missing);
      operands.push_back(t);
    }
    EXPECT_TRUE(is_dense(sizes, elementwise_strides(operands, sizes)));
  }
}

TEST(Strides, TheFirstOperandThatTellsDecides) {
  const Strided row_major{{3, 4}, {4, 1}};
  const Strided turned{{3, 4}, {1, 3}};
  const Strided row{{4}, {1}};
  const Strided repeated{{3, 4}, {0, 0}};
  const auto strides = [](std::vector<Strided> operands) {
    return elementwise_strides(operands, {3, 4});
  };
  EXPECT_EQ(strides({turned, row_major}), (Shape{1, 3}));
  EXPECT_EQ(strides({row_major, turned}), (Shape{4, 1}));
  EXPECT_EQ(strides({row, turned}), (Shape{1, 3}));
  EXPECT_EQ(strides({repeated, turned}), (Shape{1, 3}));
  EXPECT_EQ(strides({{{}, {}}, turned}), (Shape{1, 3}));
  EXPECT_EQ(strides({repeated}), (Shape{4, 1}));
}

TEST(Strides, ChannelsLastIsKept) {
  const Shape image = {2, 3, 4, 5}, volume = {2, 3, 4, 5, 6};
  for (const Shape& sizes : {image, volume}) {
    const Strided t{sizes, channels_last_strides(sizes)};
    EXPECT_TRUE(suggests_channels_last(t));
    EXPECT_EQ(is_channels_last_2d(t), sizes.size() == 4);
    EXPECT_EQ(elementwise_strides({t}, sizes), t.strides);
    const Strided row_major{sizes, contiguous_strides(sizes)};
    EXPECT_FALSE(suggests_channels_last(row_major));
    EXPECT_EQ(elementwise_strides({t, row_major}, sizes), t.strides);
  }
  EXPECT_EQ(channels_last_strides(image), (Shape{60, 1, 15, 3}));
  EXPECT_EQ(channels_last_strides(volume), (Shape{360, 1, 90, 18, 3}));
}

// What one tensor is taken for follows from strides that nobody steps over.
TEST(Strides, WhereBothFormatsArePossibleStridesOfSizeOneDecide) {
  const Shape pixel = {2, 3, 1, 1};
  EXPECT_TRUE(suggests_channels_last({pixel, {3, 1, 3, 3}}));
  EXPECT_FALSE(suggests_channels_last({pixel, {3, 1, 1, 1}}));
  const Shape gray = {2, 1, 4, 5};
  EXPECT_TRUE(suggests_channels_last({gray, {20, 1, 5, 1}}));
  EXPECT_FALSE(suggests_channels_last({gray, {20, 20, 5, 1}}));
}

TEST(Strides, AreComparedWhereTheyAreSteppedOver) {
  EXPECT_TRUE(same_strides({3, 1}, {1, 7}, {1, 1}));
  EXPECT_FALSE(same_strides({3, 2}, {1, 7}, {1, 3}));
  EXPECT_TRUE(same_strides({0, 2}, {1, 7}, {1, 3}));
  EXPECT_TRUE(same_strides({}, {}, {}));
}

}  // namespace
}  // namespace assay::language
