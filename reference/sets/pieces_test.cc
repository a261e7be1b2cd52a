// Sets of several intervals: nothing between the intervals is a member, and
// every result of a member is.
#include "reference/sets/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/sets/round.h"
#include "reference/sets/set_binary.h"
#include "reference/sets/set_logic.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

using testing::ElementsAre;
using testing::Pair;

template <class N>
Set<N> span(double lo, double hi) {
  return Set<N>::range(Real<N>::of(lo), Real<N>::of(hi));
}

// The ends of the intervals, which must be known.
template <class N>
std::vector<std::pair<double, double>> ends(const Set<N>& s) {
  std::vector<std::pair<double, double>> all;
  each_interval(s, [&all](const Real<N>& lo, const Real<N>& hi) {
    EXPECT_TRUE(lo.is_point() && hi.is_point());
    all.emplace_back(below(lo.a), above(hi.b));
  });
  return all;
}

template <class N>
class Pieces : public testing::Test {
  PrecisionScope precision_{113};
};
using Engines = testing::Types<double, Mp>;
TYPED_TEST_SUITE(Pieces, Engines);

TYPED_TEST(Pieces, RoundingGivesSingleIntegers) {
  using N = TypeParam;
  const auto x = span<N>(2.9, 4.1);
  EXPECT_THAT(ends(step_function(floor_steps<N>(), x)),
              ElementsAre(Pair(2, 2), Pair(3, 3), Pair(4, 4)));
  EXPECT_THAT(ends(step_function(ceil_steps<N>(), x)),
              ElementsAre(Pair(3, 3), Pair(4, 4), Pair(5, 5)));
  EXPECT_THAT(ends(step_function(sign_steps<N>(), span<N>(-0.5, 7))),
              ElementsAre(Pair(-1, -1), Pair(0, 0), Pair(1, 1)));
  EXPECT_THAT(ends(compare_sets(Comparison::lt, x, span<N>(4, 4))),
              ElementsAre(Pair(0, 0), Pair(1, 1)));
}

TYPED_TEST(Pieces, RoundingToZeroKeepsItsSigns) {
  using N = TypeParam;
  const auto zeros = [](const Steps<N>& f, double lo, double hi) {
    std::vector<std::pair<bool, bool>> signs;
    const Set<N> s = step_function(f, span<N>(lo, hi));
    each_interval(s, [&signs](const Real<N>& low, const Real<N>& high) {
      if (!is_zero(low.a)) return;
      signs.emplace_back(sign_bit(low.a), sign_bit(high.b));
    });
    return signs;
  };
  EXPECT_THAT(zeros(trunc_steps<N>(), -2, 2), ElementsAre(Pair(true, false)));
  EXPECT_THAT(zeros(ceil_steps<N>(), -1.5, 3), ElementsAre(Pair(true, false)));
  EXPECT_THAT(zeros(ceil_steps<N>(), -2, -0.5), ElementsAre(Pair(true, true)));
  EXPECT_THAT(zeros(floor_steps<N>(), 0.5, 2), ElementsAre(Pair(false, false)));
  EXPECT_THAT(zeros(sign_steps<N>(), -2, 2), ElementsAre(Pair(false, false)));
}

TYPED_TEST(Pieces, WhatIsApartStaysApart) {
  using N = TypeParam;
  const Set<N> signs = unite(Set<N>::of(-1.0), Set<N>::of(1.0));
  EXPECT_THAT(ends(signs), ElementsAre(Pair(-1, -1), Pair(1, 1)));
  EXPECT_THAT(ends(unite(signs, span<N>(0.5, 2))),
              ElementsAre(Pair(-1, -1), Pair(0.5, 2)));
  EXPECT_THAT(ends(unite(signs, span<N>(-2, 2))), ElementsAre(Pair(-2, 2)));
  EXPECT_THAT(ends(divide(Set<N>::of(1.0), span<N>(-2, 4))),
              ElementsAre(Pair(-kInfinity, -0.5), Pair(0.25, kInfinity)));
}

