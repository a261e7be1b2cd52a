#include "kit/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kit/pointwise.h"
#include "kit/testing/calls.h"

namespace assay::kit {
namespace {

using testing::apply;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::numbers;
using testing::tensor;

const Operation kAdd = in_common_type<2>([](auto a, auto b) { return a + b; });
const Operation kDivide =
    in_float_type<2>([](double a, double b) { return a / b; });
const Operation kLess = comparison<2>([](auto a, auto b) { return a < b; });
const Operation kNegate = of_numbers<1>([](auto x) { return -x; });

TEST(Elementwise, BroadcastsStridedOperands) {
  const Tensor a = tensor({DType::f32, {2, 3}, {1, 2}}, {1, 2, 3, 4, 5, 6});
  const Tensor b = tensor(DType::f32, {2, 1}, {10, 20});
  const Tensor out = apply(kAdd, "%0, %1", {a, b});
  EXPECT_EQ(out.sizes(), (Shape{2, 3}));
  EXPECT_THAT(numbers(out), ElementsAre(11, 12, 13, 24, 25, 26));
  const Tensor scalar = tensor(DType::f32, {}, {1});
  EXPECT_THAT(numbers(apply(kAdd, "%0, %0", {scalar})), ElementsAre(2));
  const Tensor empty = tensor(DType::f32, {2, 0}, {});
  EXPECT_EQ(apply(kAdd, "%0, %1", {empty, b}).sizes(), (Shape{2, 0}));
}

TEST(Elementwise, PromotesAsPyTorchDoes) {
  const Tensor i32 = tensor(DType::i32, {1}, {1});
  const Tensor f16 = tensor(DType::f16, {1}, {1});
  const Tensor u8 = tensor(DType::u8, {1}, {1});
  const Tensor i64_0d = tensor(DType::i64, {}, {1});
  const auto type = [](const Operation& op, const std::string& arguments,
                       const std::vector<Tensor>& inputs) {
    return dtype_name(apply(op, arguments, inputs).dtype());
  };
  EXPECT_EQ(type(kAdd, "%0, %1", {i32, f16}), "f16");
  EXPECT_EQ(type(kAdd, "%0, %1", {i32, i64_0d}), "i32");
  EXPECT_EQ(type(kAdd, "%0, 2", {u8}), "u8");
  EXPECT_EQ(type(kAdd, "0.5, %0", {u8}), "f32");
  EXPECT_EQ(type(kAdd, "%0, 0.5", {f16}), "f16");
  EXPECT_EQ(type(kDivide, "%0, %0", {u8}), "f32");
  EXPECT_EQ(type(kLess, "%0, %1", {u8, f16}), "bool");
  const Tensor u16 = tensor(DType::u16, {1}, {1});
  const Tensor f8 = tensor(DType::f8e5m2, {1}, {1});
  EXPECT_EQ(type(kAdd, "%0, %1", {u16, f16}), "f16");
  // These are stored and converted; PyTorch adds none of them.
  EXPECT_THROW(type(kAdd, "%0, 2", {u16}), Unsupported);
  EXPECT_THROW(type(kAdd, "%0, %0", {f8}), Unsupported);
  EXPECT_THROW(type(kAdd, "%0, %1", {u16, i32}), Unsupported);
  EXPECT_THROW(type(kAdd, "%0, %1", {f8, f16}), Unsupported);
}

TEST(Elementwise, RoundsOperandsThenTheResultOnce) {
  const Tensor third = tensor(DType::f32, {1}, {1});
  EXPECT_THAT(numbers(apply(kDivide, "%0, 3", {third})),
              ElementsAre(double{1.0f / 3.0f}));
  // 0.1 is compared as the f16 that it rounds to.
  const Tensor tenth = tensor(DType::f16, {1}, {0.1});
  EXPECT_THAT(numbers(apply(kLess, "%0, 0.1", {tenth})), ElementsAre(0));
  // A tie, decided by a bit that f32 would have lost.
  const Tensor a = tensor(DType::bf16, {1}, {1});
  const Tensor b = tensor(DType::bf16, {1}, {0x1.02p-8});
  EXPECT_THAT(numbers(apply(kAdd, "%0, %1", {a, b})), ElementsAre(0x1.02p0));
}

TEST(Elementwise, WrapsIntegersAndKeepsBoolsBools) {
  const Tensor u8 = tensor(DType::u8, {2}, {200, 1});
  EXPECT_THAT(numbers(apply(kAdd, "%0, %0", {u8})), ElementsAre(144, 2));
  EXPECT_THAT(numbers(apply(kNegate, "%0", {u8})), ElementsAre(56, 255));
  Tensor wide = tensor(DType::i64, {1}, {0});
  wide.set_bits(0, std::uint64_t{1} << 63);
  EXPECT_EQ(apply(kAdd, "%0, %0", {wide}).bits(0), 0u);
  EXPECT_EQ(apply(kNegate, "%0", {wide}).bits(0), std::uint64_t{1} << 63);
  const Tensor bools = tensor(DType::boolean, {2}, {1, 0});
  const Tensor sum = apply(kAdd, "%0, %0", {bools});
  EXPECT_EQ(sum.dtype(), DType::boolean);
  EXPECT_THAT(numbers(sum), ElementsAre(1, 0));
}

TEST(Elementwise, RaisesWhereShapesDoNotFit) {
  const Operation add = [](const Call& call) {
    const auto ab = call.operands<2>();
    return elementwise(
        ab, DType::f32, DType::f32, [](double a, double b) { return a + b; },
        "add/E3");
  };
  const Tensor a = tensor(DType::f32, {3}, {1, 2, 3});
  const Tensor b = tensor(DType::f32, {2}, {1, 2});
  try {
    apply(add, "%0, %1", {a, b});
    FAIL() << "nothing was raised";
  } catch (const Raised& r) {
    EXPECT_EQ(r.exception, "RuntimeError");
    EXPECT_THAT(r.message, HasSubstr("[3] and [2]"));
    EXPECT_EQ(r.clause, "add/E3");
  }
  EXPECT_THROW(apply(kNegate, "%0", {tensor(DType::boolean, {1}, {1})}),
               Raised);
}

TEST(Elementwise, LeavesToOthersWhatItCannotCompute) {
  const Operation root =
      in_common_type<1>([](double x) { return std::sqrt(x); });
  EXPECT_THROW(apply(root, "%0", {tensor(DType::i32, {1}, {4})}), Unsupported);
  EXPECT_THROW(apply(kAdd, "%0, %0", {tensor(DType::u64, {1}, {1})}),
               Unsupported);
  EXPECT_THROW(apply(kAdd, "%0, f32", {tensor(DType::f32, {1}, {1})}),
               Unsupported);
  EXPECT_THROW(apply(kAdd, "%0", {tensor(DType::f32, {1}, {1})}), Unsupported);
}

TEST(Cast, RoundsFromTheTypeThatThereIs) {
  const Operation to_copy = [](const Call& call) {
    const Operand x = call.operand(0);
    return cast(x, call.get("dtype", x.dtype));
  };
  const Tensor x = tensor(DType::f64, {2}, {0x1.002000001p0, 255.5});
  EXPECT_THAT(numbers(apply(to_copy, "%0, dtype=f16", {x})),
              ElementsAre(0x1.004p0, 255.5));
  EXPECT_THAT(numbers(apply(to_copy, "%0, dtype=u8", {x})),
              ElementsAre(1, 255));
  EXPECT_EQ(apply(to_copy, "%0", {x}).dtype(), DType::f64);
  EXPECT_THROW(apply(to_copy, "%0, dtype=2", {x}), Unsupported);
}

}  // namespace
}  // namespace assay::kit
