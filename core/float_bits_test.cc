#include "core/float_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace assay {
namespace {

constexpr DType kNarrow[] = {
    DType::f16,        DType::bf16,       DType::f8e4m3fn, DType::f8e5m2,
    DType::f8e4m3fnuz, DType::f8e5m2fnuz, DType::f8e8m0fnu};
constexpr RoundingMode kRoundings[] = {
    RoundingMode::nearest_even, RoundingMode::nearest_away,
    RoundingMode::toward_zero, RoundingMode::up, RoundingMode::down};

// Every finite element, in order, and after the largest what would follow if
// the exponent had no upper end; likewise at the other end of a signed format.
struct Places {
  explicit Places(DType t) {
    const FloatFormat f = float_format(t);
    const std::int64_t top = ordinal(t, largest_bits(t));
    const std::int64_t low =
        f.has_sign() ? ordinal(t, largest_bits(t) | sign_bit_mask(t)) : 1;
    if (f.has_sign()) values.push_back(-beyond_largest(t));
    for (std::int64_t i = low; i <= top; ++i) {
      const double v = decode_float(t, from_ordinal(t, i));
      if (values.empty() || values.back() < v) values.push_back(v);
    }
    values.push_back(beyond_largest(t));
  }
  std::vector<double> values;
};

bool is_even(DType t, double v) {
  if (v == 0) return true;
  int exponent = 0;
  const double m = std::frexp(std::fabs(v), &exponent);
  const FloatFormat f = float_format(t);
  const int unit = std::max(exponent - 1, f.emin) - f.precision + 1;
  return std::fmod(std::ldexp(m, exponent - unit), 2.0) == 0.0;
}

// The value that x, between the places a and b, rounds to: the definition of
// each rounding, on real numbers.
double rounded(DType t, RoundingMode mode, double a, double x, double b) {
  if (x == a || x == b) return x;
  switch (mode) {
    case RoundingMode::toward_zero:
      return x < 0 ? b : a;
    case RoundingMode::up:
      return b;
    case RoundingMode::down:
      return a;
    default:
      if (x - a < b - x) return a;
      if (x - a > b - x) return b;
  }
  if (mode == RoundingMode::nearest_even) return is_even(t, a) ? a : b;
  return std::fabs(a) > std::fabs(b) ? a : b;
}

double value_of(DType t, double x, RoundingMode r, Overflow o) {
  return decode_float(t, encode_float(t, x, r, o));
}

TEST(DecodeFloat, EveryNarrowPatternReadsBackAsItself) {
  for (const DType t : kNarrow) {
    int nans = 0;
    const std::uint64_t patterns = std::uint64_t{1} << 8 * size_bytes(t);
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
      const double v = decode_float(t, bits);
      if (is_nan_bits(t, bits)) {
        EXPECT_TRUE(std::isnan(v));
        ++nans;
      } else {
        ASSERT_EQ(encode_float(t, v), bits) << dtype_name(t);
        ASSERT_EQ(std::isinf(v), is_inf_bits(t, bits));
      }
    }
    EXPECT_GE(nans, 1) << dtype_name(t);
  }
}

// Table 1 of the OCP 8-bit Floating Point Specification 1.0, section 5.4.1 of
// its Microscaling Formats 1.0, and the documentation of torch's dtypes.
TEST(DecodeFloat, PublishedExtremesOfTheEightBitFormats) {
  const auto value = [](DType t, std::uint64_t bits) {
    return decode_float(t, bits);
  };
  EXPECT_EQ(value(DType::f8e4m3fn, 0x7e), 448.0);
  EXPECT_EQ(value(DType::f8e4m3fn, 0x08), 0x1p-6);
  EXPECT_EQ(value(DType::f8e4m3fn, 0x01), 0x1p-9);
  EXPECT_TRUE(is_nan_bits(DType::f8e4m3fn, 0x7f));
  EXPECT_TRUE(is_nan_bits(DType::f8e4m3fn, 0xff));
  EXPECT_EQ(value(DType::f8e5m2, 0x7b), 57344.0);
  EXPECT_EQ(value(DType::f8e5m2, 0x04), 0x1p-14);
  EXPECT_EQ(value(DType::f8e5m2, 0x01), 0x1p-16);
  EXPECT_TRUE(is_inf_bits(DType::f8e5m2, 0x7c));
  EXPECT_TRUE(is_nan_bits(DType::f8e5m2, 0x7d));
  EXPECT_EQ(value(DType::f8e4m3fnuz, 0x7f), 240.0);
  EXPECT_EQ(value(DType::f8e4m3fnuz, 0x01), 0x1p-10);
  EXPECT_TRUE(is_nan_bits(DType::f8e4m3fnuz, 0x80));
  EXPECT_EQ(value(DType::f8e5m2fnuz, 0x7f), 57344.0);
  EXPECT_EQ(value(DType::f8e5m2fnuz, 0x01), 0x1p-17);
  EXPECT_EQ(value(DType::f8e8m0fnu, 0x00), 0x1p-127);
  EXPECT_EQ(value(DType::f8e8m0fnu, 0x7f), 1.0);
  EXPECT_EQ(value(DType::f8e8m0fnu, 0xfe), 0x1p127);
  EXPECT_TRUE(is_nan_bits(DType::f8e8m0fnu, 0xff));
}

