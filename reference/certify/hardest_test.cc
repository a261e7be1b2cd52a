#include "reference/certify/hardest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/float_bits.h"

namespace assay::reference {
namespace {

using E = Elementary;

std::uint64_t bits(DType t, double x) { return encode_float(t, x); }

struct Distance {
  RealFunction f;
  DType t;
  double x;
  double distance;  // by hand, in ulps
};

// sqrt(1 + 2^-23) is 1 + 2^-24 - 2^-49 + ..., next to the midpoint 1 + 2^-24;
// sqrt(4 - 2^-22) is 2 - 2^-24 - 2^-51; 1.5^2 = 2.25 is an element of all;
// rsqrt(1 - 2^-23) is 1 + 2^-24 + 3 * 2^-49.
TEST(MidpointDistance, IsThatOfSeries) {
  const std::vector<Distance> known = {
      {E::sqrt, DType::f32, 1 + 0x1p-23, 0x1p-26},
      {E::sqrt, DType::f32, 4 - 0x1p-22, 0x1p-27},
      {E::sqrt, DType::f64, 1 + 0x1p-52, 0x1p-55},
      {E::sqrt, DType::f16, 2.25, 0.5},
      {RealFunction::rsqrt(), DType::f32, 1 - 0x1p-23, 3 * 0x1p-26},
      {E::exp2, DType::f32, -150, 0},
      {E::exp2, DType::f16, -25, 0},
      {E::exp, DType::bf16, 0, 0.5}};
  for (const Distance& k : known) {
    const auto d = midpoint_distance(k.f, k.t, bits(k.t, k.x));
    ASSERT_TRUE(d) << k.f.name() << " at " << k.x;
    EXPECT_NEAR(*d, k.distance, k.distance * 0x1p-18)
        << k.f.name() << " at " << k.x;
  }
}

TEST(MidpointDistance, IsNoneWhereNothingIsRounded) {
  EXPECT_FALSE(midpoint_distance(E::log, DType::f32, bits(DType::f32, -1)));
  EXPECT_FALSE(midpoint_distance(E::log, DType::f32, bits(DType::f32, 0)));
  EXPECT_FALSE(midpoint_distance(E::exp, DType::f32, bits(DType::f32, 1000)));
  EXPECT_FALSE(midpoint_distance(E::sin, DType::f32, bits(DType::f32, 0)));
}

struct Expansion {
  RealFunction f;
  DType t;
  double x;
  bool is_one;
};

TEST(IsExpansion, TellsFirstTermsFromFunctions) {
  const std::vector<Expansion> known = {
      {E::exp, DType::f32, 0x1p-24, true},
      {E::exp, DType::f32, 0x1p-21, false},
      {E::exp, DType::f32, -1000, true},
      {E::sin, DType::f32, 0x1p-13, true},
      {E::sin, DType::f32, 0x1p-8, false},
      {E::expm1, DType::f16, -12, true},
      {E::tanh, DType::f32, 20, true},
      {E::tanh, DType::f32, 2, false},
      {E::atan, DType::f32, 0x1p30, true},
      {E::erfc, DType::bf16, -6, true},
      {E::log, DType::f32, 3, false},
      {E::sqrt, DType::f32, 4 - 0x1p-22, false},
      {E::tgamma, DType::f32, 5, false}};
  for (const Expansion& k : known) {
    EXPECT_EQ(is_expansion(k.f, k.t, bits(k.t, k.x)), k.is_one)
        << k.f.name() << " at " << k.x;
  }
}

// Against the definition, on every input.
TEST(HardestInputs, AreTheNearestOfAll) {
  for (const RealFunction& f :
       {RealFunction(E::exp), RealFunction(E::sqrt), RealFunction::rsqrt()}) {
    constexpr DType t = DType::bf16;
    const auto found = hardest_inputs(f, t, 3, engines().front(), 2, nullptr);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 3u) << f.name();
    EXPECT_TRUE(std::is_sorted(found->begin(), found->end(),
                               [](const HardInput& a, const HardInput& b) {
                                 return a.distance < b.distance;
                               }));
    for (std::uint64_t x = 0; x < 0x10000; ++x) {
      if (is_nan_bits(t, x)) continue;
      const auto d = midpoint_distance(f, t, x);
      if (!d || *d == 0 || *d >= found->back().distance) continue;
      const bool among =
          std::any_of(found->begin(), found->end(),
                      [&](const HardInput& h) { return h.distance == *d; });
      EXPECT_TRUE(among || is_expansion(f, t, x)) << f.name() << " " << x;
    }
  }
}

}  // namespace
}  // namespace assay::reference
