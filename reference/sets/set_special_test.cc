// The special functions over random enclosures of orders and arguments, in and
// beside their domains.
#include "reference/sets/set_special.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

constexpr int kRounds = 2'000;

// Not far from zero, where domains end.
double near_zero(RandomNumbers& random) {
  return static_cast<double>(random.integer(-24, 24)) / 8;
}

Set<double> between(double a, double b) {
  return Set<double>::range(Real<double>::of(std::fmin(a, b)),
                            Real<double>::of(std::fmax(a, b)));
}

class SpecialOfSets : public ::testing::TestWithParam<int> {
 protected:
  const SpecialFunction f_ = static_cast<SpecialFunction>(GetParam());
};

TEST_P(SpecialOfSets, HoldsWhatItsMembersComeTo) {
  RandomNumbers random(static_cast<unsigned>(GetParam()) + 1);
  for (int round = 0; round < kRounds; ++round) {
    const auto order_near_zero = [&] {
      const double n = near_zero(random);
      return has_fractional_orders(f_) ? n : std::floor(n);
    };
    const std::array<double, 2> n = {order_near_zero(), order_near_zero()};
    const std::array<double, 2> x = {near_zero(random), near_zero(random)};
    const Set<double> r = apply(f_, between(n[0], n[1]), between(x[0], x[1]));
    if (r.has_values) {
      EXPECT_LE(r.lo.a, r.hi.b)
          << n[0] << ' ' << n[1] << ' ' << x[0] << ' ' << x[1];
    }
    for (const double order : n) {
      for (const double at : x) {
        const Set<double> one =
            apply(f_, Set<double>::of(order), Set<double>::of(at));
        EXPECT_TRUE(r.may_nan || !one.may_nan) << order << ' ' << at;
        if (!one.has_values) continue;
        ASSERT_TRUE(r.has_values) << order << ' ' << at;
        EXPECT_LE(r.lo.a, one.hi.b) << order << ' ' << at;
        EXPECT_GE(r.hi.b, one.lo.a) << order << ' ' << at;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpecialOfSets,
                         ::testing::Range(0,
                                          static_cast<int>(kSpecialFunctions)));

// igammac of an order below zero, which a quotient encloses.
TEST(SpecialOfSets, AreWithoutValuesBesideTheDomain) {
  const Set<double> r = apply(SpecialFunction::gamma_q, between(-0.25, -0.125),
                              between(0.5, 0.5));
  EXPECT_FALSE(r.has_values);
  EXPECT_TRUE(r.may_nan);
}

}  // namespace
}  // namespace assay::reference
