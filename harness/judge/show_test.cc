#include "harness/judge/show.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

reference::ElementSet between(std::uint64_t lo, std::uint64_t hi) {
  reference::ElementSet set;
  set.has_values = true;
  set.lo = lo;
  set.hi = hi;
  return set;
}

TEST(Show, IntegersWithTheSignOfTheirType) {
  const std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(show_bits(DType::i64, ones), "-1");
  EXPECT_EQ(show_bits(DType::u64, ones), "18446744073709551615");
  EXPECT_EQ(show_bits(DType::u32, 0xffffffff), "4294967295");
  EXPECT_EQ(show_bits(DType::i8, 0x80), "-128");
  EXPECT_EQ(show_set(between(1, ones), DType::u64),
            "[1 .. 18446744073709551615]");
}

TEST(Show, DistancesInTheOrderOfValues) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  const reference::ElementSet below = between(half - 1, half - 1);
  EXPECT_EQ(show_distance(below, DType::u64, half), "1 element above");
  EXPECT_EQ(show_distance(below, DType::i64, half),
            "18446744073709551615 elements below");
  EXPECT_EQ(show_distance(between(half, half), DType::u64, half - 3),
            "3 elements below");
}

}  // namespace
}  // namespace assay::harness
