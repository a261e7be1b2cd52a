#include "kit/cast_bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "core/float_bits.h"
#include "core/integer_bits.h"

namespace assay::kit {
namespace {

using U64 = std::uint64_t;

U64 bits(double v) { return std::bit_cast<U64>(v); }
double cast_integer(DType from, U64 v, DType to) {
  return decode_float(to, cast_bits(from, v & width_mask(from), to));
}

TEST(CastBits, RoundsWideIntegersOnce) {
  // A tie of f32, but for the last bit, which f64 would drop first.
  const U64 above = (U64{1} << 53) + (U64{1} << 29) + 1;
  EXPECT_EQ(cast_integer(DType::i64, above, DType::f32), 0x1.000002p53);
  EXPECT_EQ(cast_integer(DType::i64, above - 1, DType::f32), 0x1p53);
  EXPECT_EQ(cast_integer(DType::i64, ~above + 1, DType::f32), -0x1.000002p53);
  EXPECT_EQ(cast_integer(DType::i64, U64{1} << 63, DType::f32), -0x1p63);
  EXPECT_EQ(cast_integer(DType::u64, U64{1} << 63, DType::f32), 0x1p63);
  EXPECT_EQ(cast_integer(DType::u64, ~U64{0}, DType::f64), 0x1p64);
  EXPECT_EQ(cast_integer(DType::u64, ~U64{0}, DType::bf16), 0x1p64);
}

TEST(CastBits, TruncatesAndWrapsToIntegers) {
  EXPECT_EQ(cast_bits(DType::f64, bits(-1.9), DType::i32), 0xffffffffu);
  EXPECT_EQ(cast_bits(DType::f64, bits(300.5), DType::u8), 44u);
  EXPECT_EQ(cast_bits(DType::f64, bits(0x1.8p63), DType::u64), U64{3} << 62);
  EXPECT_EQ(cast_bits(DType::i64, ~U64{0}, DType::u16), 0xffffu);
  EXPECT_EQ(cast_bits(DType::i8, 0x80, DType::i64), ~U64{0} << 7);
  EXPECT_EQ(cast_bits(DType::u8, 0x80, DType::i64), 0x80u);
}

TEST(CastBits, AsksBoolsWhetherTheyDifferFromZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cast_bits(DType::f64, bits(nan), DType::boolean), 1u);
  EXPECT_EQ(cast_bits(DType::f64, bits(-0.0), DType::boolean), 0u);
  EXPECT_EQ(cast_bits(DType::i64, U64{1} << 40, DType::boolean), 1u);
  EXPECT_EQ(cast_integer(DType::boolean, 1, DType::f8e5m2), 1.0);
}

TEST(CastBits, KeepsEveryElementOfEveryType) {
  for (const DType t : kAllDTypes) {
    if (size_bytes(t) > 2) continue;
    const DType wide = is_float(t) ? DType::f64 : DType::i64;
    for (U64 b = 0; b <= (t == DType::boolean ? 1 : width_mask(t)); ++b) {
      const U64 back = cast_bits(wide, cast_bits(t, b, wide), t);
      if (is_float(t) && is_nan_bits(t, b)) {
        ASSERT_TRUE(is_nan_bits(t, back)) << dtype_name(t) << " " << b;
      } else {
        ASSERT_EQ(back, b) << dtype_name(t);
      }
    }
  }
}

}  // namespace
}  // namespace assay::kit
