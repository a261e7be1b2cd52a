#include "suite/language/model/literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/float_bits.h"

namespace assay::language {
namespace {

Literal integer(std::int64_t v) {
  Literal l;
  l.integral = true;
  l.integer = v;
  l.number = static_cast<double>(v);
  return l;
}

Literal real(double v) {
  Literal l;
  l.number = v;
  return l;
}

Literal of(Literal::Base base, bool negative = false) {
  Literal l;
  l.base = base;
  l.negative = negative;
  return l;
}

TEST(Literal, NumbersAreRoundedOnce) {
  EXPECT_EQ(*literal_bits(real(0.1), DType::f32), 0x3dcccccdu);
  EXPECT_EQ(*literal_bits(real(65520), DType::f16), 0x7c00u);
  EXPECT_EQ(*literal_bits(real(-0.0), DType::bf16), 0x8000u);
  EXPECT_EQ(*literal_bits(integer(3), DType::f32), 0x40400000u);
}

TEST(Literal, NamedEndsOfFormats) {
  EXPECT_EQ(*literal_bits(of(Literal::Base::largest), DType::f16), 0x7bffu);
  EXPECT_EQ(*literal_bits(of(Literal::Base::largest, true), DType::f32),
            0xff7fffffu);
  EXPECT_EQ(*literal_bits(of(Literal::Base::smallest_normal), DType::f32),
            0x00800000u);
  EXPECT_EQ(*literal_bits(of(Literal::Base::smallest, true), DType::f64),
            0x8000000000000001u);
  EXPECT_EQ(*literal_bits(of(Literal::Base::largest), DType::u8), 255u);
  EXPECT_EQ(*literal_bits(of(Literal::Base::largest, true), DType::i32),
            0x80000000u);
}

TEST(Literal, StepsAreTakenInTheDtype) {
  Literal one = real(1);
  one.steps = 1;
  EXPECT_EQ(*literal_bits(one, DType::f32), 0x3f800001u);
  EXPECT_EQ(*literal_bits(one, DType::f16), 0x3c01u);
  EXPECT_EQ(*literal_bits(one, DType::i64), 2u);
  one.steps = -3;
  EXPECT_EQ(*literal_bits(one, DType::i64), ~std::uint64_t{0} - 1);
  EXPECT_EQ(*literal_bits(one, DType::u8), 0u) << "clamped";
}

TEST(Literal, NeighboursStopAtTheEnds) {
  const std::uint64_t least = std::uint64_t{1} << 63;
  EXPECT_EQ(neighbour(DType::i64, least, -1), least);
  EXPECT_EQ(neighbour(DType::i64, least - 1, 1), least - 1);
  EXPECT_EQ(neighbour(DType::i64, least - 1, -1), least - 2);
  const std::uint64_t inf = positive_infinity_bits(DType::f32);
  EXPECT_EQ(neighbour(DType::f32, inf, 1), inf);
  EXPECT_EQ(neighbour(DType::f32, quiet_nan_bits(DType::f32), 5),
            quiet_nan_bits(DType::f32));
}

TEST(Literal, BitPatternsBelongToOneDtype) {
  Literal l = of(Literal::Base::bits);
  l.bits = 0x7fc00001;
  l.bits_dtype = DType::f32;
  EXPECT_EQ(*literal_bits(l, DType::f32), 0x7fc00001u);
  EXPECT_FALSE(literal_bits(l, DType::f16));
  l.bits_dtype = std::nullopt;
  EXPECT_EQ(literal_bits(l, DType::f16).error().message,
            "the bit pattern has more bits than f16");
}

TEST(Literal, U64ReachesBeyondI64) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(*literal_bits(of(Literal::Base::largest), DType::u64),
            ~std::uint64_t{0});
  EXPECT_EQ(*literal_bits(of(Literal::Base::largest, true), DType::u64), 0u);
  EXPECT_EQ(*literal_bits(real(0x1p63), DType::u64), half);
  EXPECT_EQ(*literal_bits(real(0x1p64 - 0x1p11), DType::u64),
            ~std::uint64_t{0} - 0x7ff);
  Literal next = real(0x1p63);
  next.steps = 1025;
  EXPECT_EQ(*literal_bits(next, DType::u64), half + 1025);
  next.steps = -1;
  EXPECT_EQ(*literal_bits(next, DType::u64), half - 1);
  EXPECT_EQ(neighbour(DType::u64, ~std::uint64_t{0}, 1), ~std::uint64_t{0});
  EXPECT_EQ(neighbour(DType::u64, 0, -1), 0u);
  EXPECT_EQ(
      neighbour(DType::u64, half, std::numeric_limits<std::int64_t>::min()),
      0u);
  for (const Literal& l : {real(0x1p64), real(-1), integer(-1), real(-0.0),
                           real(NAN), real(INFINITY), real(0.5)}) {
    EXPECT_FALSE(literal_bits(l, DType::u64));
  }
}

TEST(Literal, WhatAnIntegerDtypeCannotHold) {
  for (const Literal& l : {real(0.5), real(INFINITY), real(NAN), real(-0.0),
                           integer(256), integer(-1)}) {
    EXPECT_FALSE(literal_bits(l, DType::u8));
  }
  EXPECT_FALSE(literal_bits(real(0x1p63), DType::i64));
  EXPECT_TRUE(literal_bits(real(-0x1p63), DType::i64));
  EXPECT_FALSE(literal_bits(of(Literal::Base::smallest), DType::i32));
}

}  // namespace
}  // namespace assay::language
