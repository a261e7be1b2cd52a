// The kernels' text for 8-bit floats against core's integer code, and that for
// block scales against its definition.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "compiler/math/math.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

struct Text {
  DType type;
  unsigned char (*from_f32)(float);
  unsigned char (*from_f64)(double);
  unsigned char (*from_i64)(long);
  float (*widen)(unsigned char);
};

constexpr Text kTexts[] = {
    {DType::f8e4m3fn, math::a_to_f8e4m3fn, math::a_to_f8e4m3fn,
     math::a_to_f8e4m3fn, math::a_from_f8e4m3fn},
    {DType::f8e5m2, math::a_to_f8e5m2, math::a_to_f8e5m2, math::a_to_f8e5m2,
     math::a_from_f8e5m2},
    {DType::f8e4m3fnuz, math::a_to_f8e4m3fnuz, math::a_to_f8e4m3fnuz,
     math::a_to_f8e4m3fnuz, math::a_from_f8e4m3fnuz},
    {DType::f8e5m2fnuz, math::a_to_f8e5m2fnuz, math::a_to_f8e5m2fnuz,
     math::a_to_f8e5m2fnuz, math::a_from_f8e5m2fnuz},
    {DType::f8e8m0fnu, math::a_to_f8e8m0fnu, math::a_to_f8e8m0fnu,
     math::a_to_f8e8m0fnu, math::a_from_f8e8m0fnu},
};

TEST(Float8, WideningIsExhaustivelyExact) {
  for (const Text& t : kTexts) {
    for (unsigned bits = 0; bits < 256; ++bits) {
      const auto b = static_cast<unsigned char>(bits);
      const double expected = decode_float(t.type, bits);
      const float got = t.widen(b);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got)) << dtype_name(t.type) << " " << bits;
        continue;
      }
      EXPECT_EQ(static_cast<double>(got), expected)
          << dtype_name(t.type) << " " << bits;
      EXPECT_EQ(std::signbit(got), std::signbit(expected));
      EXPECT_EQ(t.from_f32(got), bits) << dtype_name(t.type);
    }
  }
}

// Five bits decide at most; the rest matters only as a whole.
TEST(Float8, NarrowingFromF32) {
  for (const Text& t : kTexts) {
    for (std::uint32_t high = 0; high < 0x20000; ++high) {
      for (const std::uint32_t low : {0u, 1u, 0x3fffu, 0x4000u, 0x7fffu}) {
        const float x = std::bit_cast<float>(high << 15 | low);
        ASSERT_EQ(t.from_f32(x), encode_float(t.type, x))
            << dtype_name(t.type) << " " << x;
      }
    }
  }
}

// Ties and their neighbours a last place of f64 away: through f32 they would
// be rounded twice.
TEST(Float8, NarrowingFromF64RoundsOnce) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 500000; ++i) {
    std::uint64_t bits = random();
    if (i % 2 == 0) {
      const double tie = std::ldexp(static_cast<double>(random() % 64 * 2 + 1),
                                    static_cast<int>(random() % 48) - 30);
      bits = std::bit_cast<std::uint64_t>(tie) + random() % 3 - 1;
    }
    const double x = std::bit_cast<double>(bits);
    for (const Text& t : kTexts) {
      ASSERT_EQ(t.from_f64(x), encode_float(t.type, x))
          << dtype_name(t.type) << " " << x;
    }
  }
}

TEST(Float8, NarrowingFromI64) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200000; ++i) {
    // Up to 2^53 a double holds the integer; beyond, only e8m0 is in range.
    const long v = static_cast<long>(random()) >> (11 + random() % 53);
    for (const Text& t : kTexts) {
      ASSERT_EQ(t.from_i64(v), encode_float(t.type, static_cast<double>(v)))
          << dtype_name(t.type) << " " << v;
    }
  }
}

// The code from its definition: the least k with |x| <= 2^k, within [0, 254].
int e8m0_code(double x) {
  const double a = std::fabs(x);
  if (std::isnan(a)) return 255;
  if (a <= 0x1p-127) return 0;
  if (a > 0x1p127) return 254;
  int k = 0;
  const bool is_power = std::frexp(a, &k) == 0.5;
  return k - (is_power ? 1 : 0) + 127;
}

TEST(Float8, EncodesBlockScalesRoundedUp) {
  for (int k = -1080; k <= 1023; ++k) {
    const double power = std::ldexp(1.0, k);
    for (const double x :
         {power, std::nextafter(power, 0), std::nextafter(power, 1e308)}) {
      ASSERT_EQ(math::a_e8m0_encode(x), e8m0_code(x)) << x;
      ASSERT_EQ(math::a_e8m0_encode(-x), e8m0_code(x)) << x;
    }
  }
  // Floats at a stride that is a prime, and around every exponent.
  for (std::uint64_t n = 0; n < (std::uint64_t{1} << 32); n += 97) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(n));
    ASSERT_EQ(math::a_e8m0_encode(x), e8m0_code(static_cast<double>(x))) << n;
  }
  for (std::uint32_t e = 0; e < 512; ++e) {
    for (int step = -3; step <= 3; ++step) {
      const std::uint32_t n = (e << 23) + static_cast<std::uint32_t>(step);
      const auto x = std::bit_cast<float>(n);
      ASSERT_EQ(math::a_e8m0_encode(x), e8m0_code(static_cast<double>(x))) << n;
      ASSERT_EQ(math::a_e8m0_encode(static_cast<double>(x)),
                e8m0_code(static_cast<double>(x)))
          << n;
    }
  }
}

}  // namespace
}  // namespace assay::compiler
