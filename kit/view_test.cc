#include "kit/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kit/testing/calls.h"

namespace assay::kit {
namespace {

using ::testing::ElementsAre;
using testing::handed;
using testing::numbers;
using testing::tensor;

TEST(View, WritesOneElementOfEveryType) {
  for (const DType t : kAllDTypes) {
    const Tensor storage = Tensor::zeros(t, {3});
    const std::uint64_t before = storage.bits(0);
    const View view = view_of(storage);
    view.set_number(1, 1.0);
    EXPECT_EQ(view.number(1), 1.0) << dtype_name(t);
    EXPECT_EQ(view.integer(1), 1) << dtype_name(t);
    EXPECT_EQ(view.bits(0), before) << dtype_name(t);
    EXPECT_EQ(view.bits(2), before) << dtype_name(t);
    view.set_integer(2, 1);
    EXPECT_EQ(view.bits(2), view.bits(1)) << dtype_name(t);
  }
}

TEST(View, RoundsToNearestEven) {
  const Tensor t = Tensor::zeros(DType::f16, {3});
  view_of(t).set_number(0, 2049);
  view_of(t).set_number(1, 2051);
  view_of(t).set_number(2, 65520);
  EXPECT_THAT(numbers(t), ElementsAre(2048, 2052, HUGE_VAL));
}

TEST(View, IsThatOfTheHostsTensor) {
  const Tensor t = tensor({DType::bf16, {2, 2}, {1, 3}}, {1, 2, 3, 4}, 5);
  const std::optional<View> view = view_of(handed(t));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->type, t.type);
  EXPECT_EQ(view->number(0), 1);
  EXPECT_EQ(view->number(3), 2);
  EXPECT_EQ(view->number(1), 3);
  const Tensor row_major = Tensor::zeros(DType::bf16, {2, 2});
  copy(*view, view_of(row_major));
  EXPECT_THAT(numbers(row_major), ElementsAre(1, 2, 3, 4));
}

TEST(View, TakesEveryTypeOfTheInterfaceAndNoOther) {
  for (const DType t : kAllDTypes) {
    EXPECT_EQ(from_dlpack(to_dlpack(t)), t) << dtype_name(t);
  }
  const Tensor t = Tensor::zeros(DType::f32, {1});
  AssayTensor vectors = handed(t);
  vectors.dtype.lanes = 4;
  EXPECT_FALSE(view_of(vectors).has_value());
  AssayTensor complex = handed(t);
  complex.dtype.code = 5;
  EXPECT_FALSE(view_of(complex).has_value());
}

}  // namespace
}  // namespace assay::kit
