// What a range guard finds, in every type and beside the ends of the blocks
// that it looks at together.
#include "compiler/ops/guard.h"

#include <gtest/gtest.h>

namespace assay::compiler {
namespace {

constexpr std::int64_t kCount = 1000;

std::int64_t first_of(const Tensor& t, std::int64_t limit) {
  return first_out_of_range(t.type, t.storage->data(), limit);
}

TEST(RangeGuard, FindsTheFirstThatIsOut) {
  for (const DType t :
       {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8}) {
    const std::int64_t limit = 100;
    Tensor x = Tensor::zeros(t, {kCount});
    for (std::int64_t i = 0; i < kCount; ++i) x.set_integer(i, i % limit);
    EXPECT_EQ(first_of(x, limit), -1) << dtype_name(t);
    EXPECT_EQ(first_of(x, 0), 0) << dtype_name(t);
    for (const std::int64_t at :
         {0, 1, 254, 255, 256, 511, 512, 767, 768, 999}) {
      for (const std::int64_t bad : {limit, std::int64_t{-1}, integer_min(t)}) {
        if (bad == 0) continue;  // the least of what has no sign
        Tensor y = x.contiguous();
        y.set_integer(at, bad);
        EXPECT_EQ(first_of(y, limit), at) << dtype_name(t) << " " << bad;
        y.set_integer(kCount - 1, bad);
        EXPECT_EQ(first_of(y, limit), at) << dtype_name(t) << " " << bad;
      }
    }
  }
}

TEST(RangeGuard, CountsInRowMajorOrder) {
  Tensor x = Tensor::strided({DType::i64, {30, 40}, {1, 30}});
  EXPECT_EQ(first_of(x, 5), -1);
  x.set_integer(17 * 40 + 3, 5);
  x.set_integer(20 * 40 + 1, -1);
  EXPECT_EQ(first_of(x, 5), 17 * 40 + 3);
}

}  // namespace
}  // namespace assay::compiler
