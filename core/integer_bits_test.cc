#include "core/integer_bits.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

constexpr std::uint64_t kAllOnes = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

struct Element {
  DType type;
  std::uint64_t bits;
  std::int64_t integer;
  double number;
  const char* text;
};

TEST(IntegerBits, HaveAValue) {
  for (const Element& e : {
           Element{DType::u8, 0xff, 255, 255, "255"},
           Element{DType::i8, 0xff, -1, -1, "-1"},
           Element{DType::u32, 0xffffffff, 4294967295, 4294967295.0,
                   "4294967295"},
           Element{DType::i32, 0x80000000, -2147483648, -2147483648.0,
                   "-2147483648"},
           Element{DType::i64, kHalf, std::numeric_limits<std::int64_t>::min(),
                   -0x1p63, "-9223372036854775808"},
           Element{DType::u64, kHalf, std::numeric_limits<std::int64_t>::min(),
                   0x1p63, "9223372036854775808"},
           Element{DType::u64, kAllOnes, -1, 0x1p64, "18446744073709551615"},
           Element{DType::u64, kHalf + 1025, -0x7ffffffffffffbff,
                   0x1p63 + 0x1p11, "9223372036854776833"},
           Element{DType::boolean, 1, 1, 1, "1"},
       }) {
    EXPECT_EQ(integer_of_bits(e.type, e.bits), e.integer) << e.text;
    EXPECT_EQ(number_of_integer(e.type, e.bits), e.number) << e.text;
    EXPECT_EQ(integer_text(e.type, e.bits), e.text);
  }
}

TEST(IntegerBits, PlacesAreInTheOrderOfValues) {
  for (const DType t : kAllDTypes) {
    if (is_float(t)) continue;
    const std::uint64_t least =
        static_cast<std::uint64_t>(integer_min(t)) & width_mask(t);
    const std::int64_t first = integer_place(t, least);
    const std::int64_t last = integer_place(t, integer_max(t));
    EXPECT_EQ(
        static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first),
        integer_max(t) - static_cast<std::uint64_t>(integer_min(t)));
    EXPECT_LT(first, last);
    for (const std::int64_t p : {first, first + 1, last - 1, last}) {
      EXPECT_EQ(integer_place(t, integer_at_place(t, p)), p) << dtype_name(t);
    }
    EXPECT_EQ(integer_place(t, 1) - integer_place(t, 0), 1);
  }
}

TEST(IntegerRange, HoldsWhatLiesWithin) {
  EXPECT_EQ(integer_max(DType::u64), kAllOnes);
  EXPECT_EQ(integer_min(DType::u64), 0);
  EXPECT_EQ(integer_max(DType::i64), kHalf - 1);
  EXPECT_EQ(integer_max(DType::boolean), 1u);
  EXPECT_EQ(integer_min(DType::i8), -128);
  EXPECT_FALSE(holds_integer(DType::u64, -1));
  EXPECT_TRUE(
      holds_integer(DType::u64, std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(holds_integer(DType::u8, 256));
  EXPECT_FALSE(holds_integers(DType::i64, DType::u64));
  EXPECT_FALSE(holds_integers(DType::u64, DType::i64));
  EXPECT_TRUE(holds_integers(DType::u64, DType::u32));
  EXPECT_TRUE(holds_integers(DType::i64, DType::u32));
}

}  // namespace
}  // namespace assay