TYPED_TEST(Pieces, TooManyAreJoinedWithoutLoss) {
  using N = TypeParam;
  Set<N> all = Set<N>::of(0.0);
  for (int n = 1; n < 100; ++n) all = unite(all, Set<N>::of(n * n));
  ASSERT_TRUE(all.pieces);
  EXPECT_EQ(all.pieces->size(), kMaxPieces);
  EXPECT_EQ(below(all.lo.a), 0);
  EXPECT_EQ(above(all.hi.b), 99 * 99);
  for (int n = 0; n < 100; ++n) {
    const auto v = ends(all);
    EXPECT_TRUE(std::any_of(v.begin(), v.end(), [n](const auto& e) {
      return e.first <= n * n && n * n <= e.second;
    }));
  }
}

TYPED_TEST(Pieces, NanIsSeenOnce) {
  using N = TypeParam;
  Set<N> x = unite(Set<N>::of(-4.0), Set<N>::of(9.0));
  const auto root = [](const Set<N>& s) { return apply(Elementary::sqrt, s); };
  const Set<N> r = over_pieces(x, root);
  EXPECT_TRUE(r.may_nan);
  EXPECT_THAT(ends(r), ElementsAre(Pair(3, 3)));
  x = unite(Set<N>::of(4.0), Set<N>::of(9.0));
  EXPECT_FALSE(over_pieces(x, root).may_nan);
  x.may_nan = true;
  EXPECT_TRUE(over_pieces(x, root).may_nan);
  EXPECT_THAT(ends(over_pieces(x, root)), ElementsAre(Pair(2, 2), Pair(3, 3)));
}

// Every result of members is a member of the result.
TYPED_TEST(Pieces, OperationsHoldWhatTheyMakeOfMembers) {
  using N = TypeParam;
  RandomNumbers random(31);
  const auto some = [&random] {
    std::optional<Set<N>> s;
    for (int k = random.integer(1, 5); k > 0; --k) {
      const double lo = random.integer(-12, 12) / 4.0;
      const double hi = lo + random.integer(0, 2) / 4.0;
      s = s ? unite(*s, span<N>(lo, hi)) : span<N>(lo, hi);
    }
    return *s;
  };
  const auto holds = [](const Set<N>& s, double x) {
    bool found = std::isnan(x) && s.may_nan;
    each_interval(s, [&](const Real<N>& lo, const Real<N>& hi) {
      found = found || (below(lo.a) <= x && x <= above(hi.b));
    });
    return found;
  };
  using Operation = Set<N> (*)(const Set<N>&, const Set<N>&);
  const std::pair<Operation, double (*)(double, double)> operations[] = {
      {[](const Set<N>& x, const Set<N>& y) { return add(x, y); },
       [](double x, double y) { return x + y; }},
      {[](const Set<N>& x, const Set<N>& y) { return multiply(x, y); },
       [](double x, double y) { return x * y; }},
      {[](const Set<N>& x, const Set<N>& y) { return divide(x, y); },
       [](double x, double y) { return x / y; }},
      {[](const Set<N>& x, const Set<N>& y) { return maximum(x, y); },
       [](double x, double y) { return std::max(x, y); }},
      {[](const Set<N>& x, const Set<N>& y) {
         return compare_sets(Comparison::le, x, y);
       },
       [](double x, double y) { return x <= y ? 1.0 : 0.0; }},
      {[](const Set<N>& x, const Set<N>&) {
         return step_function(trunc_steps<N>(), x);
       },
       [](double x, double) { return std::trunc(x); }}};
  for (int i = 0; i < 400; ++i) {
    const Set<N> x = some();
    const Set<N> y = some();
    for (const auto& [on_sets, on_numbers] : operations) {
      const Set<N> r = over_pieces(x, y, on_sets);
      for (int i4 = -12; i4 <= 16; ++i4) {
        for (int j4 = -12; j4 <= 16; ++j4) {
          const double p = i4 / 4.0;
          const double q = j4 / 4.0;
          if (!holds(x, p) || !holds(y, q)) continue;
          ASSERT_TRUE(holds(r, on_numbers(p, q))) << p << " and " << q;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::reference
