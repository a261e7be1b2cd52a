#include "core/tensor.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(Tensor, StridedViewReadsWhatWasWritten) {
  Tensor t = Tensor::strided({DType::i32, {2, 3}, {1, 2}}, 4);
  EXPECT_EQ(t.storage->size(), (4 + 6) * 4u);
  for (int i = 0; i < 6; ++i) t.set_integer(i, 10 - 3 * i);
  EXPECT_EQ(t.position(1), 6);  // row 0, column 1
  const Tensor c = t.contiguous();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(c.integer(i), 10 - 3 * i);
  EXPECT_TRUE(identical(t, c));
}

TEST(Tensor, SpanOfExpandedAndEmptyViews) {
  EXPECT_EQ((TensorType{DType::f32, {4, 3}, {0, 1}}.span()), 3);
  EXPECT_EQ((TensorType{DType::f32, {4, 0}, {0, 1}}.span()), 0);
  EXPECT_EQ((TensorType{DType::f32, {}, {}}.span()), 1);
}

TEST(Tensor, IntegersKeepSignAndWidth) {
  for (const DType t : kAllDTypes) {
    if (is_float(t)) continue;
    Tensor one = Tensor::zeros(t, {1});
    for (const std::int64_t v :
         {integer_min(t), static_cast<std::int64_t>(integer_max(t))}) {
      one.set_integer(0, v);
      EXPECT_EQ(one.integer(0), v) << dtype_name(t);
    }
    EXPECT_EQ(one.bits(0), integer_max(t)) << dtype_name(t);
    EXPECT_EQ(one.number(0), static_cast<double>(integer_max(t)));
  }
}

TEST(Tensor, ComplexNumbersArePairsInTheSameStorage) {
  for (const DType t : kComplexDTypes) {
    const Tensor x = Tensor::strided({t, {2, 3}, {1, 2}}, 1);
    Tensor parts = components(x);
    EXPECT_EQ(parts.type, (TensorType{component(t), {2, 3, 2}, {2, 4, 1}}));
    EXPECT_EQ(parts.offset, 2);
    EXPECT_EQ(joined(parts.type), x.type);
    for (int i = 0; i < 12; ++i) parts.set_number(i, i + 0.5);
    EXPECT_EQ(components(x).number(7), 7.5);
    const Tensor row_major = x.contiguous();
    EXPECT_TRUE(row_major.type.is_contiguous());
    EXPECT_TRUE(identical(x, row_major));
    parts.set_number(11, -1);
    EXPECT_FALSE(identical(x, row_major)) << "an imaginary part differs";
  }
  const Tensor real = Tensor::zeros(DType::f32, {2});
  EXPECT_EQ(components(real).type, real.type);
}

TEST(Tensor, SetIntegerWraps) {
  Tensor t = Tensor::zeros(DType::u8, {1});
  t.set_integer(0, 257);
  EXPECT_EQ(t.integer(0), 1);
  t.set_integer(0, -1);
  EXPECT_EQ(t.integer(0), 255);
}

TEST(Tensor, NumbersReachAllOfU64) {
  Tensor t = Tensor::zeros(DType::u64, {1});
  for (const double x : {0.0, 1.0, 0x1p53, 0x1p63, 0x1p64 - 0x1p11}) {
    t.set_number(0, x);
    EXPECT_EQ(t.number(0), x);
  }
  t.set_number(0, -1.5);
  EXPECT_EQ(t.bits(0), ~std::uint64_t{0});
  t.set_number(0, 0x1p64 + 0x1p13);
  EXPECT_EQ(t.bits(0), 0x2000u);
  t.set_number(0, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(t.bits(0), 0u);
}

TEST(Tensor, ContiguityIgnoresStridesOfSingletons) {
  EXPECT_TRUE((TensorType{DType::f32, {1, 3}, {99, 1}}.is_contiguous()));
  EXPECT_FALSE((TensorType{DType::f32, {2, 3}, {1, 2}}.is_contiguous()));
  EXPECT_EQ(contiguous_strides({2, 0, 3}), (Shape{3, 3, 1}));
}

}  // namespace
}  // namespace assay
