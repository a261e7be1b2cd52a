#include "core/float_bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace assay {
namespace {

constexpr DType kNarrow[] = {DType::f16, DType::bf16};

// The nearest element found by looking at both neighbours in order, which
// shares no code with encode_float.
std::uint64_t nearest_by_search(DType t, double value) {
  std::int64_t low = ordinal(t, positive_infinity_bits(t)) * -1 - 1;
  std::int64_t high = ordinal(t, positive_infinity_bits(t));
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (decode_float(t, from_ordinal(t, middle)) <= value ? low : high) = middle;
  }
  const double below = decode_float(t, from_ordinal(t, low));
  double above = decode_float(t, from_ordinal(t, high));
  // IEEE 754 rounds as if the exponent range had no end.
  const FloatFormat f = float_format(t);
  if (std::isinf(above)) above = std::ldexp(1.0, f.emax + 1);
  double finite_below = below;
  if (std::isinf(below)) finite_below = -std::ldexp(1.0, f.emax + 1);
  const double to_low = value - finite_below;
  const double to_high = above - value;
  if (to_low < to_high) return from_ordinal(t, low);
  if (to_high < to_low) return from_ordinal(t, high);
  const std::uint64_t bits = from_ordinal(t, low);
  return (bits & 1) == 0 ? bits : from_ordinal(t, high);
}

TEST(DecodeFloat, EveryNarrowPatternReadsBackAsItself) {
  for (const DType t : kNarrow) {
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const double v = decode_float(t, bits);
      if (is_nan_bits(t, bits)) {
        EXPECT_TRUE(std::isnan(v));
      } else {
        ASSERT_EQ(encode_float(t, v), bits) << dtype_name(t);
      }
    }
  }
}

TEST(EncodeFloat, MidpointsAndTheirNeighboursRoundToNearestEven) {
  for (const DType t : kNarrow) {
    const std::int64_t top = ordinal(t, positive_infinity_bits(t));
    for (std::int64_t i = -top; i + 1 < top; ++i) {
      const double a = decode_float(t, from_ordinal(t, i));
      const double b = decode_float(t, from_ordinal(t, i + 1));
      const double middle = a + (b - a) / 2;  // exact in f64
      for (const double v :
           {std::nextafter(middle, a), middle, std::nextafter(middle, b)}) {
        if (v == 0) continue;  // the sign of a zero is not a matter of order
        ASSERT_EQ(decode_float(t, encode_float(t, v)),
                  decode_float(t, nearest_by_search(t, v)))
            << dtype_name(t) << " " << v;
      }
    }
  }
}

TEST(EncodeFloat, AgreesWithTheProcessorOnF32) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2'000'000; ++i) {
    const double v = std::bit_cast<double>(random());
    if (std::isnan(v)) continue;
    const auto expected = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    ASSERT_EQ(encode_float(DType::f32, v), expected) << v;
  }
  for (int e = -155; e < 130; ++e) {
    for (const double m : {1.0, 1.0 + 0x1p-24, 1.0 + 0x1p-23, 1.5,
                           2.0 - 0x1p-24, 2.0 - 0x1p-25, 2.0 - 0x1p-26}) {
      const double v = std::ldexp(m, e);
      ASSERT_EQ(encode_float(DType::f32, v),
                std::bit_cast<std::uint32_t>(static_cast<float>(v)))
          << v;
    }
  }
}

TEST(EncodeFloat, OverflowThreshold) {
  EXPECT_EQ(encode_float(DType::f16, 65519.996), 0x7bffu);
  EXPECT_EQ(encode_float(DType::f16, 65520.0), 0x7c00u);
  EXPECT_EQ(encode_float(DType::f16, -65520.0), 0xfc00u);
  EXPECT_EQ(encode_float(DType::f16, std::nan("")), 0x7e00u);
}

TEST(Step, CrossesZeroAsOnePlace) {
  const std::uint64_t minus_zero = 0x80000000u;
  EXPECT_EQ(step(DType::f32, 0, 1), 1u);
  EXPECT_EQ(step(DType::f32, 0, -1), 0x80000001u);
  EXPECT_EQ(step(DType::f32, minus_zero, 1), 1u);
  EXPECT_EQ(step(DType::f32, 1, -1), 0u);
  EXPECT_EQ(step(DType::f32, 0x80000001u, 1), minus_zero);
  EXPECT_EQ(step(DType::f32, 0x7f7fffffu, 5), 0x7f800000u);
  EXPECT_EQ(step(DType::f32, minus_zero, 0), minus_zero);
}

TEST(Ordinal, CountsEveryElementOnce) {
  for (const DType t : kNarrow) {
    const std::int64_t top = ordinal(t, positive_infinity_bits(t));
    for (std::int64_t i = -top - 1; i < top; ++i) {
      ASSERT_EQ(ordinal(t, from_ordinal(t, i)), i);
      ASSERT_LE(decode_float(t, from_ordinal(t, i)),
                decode_float(t, from_ordinal(t, i + 1)));
    }
  }
}

}  // namespace
}  // namespace assay
