// Set operations against their meaning: for random sets and random members
// of them, the exact result of the operation must be in the resulting set.
#include <gtest/gtest.h>

#include "reference/sets/round.h"
#include "reference/sets/set_logic.h"
#include "reference/testing/test_support.h"

namespace assay::reference {
namespace {

constexpr int kRounds = 60'000;

struct Operand {
  double lo, hi;
  bool nan;
  std::vector<double> members;  // with both ends
};

bool in_order(double x, double y) { return !precedes(y, x); }

Operand random_operand(RandomNumbers& random) {
  Operand o;
  o.lo = random.any();
  o.hi = random.integer(0, 2) ? random.any() : o.lo;
  if (random.integer(0, 3) == 0) o.hi = std::fabs(o.lo);
  if (!in_order(o.lo, o.hi)) std::swap(o.lo, o.hi);
  o.nan = random.integer(0, 9) == 0;
  o.members = {o.lo, o.hi};
  for (const double x : {0.0, -0.0, 1.0, random.finite(), random.finite(),
                         std::isfinite(o.lo) ? next_up(o.lo) : 0.0}) {
    if (in_order(o.lo, x) && in_order(x, o.hi)) o.members.push_back(x);
  }
  return o;
}

template <class N>
Set<N> set_of(const Operand& o) {
  Set<N> s = Set<N>::range(Real<N>::of(o.lo), Real<N>::of(o.hi));
  s.may_nan = o.nan;
  return s;
}

template <class N>
bool within(const Real<N>& lo, const Real<N>& hi, const Mp& x) {
  if constexpr (std::is_same_v<N, double>) {
    const auto not_below = [&](double end) {
      const int c = mpfr_cmp_d(x.get(), end);
      return c > 0 ||
             (c == 0 && (!is_zero(x) || !std::signbit(end) <= !sign_bit(x)));
    };
    const auto not_above = [&](double end) {
      const int c = mpfr_cmp_d(x.get(), end);
      return c < 0 ||
             (c == 0 && (!is_zero(x) || !sign_bit(x) <= !std::signbit(end)));
    };
    return not_below(lo.a) && not_above(hi.b);
  } else {
    return !precedes(x, lo.a) && !precedes(hi.b, x);
  }
}

template <class N>
bool holds(const Set<N>& s, const Mp& x) {
  bool found = false;
  each_interval(s, [&](const Real<N>& lo, const Real<N>& hi) {
    found = found || within(lo, hi, x);
  });
  return found;
}

// The exact result where it is one, with IEEE's zero sign; null for NaN.
using Binary = Outward<Mp> (*)(const Mp&, const Mp&);
std::optional<Outward<Mp>> exact_result(char op, double x, double y) {
  const double ieee = op == '+' ? x + y : op == '*' ? x * y : x / y;
  if (std::isnan(ieee)) return std::nullopt;
  const Mp p = exact<Mp>(x);
  const Mp q = exact<Mp>(y);
  return op == '+' ? sum(p, q) : op == '*' ? product(p, q) : quotient(p, q);
}

template <class N>
Set<N> operate(char op, const Set<N>& x, const Set<N>& y) {
  return op == '+' ? add(x, y) : op == '*' ? multiply(x, y) : divide(x, y);
}

template <class N>
void check_arithmetic(unsigned seed) {
  RandomNumbers random(seed);
  const PrecisionScope precision(4500);
  for (int i = 0; i < kRounds / (std::is_same_v<N, double> ? 1 : 10); ++i) {
    const Operand a = random_operand(random);
    const Operand b = random_operand(random);
    for (const char op : {'+', '*', '/'}) {
      const Set<N> r = operate(op, set_of<N>(a), set_of<N>(b));
      if (r.unsure) continue;
      bool nan_seen = a.nan || b.nan;
      for (const double x : a.members) {
        for (const double y : b.members) {
          const auto v = exact_result(op, x, y);
          if (!v) {
            nan_seen = true;
            ASSERT_TRUE(r.may_nan) << x << op << y;
            continue;
          }
          ASSERT_TRUE(holds(r, v->down) || holds(r, v->up))
              << x << op << y << " of [" << a.lo << "," << a.hi << "] and ["
              << b.lo << "," << b.hi << "]";
        }
      }
      // NaN is not admitted out of thin air: corners and zeros are members.
      if (r.may_nan && a.members.size() > 3 && b.members.size() > 3) continue;
      if (a.lo == a.hi && b.lo == b.hi && !(a.lo == 0) && !(b.lo == 0)) {
        ASSERT_EQ(r.may_nan, nan_seen) << a.lo << op << b.lo;
      }
    }
  }
}

TEST(SetOps, ArithmeticHoldsEveryMemberResultInDouble) {
  check_arithmetic<double>(11);
}
TEST(SetOps, ArithmeticHoldsEveryMemberResultInMpfr) {
  check_arithmetic<Mp>(12);
}

TEST(SetOps, PointsGiveIeeeResultsWhereTheseAreExact) {
  RandomNumbers random(13);
  for (int i = 0; i < kRounds; ++i) {
    const double x = random.integer(-8, 8) * (random.integer(0, 1) ? 1 : -1.0);
    const double y = random.integer(-8, 8) * (random.integer(0, 1) ? 1 : -1.0);
    for (const char op : {'+', '*', '/'}) {
      const double ieee = op == '+' ? x + y : op == '*' ? x * y : x / y;
      const Set<double> r = operate(op, Set<double>::of(x), Set<double>::of(y));
      ASSERT_FALSE(r.unsure);
      if (std::isnan(ieee)) {
        ASSERT_FALSE(r.has_values);
        ASSERT_TRUE(r.may_nan);
        continue;
      }
      ASSERT_FALSE(r.may_nan);
      ASSERT_TRUE(holds(r, exact<Mp>(ieee)) || r.lo.a != r.hi.b);
      if (op != '/') {
        ASSERT_TRUE(r.is_exact_point());
        ASSERT_TRUE(identical_numbers(r.lo.a, ieee)) << x << op << y;
      }
    }
  }
}

template <class N>
void check_functions(unsigned seed) {
  RandomNumbers random(seed);
  const PrecisionScope precision(300);
  for (int i = 0; i < kRounds / 20; ++i) {
    Operand a = random_operand(random);
    for (double* end : {&a.lo, &a.hi}) {
      if (std::isfinite(*end)) *end = std::fmod(*end, i % 2 == 0 ? 50 : 1.25);
    }
    if (!in_order(a.lo, a.hi)) std::swap(a.lo, a.hi);
    a.members = {a.lo, a.hi,
                 std::isfinite(a.lo + a.hi) ? (a.lo + a.hi) / 2 : a.lo};
    for (int n = 0; n < kElementaryFunctions; ++n) {
      const auto f = static_cast<Elementary>(n);
      const Domain d = domain(f);
      const Set<N> r = apply(f, set_of<N>(a));
      for (const double x : a.members) {
        const bool defined = (!is_periodic(f) || std::isfinite(x)) &&
                             !(f == Elementary::tgamma && gamma_is_nan(x, x));
        if (x < d.least || x > d.greatest || !defined) {
          ASSERT_TRUE(r.may_nan);
          continue;
        }
        const Outward<Mp> v = apply(f, exact<Mp>(x));
        ASSERT_TRUE(holds(r, v.down) || holds(r, v.up))
            << elementary_name(f) << "(" << x << ") of [" << a.lo << ", "
            << a.hi << "]";
      }
    }
  }
}

TEST(SetOps, FunctionsHoldEveryMemberResultInDouble) {
  check_functions<double>(14);
}
TEST(SetOps, FunctionsHoldEveryMemberResultInMpfr) { check_functions<Mp>(15); }

TEST(SetOps, EnginesAgreeOnEveryDecidedRounding) {
  // Chains of random operations on random points: where the doubles decide
  // the f32 element, MPFR gives the same.
  RandomNumbers random(16);
  const PrecisionScope precision(400);
  int decided = 0;
  for (int i = 0; i < kRounds / 4; ++i) {
    Set<double> d = Set<double>::of(random.uniform(-3, 3));
    Set<Mp> m = Set<Mp>::of(d.lo.a);
    for (int step = 0; step < 5; ++step) {
      const double y = random.uniform(-3, 3);
      switch (random.integer(0, 6)) {
        case 0:
          d = add(d, Set<double>::of(y));
          m = add(m, Set<Mp>::of(y));
          break;
        case 1:
          d = multiply(d, Set<double>::of(y));
          m = multiply(m, Set<Mp>::of(y));
          break;
        case 2:
          d = divide(d, Set<double>::of(y));
          m = divide(m, Set<Mp>::of(y));
          break;
        case 3:
          d = apply(Elementary::exp, minimum(d, Set<double>::of(5.0)));
          m = apply(Elementary::exp, minimum(m, Set<Mp>::of(5.0)));
          break;
        case 4:
          d = apply(Elementary::erf, d);
          m = apply(Elementary::erf, m);
          break;
        case 5:
          d = square(d);
          m = square(m);
          break;
        default:
          d = apply(Elementary::log2, absolute(d));
          m = apply(Elementary::log2, absolute(m));
          break;
      }
    }
    ASSERT_EQ(d.has_values, m.has_values);
    if (!d.has_values || d.unsure) continue;
    const auto lo = nearest_bits(DType::f32, d.lo.a);
    if (lo != nearest_bits(DType::f32, d.hi.b)) continue;
    ++decided;
    ASSERT_EQ(lo, nearest_bits(DType::f32, m.lo.a));
    ASSERT_EQ(lo, nearest_bits(DType::f32, m.hi.b));
  }
  EXPECT_GT(decided, kRounds / 8);
}

// f on the numbers of an enclosure goes from its least to its greatest one:
// where an end is open, the neighbour of that end.
template <class N>
void check_steps(const Steps<N>& f, double (*naive)(double)) {
  for (int low = -8; low <= 8; ++low) {
    for (int high = low + 1; high <= 8; ++high) {
      for (int kind = 0; kind < 16; ++kind) {
        const bool a_open = kind & 1;
        const bool b_open = kind & 2;
        Real<N> x{exact<N>(low / 4.0), exact<N>(high / 4.0), a_open, b_open};
        if (low == 0 && (kind & 4)) x.a = exact<N>(-0.0);
        if (high == 0 && (kind & 8)) x.b = exact<N>(-0.0);
        const double least_member = a_open ? next_up(below(x.a)) : below(x.a);
        const double last_member = b_open ? next_down(below(x.b)) : below(x.b);
        const Real<N> y = stepwise(f, x);
        ASSERT_TRUE(identical_numbers(y.a, exact<N>(naive(least_member))))
            << below(y.a) << " of " << low << "/4 to " << high << "/4, "
            << kind;
        ASSERT_TRUE(identical_numbers(y.b, exact<N>(naive(last_member))))
            << below(y.b) << " of " << low << "/4 to " << high << "/4, "
            << kind;
      }
    }
  }
}

template <class N>
void check_all_steps() {
  check_steps<N>(floor_steps<N>(), [](double x) { return std::floor(x); });
  check_steps<N>(ceil_steps<N>(), [](double x) { return std::ceil(x); });
  check_steps<N>(trunc_steps<N>(), [](double x) { return std::trunc(x); });
  check_steps<N>(round_even_steps<N>(),
                 [](double x) { return std::nearbyint(x); });
  check_steps<N>(sign_steps<N>(), [](double x) {
    return x < 0 ? -1.0 : x > 0 ? 1.0 : 0.0;
  });
}

TEST(SetOps, StepsAreTakenUpToOpenEndsInDouble) { check_all_steps<double>(); }
TEST(SetOps, StepsAreTakenUpToOpenEndsInMpfr) {
  const PrecisionScope precision(113);
  check_all_steps<Mp>();
}

TEST(SetOps, SquareOfASetThatReachesAcrossZeroIsNotNegative) {
  const auto x = Set<double>::range(Real<double>::of(-2), Real<double>::of(1));
  EXPECT_EQ(square(x).lo.a, 0);
  EXPECT_EQ(square(x).hi.b, 4);
  EXPECT_EQ(multiply(x, x).lo.a, -2);
}

TEST(SetOps, MaximumPropagatesNanAndOrdersZeros) {
  const auto nan = Set<double>::only_nan();
  EXPECT_FALSE(maximum(nan, Set<double>::of(1.0)).has_values);
  const auto zero = maximum(Set<double>::of(-0.0), Set<double>::of(0.0));
  EXPECT_FALSE(std::signbit(zero.lo.a));
  EXPECT_TRUE(
      std::signbit(minimum(Set<double>::of(-0.0), Set<double>::of(0.0)).lo.a));
}

TEST(SetOps, ReciprocalRootOfZeros) {
  EXPECT_EQ(reciprocal_root(Set<double>::of(0.0)).lo.a, kInfinity);
  EXPECT_EQ(reciprocal_root(Set<double>::of(-0.0)).lo.a, -kInfinity);
  EXPECT_FALSE(reciprocal_root(Set<double>::of(-1.0)).has_values);
  const auto quarter = reciprocal_root(Set<double>::of(16.0));
  EXPECT_TRUE(quarter.is_exact_point());
  EXPECT_EQ(quarter.lo.a, 0.25);
}

template <class N>
void check_infinities_beside_inexact_numbers() {
  const Set<N> third = divide(Set<N>::of(1.0), Set<N>::of(3.0));
  ASSERT_FALSE(third.lo.is_point());
  for (const double sign : {1.0, -1.0}) {
    const Set<N> infinity = Set<N>::of(sign * kInfinity);
    for (const Set<N>& s :
         {add(infinity, third), multiply(infinity, third),
          divide(infinity, third), subtract(third, negate(infinity))}) {
      EXPECT_TRUE(s.lo.is_infinite_point() && s.hi.is_infinite_point());
      EXPECT_FALSE(s.may_nan || s.unsure);
      // No more than infinity, and no less.
      EXPECT_EQ(less(Real<N>::of(kInfinity), s.lo), Known::no);
      EXPECT_EQ(less(s.hi, Real<N>::of(-kInfinity)), Known::no);
    }
  }
  const Set<N> root =
      apply(Elementary::sqrt, add(Set<N>::of(kInfinity), third));
  EXPECT_TRUE(root.has_values && root.lo.is_infinite_point());
}
TEST(SetOps, InfinityBesideAnInexactNumberIsInfinityInDouble) {
  check_infinities_beside_inexact_numbers<double>();
}
TEST(SetOps, InfinityBesideAnInexactNumberIsInfinityInMpfr) {
  check_infinities_beside_inexact_numbers<Mp>();
}

TEST(SetLogic, ComparisonsGiveEveryPossibleTruth) {
  RandomNumbers random(17);
  const auto decide = [](Comparison op, double x, double y) {
    switch (op) {
      case Comparison::eq:
        return x == y;
      case Comparison::ne:
        return x != y;
      case Comparison::lt:
        return x < y;
      case Comparison::le:
        return x <= y;
      case Comparison::gt:
        return x > y;
      default:
        return x >= y;
    }
  };
  for (int i = 0; i < kRounds; ++i) {
    const Operand a = random_operand(random);
    const Operand b = random_operand(random);
    for (const Comparison op :
         {Comparison::eq, Comparison::ne, Comparison::lt, Comparison::le,
          Comparison::gt, Comparison::ge}) {
      const Set<double> r =
          compare_sets(op, set_of<double>(a), set_of<double>(b));
      ASSERT_FALSE(r.unsure);
      for (const double x : a.members) {
        for (const double y : b.members) {
          ASSERT_TRUE(holds(r, exact<Mp>(decide(op, x, y) ? 1.0 : 0.0)));
        }
      }
      if (a.nan || b.nan) {
        ASSERT_TRUE(holds(r, exact<Mp>(op == Comparison::ne ? 1.0 : 0.0)));
      }
      // Points leave no doubt.
      if (a.members.size() == 2 && a.lo == a.hi && b.lo == b.hi && !a.nan &&
          !b.nan) {
        ASSERT_EQ(r.lo.a, r.hi.b);
      }
    }
  }
}

TEST(SetLogic, TestsOfInfinityAndSign) {
  const auto range = [](double lo, double hi) {
    return Set<double>::range(Real<double>::of(lo), Real<double>::of(hi));
  };
  EXPECT_EQ(is_inf_set(range(1, 2)).hi.b, 0);
  EXPECT_EQ(is_inf_set(range(1, kInfinity)).lo.a, 0);
  EXPECT_EQ(is_inf_set(range(1, kInfinity)).hi.b, 1);
  EXPECT_EQ(is_inf_set(Set<double>::of(-kInfinity)).lo.a, 1);
  EXPECT_EQ(sign_bit_set(range(-0.0, 0.0)).lo.a, 0);
  EXPECT_EQ(sign_bit_set(range(-0.0, 0.0)).hi.b, 1);
  EXPECT_EQ(sign_bit_set(Set<double>::of(-0.0)).lo.a, 1);
  // An enclosure that ends in infinity does not say which it is.
  Set<double> beyond = Set<double>::of(Real<double>{kLargest, kInfinity});
  EXPECT_TRUE(is_inf_set(beyond).unsure);
  EXPECT_TRUE(add(beyond, Set<double>::of(-kInfinity)).unsure);
}

TEST(Elementary, EndsOfDomains) {
  const auto apply_to = [](Elementary f, double lo, double hi) {
    return apply(
        f, Set<double>::range(Real<double>::of(lo), Real<double>::of(hi)));
  };
  EXPECT_FALSE(apply_to(Elementary::acosh, 0, 0.5).has_values);
  EXPECT_FALSE(apply_to(Elementary::asin, 1.5, 2).has_values);
  const Set<double> across = apply_to(Elementary::atanh, -2, 0.5);
  EXPECT_TRUE(across.may_nan && across.has_values && !across.unsure);
  EXPECT_EQ(across.lo.a, -kInfinity);
  const Set<double> falling = apply_to(Elementary::acos, -1, 1);
  EXPECT_FALSE(falling.may_nan);
  EXPECT_EQ(falling.lo.a, 0);
  EXPECT_LE(falling.hi.a, 0x1.921fb54442d18p+1);
  EXPECT_GE(falling.hi.b, 0x1.921fb54442d19p+1);
  EXPECT_EQ(apply_to(Elementary::log1p, -1, 3).lo.a, -kInfinity);
  // Beyond double's range the fast engine knows only a bound.
  const Outward<double> low = apply(Elementary::sinh, -1000.0);
  EXPECT_EQ(low.down, -kInfinity);
  EXPECT_LT(low.up, -1e308);
}

TEST(Periodic, ExtremaAndPolesWithinARange) {
  const auto apply_to = [](Elementary f, double lo, double hi) {
    return apply(
        f, Set<double>::range(Real<double>::of(lo), Real<double>::of(hi)));
  };
  const Set<double> top = apply_to(Elementary::sin, 1, 2);
  EXPECT_EQ(top.hi.a, 1.0);
  EXPECT_NEAR(top.lo.a, std::sin(1.0), 1e-10);
  const Set<double> rising = apply_to(Elementary::sin, -1.5, 1.5);
  EXPECT_LT(rising.hi.b, 1.0);
  EXPECT_GT(rising.lo.a, -1.0);
  EXPECT_EQ(apply_to(Elementary::cos, -0.5, 0.25).hi.a, 1.0);
  EXPECT_EQ(apply_to(Elementary::cos, 3, 4).lo.a, -1.0);
  EXPECT_EQ(apply_to(Elementary::cos, 100, 107).lo.a, -1.0);
  EXPECT_EQ(apply_to(Elementary::tan, 1, 2).hi.a, kInfinity);
  EXPECT_NEAR(apply_to(Elementary::tan, 2, 4).lo.a, std::tan(2.0), 1e-9);
  EXPECT_FALSE(apply(Elementary::cos, Set<double>::of(kInfinity)).has_values);
  EXPECT_TRUE(apply_to(Elementary::cos, 1, kInfinity).may_nan);
  // The reduction of large arguments (sin 1e22 is Ng's example).
  const Set<double> large = apply(Elementary::sin, Set<double>::of(1e22));
  EXPECT_NEAR(large.lo.a, -0.8522008497671888, 1e-11);
}

}  // namespace
}  // namespace assay::reference
