#include "suite/cases/inputs/layouts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "core/float_bits.h"

namespace assay::cases {
namespace {

constexpr language::Layout kAll[] = {
    language::Layout::contiguous,   language::Layout::transposed,
    language::Layout::offset,       language::Layout::strided,
    language::Layout::expanded,     language::Layout::permuted,
    language::Layout::channels_last};

std::vector<std::uint64_t> ramp(const Shape& sizes) {
  std::vector<std::uint64_t> bits;
  for (std::int64_t n = 0; n < element_count(sizes); ++n) {
    bits.push_back(encode_float(DType::f32, static_cast<double>(n)));
  }
  return bits;
}

TEST(Layouts, StridesAreWhatTheNamesSay) {
  const auto strides = [](language::Layout layout, Shape sizes) {
    return layout_type(DType::f32, sizes, layout).strides;
  };
  EXPECT_EQ(strides(language::Layout::contiguous, {2, 3, 5}),
            (Shape{15, 5, 1}));
  EXPECT_EQ(strides(language::Layout::transposed, {2, 3, 5}),
            (Shape{15, 1, 3}));
  EXPECT_EQ(strides(language::Layout::offset, {2, 3, 5}), (Shape{15, 5, 1}));
  EXPECT_EQ(strides(language::Layout::strided, {2, 3, 5}), (Shape{30, 10, 2}));
  EXPECT_EQ(strides(language::Layout::expanded, {2, 3, 5}), (Shape{0, 5, 1}));
  EXPECT_EQ(strides(language::Layout::expanded, {1, 3, 5}), (Shape{5, 0, 1}));
  EXPECT_EQ(strides(language::Layout::permuted, {2, 3, 5}), (Shape{1, 10, 2}));
  EXPECT_EQ(strides(language::Layout::channels_last, {2, 3, 4, 5}),
            (Shape{60, 1, 15, 3}));
  EXPECT_EQ(strides(language::Layout::channels_last, {2, 3, 4, 5, 6}),
            (Shape{360, 1, 90, 18, 3}));
}

TEST(Layouts, LogicalValuesDoNotDependOnTheLayout) {
  for (const Shape& sizes : {Shape{7}, Shape{3, 5}, Shape{2, 3, 4},
                             Shape{2, 1, 3, 5}, Shape{}, Shape{1}}) {
    const auto bits = ramp(sizes);
    for (const language::Layout layout : kAll) {
      const Tensor t = lay_out(DType::f32, sizes, layout, bits);
      EXPECT_EQ(t.type, layout_type(DType::f32, sizes, layout));
      if (layout == language::Layout::expanded) continue;
      for (std::size_t n = 0; n < bits.size(); ++n) {
        EXPECT_EQ(t.bits(static_cast<std::int64_t>(n)), bits[n])
            << layout_name(layout);
      }
    }
  }
}

TEST(Layouts, ExpandedRepeatsItsFirstSlice) {
  const Tensor t =
      lay_out(DType::f32, {3, 4}, language::Layout::expanded, ramp({3, 4}));
  for (std::int64_t n = 0; n < 12; ++n) {
    EXPECT_EQ(t.number(n), static_cast<double>(n % 4));
  }
  EXPECT_EQ(t.storage->size(), 4u * 4u);
}

TEST(Layouts, OffsetMovesTheFirstElementByOne) {
  const Tensor t =
      lay_out(DType::f16, {5}, language::Layout::offset, {1, 2, 3, 4, 5});
  EXPECT_EQ(t.offset, 1);
  EXPECT_EQ(t.storage->size(), 12u);
  EXPECT_EQ(t.bits(0), 1u);
}

TEST(Layouts, GapsHoldWhatShowsWhenRead) {
  const Tensor f =
      lay_out(DType::f32, {3}, language::Layout::strided, ramp({3}));
  std::uint32_t gap = 0;
  std::memcpy(&gap, f.storage->data() + 4, 4);
  EXPECT_TRUE(is_nan_bits(DType::f32, gap));
  const Tensor b =
      lay_out(DType::boolean, {3}, language::Layout::strided, {0, 0, 0});
  EXPECT_EQ(b.storage->at(1), std::byte{1}) << "any other byte is no bool";
}

TEST(Layouts, OnlyWhereTheyMakeADifference) {
  const auto applying = [](const Shape& sizes) {
    std::set<std::string> names;
    for (const language::Layout layout : kAll) {
      if (layout_applies(layout, sizes)) {
        names.emplace(layout_name(layout));
      }
    }
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(applying({0, 3}), Names());
  EXPECT_EQ(applying({}), Names{"offset"});
  EXPECT_EQ(applying({1}), Names{"offset"});
  EXPECT_EQ(applying({5}), (Names{"expanded", "offset", "strided"}));
  EXPECT_EQ(applying({1, 5}), (Names{"expanded", "offset", "strided"}));
  EXPECT_EQ(applying({4, 5}),
            (Names{"expanded", "offset", "strided", "transposed"}));
  for (const language::Layout layout : kAll) {
    EXPECT_TRUE(layout_type(DType::f32, {0, 3}, layout).is_contiguous());
  }
}

}  // namespace
}  // namespace assay::cases
