// The kernels' text for 8-bit floats against core's integer code.
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

}  // namespace
}  // namespace assay::compiler