TEST(EncodeFloat, EveryRoundingBetweenAllNeighbours) {
  for (const DType t : kNarrow) {
    const Places places(t);
    for (std::size_t i = 0; i + 1 < places.values.size(); ++i) {
      const double a = places.values[i], b = places.values[i + 1];
      const double middle = a + (b - a) / 2;  // exact in f64
      for (const double x :
           {std::nextafter(a, b), std::nextafter(middle, a), middle,
            std::nextafter(middle, b), std::nextafter(b, a)}) {
        for (const RoundingMode r : kRoundings) {
          const double want = rounded(t, r, a, x, b);
          const double got = value_of(t, x, r, Overflow::standard);
          const double top = places.values.back();
          if (std::fabs(want) < top) {
            ASSERT_EQ(got, want) << dtype_name(t) << " " << x;
            ASSERT_EQ(value_of(t, x, r, Overflow::saturate), want);
          } else if (float_format(t).has_infinity()) {
            ASSERT_EQ(got, std::copysign(INFINITY, want)) << x;
          } else {
            ASSERT_TRUE(std::isnan(got)) << dtype_name(t) << " " << x;
          }
        }
      }
    }
  }
}

TEST(EncodeFloat, OverflowPolicies) {
  for (const DType t : kNarrow) {
    const FloatFormat f = float_format(t);
    const double last = decode_float(t, largest_bits(t));
    const RoundingMode even = RoundingMode::nearest_even;
    for (const double x : {beyond_largest(t), 1e300, double{INFINITY}}) {
      EXPECT_EQ(value_of(t, x, even, Overflow::saturate), last);
      EXPECT_TRUE(std::isnan(value_of(t, x, even, Overflow::nan)));
      const double v = value_of(t, x, even, Overflow::saturate_finite);
      if (std::isfinite(x)) {
        EXPECT_EQ(v, last);
        EXPECT_EQ(value_of(t, x, RoundingMode::down, Overflow::standard), last);
      } else if (f.has_infinity()) {
        EXPECT_EQ(v, x);
      } else {
        EXPECT_TRUE(std::isnan(v));
      }
      if (!f.has_sign()) {
        // Nothing lies below the least element, so that is the nearest.
        EXPECT_EQ(encode_float(t, -x), 0u);
        continue;
      }
      EXPECT_EQ(value_of(t, -x, even, Overflow::saturate), -last);
      EXPECT_TRUE(std::isnan(value_of(t, -x, even, Overflow::nan)));
    }
    EXPECT_EQ(encode_float(t, std::nan("")), quiet_nan_bits(t));
    EXPECT_EQ(encode_float(t, -0.0) != 0, f.has_negative_zero());
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

TEST(Step, EndsAtTheLargestWhereThereIsNoInfinity) {
  EXPECT_EQ(step(DType::f8e4m3fn, 0x7d, 9), 0x7eu);
  EXPECT_EQ(step(DType::f8e4m3fn, 0xfd, -9), 0xfeu);
  EXPECT_EQ(step(DType::f8e4m3fnuz, 0x01, -1), 0x00u);
  EXPECT_EQ(step(DType::f8e4m3fnuz, 0x00, -1), 0x81u);
  EXPECT_EQ(step(DType::f8e8m0fnu, 0x03, -9), 0x00u);
  EXPECT_EQ(step(DType::f8e8m0fnu, 0xfd, 9), 0xfeu);
}

TEST(Ordinal, CountsEveryElementOnce) {
  for (const DType t : kNarrow) {
    std::set<std::int64_t> seen;
    const std::uint64_t patterns = std::uint64_t{1} << 8 * size_bytes(t);
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
      if (is_nan_bits(t, bits)) continue;
      const std::int64_t place = ordinal(t, bits);
      ASSERT_EQ(from_ordinal(t, place), bits) << dtype_name(t);
      ASSERT_TRUE(seen.insert(place).second);
    }
    // Without gaps, and in the order of values.
    ASSERT_EQ(*seen.rbegin() - *seen.begin() + 1,
              static_cast<std::int64_t>(seen.size()));
    for (auto i = seen.begin(); std::next(i) != seen.end(); ++i) {
      ASSERT_LE(decode_float(t, from_ordinal(t, *i)),
                decode_float(t, from_ordinal(t, *std::next(i))));
    }
  }
}

}  // namespace
}  // namespace assay
