// The special functions against MPFR where it has them, and against the
// equations that tie them together where it has not.
#include "reference/numbers/special.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reference/numbers/binary.h"
#include "reference/sets/set_special.h"

namespace assay::reference {
namespace {

using Number = Real<Mp>;
using enum SpecialFunction;

Number number(double x) { return Number::of(x); }

Number at(SpecialFunction f, double n, double x) {
  return apply(f, number(n), number(x));
}

Number of_mpfr(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double x) {
  return Number::from(apply_mpfr(f, exact<Mp>(x)));
}

// Both enclose one number, and each is narrow.
void expect_same(const Number& x, const Number& y, const std::string& what) {
  EXPECT_NE(less(x, y), Known::yes) << what;
  EXPECT_NE(less(y, x), Known::yes) << what;
  for (const Number& r : {x, y}) {
    const double width = above(sum(r.b, negated(r.a)).up);
    EXPECT_LE(width, 0x1p-80 * std::fabs(above(r.b)) + kSmallest) << what;
  }
}

constexpr double kPositive[] = {1e-30, 0x1p-9, 0.3, 1,    1.5,  2.75, 5,
                                8,     12.5,   25,  60.5, 1000, 1e8};

TEST(Special, AgreesWithMpfr) {
  for (const double size : kPositive) {
    const std::string what = std::to_string(size);
    expect_same(at(bessel_y, 0, size), of_mpfr(mpfr_y0, size), what);
    expect_same(at(bessel_y, 1, size), of_mpfr(mpfr_y1, size), what);
    for (const double x : {size, -size}) {
      expect_same(at(bessel_j, 0, x), of_mpfr(mpfr_j0, x), what);
      expect_same(at(bessel_j, 1, x), of_mpfr(mpfr_j1, x), what);
      if (std::trunc(x) == x && x < 0) continue;
      expect_same(at(polygamma, 0, x), of_mpfr(mpfr_digamma, x), what);
    }
    if (size > 1) {
      expect_same(at(hurwitz_zeta, size, 1), of_mpfr(mpfr_zeta, size), what);
    }
  }
  for (const double a : {0.125, 1.5, 40.0, 300.0}) {
    for (const double x : {0.25, 30.0, 310.0}) {
      const Number upper =
          Number::from(apply_mpfr(mpfr_gamma_inc, exact<Mp>(a), exact<Mp>(x)));
      const Number whole = of_mpfr(mpfr_gamma, a);
      expect_same(at(gamma_q, a, x), upper / whole, std::to_string(a));
    }
  }
}

// DLMF 10.28.2, 10.5.2.
TEST(Special, BesselFunctionsHaveTheirWronskians) {
  const PrecisionScope precision(300);
  for (const double x : kPositive) {
    if (x > 100) continue;
    const std::string what = std::to_string(x);
    const Number inverse = number(1) / number(x);
    expect_same(at(bessel_i, 0, x) * at(bessel_k, 1, x) +
                    at(bessel_i, 1, x) * at(bessel_k, 0, x),
                inverse, what);
    expect_same(at(scaled_bessel_i, 0, x) * at(scaled_bessel_k, 1, x) +
                    at(scaled_bessel_i, 1, x) * at(scaled_bessel_k, 0, x),
                inverse, what);
    const Number pi = Number::from(enclose_pi<Mp>());
    expect_same(at(bessel_j, 1, x) * at(bessel_y, 0, x) -
                    at(bessel_j, 0, x) * at(bessel_y, 1, x),
                number(2) / (pi * number(x)), what);
    const Number grown = apply(Elementary::exp, number(x));
    expect_same(at(scaled_bessel_i, 1, -x) * grown, at(bessel_i, 1, -x), what);
    expect_same(at(scaled_bessel_k, 1, x) / grown, at(bessel_k, 1, x), what);
  }
}

// DLMF 5.15.5, 25.11.3 and 25.11.12.
TEST(Special, PolygammaAndZetaHaveTheirRecurrences) {
  const PrecisionScope precision(300);
  for (const double x : {-40.5, -3.25, -0.75, 0.125, 0.875, 2.5, 30.0}) {
    double factorial = 1;
    for (int n = 0; n <= 7; ++n) {
      if (n > 0) factorial *= n;
      const std::string what = std::to_string(n) + " " + std::to_string(x);
      const Number power =
          Number::from(apply(Binary::pow, exact<Mp>(x), exact<Mp>(-(n + 1.0))));
      const Number term = number(n % 2 == 0 ? factorial : -factorial) * power;
      expect_same(at(polygamma, n, x + 1) - at(polygamma, n, x), term, what);
      if (n == 0) continue;
      const double sign = n % 2 == 0 ? -factorial : factorial;
      expect_same(number(sign) * at(hurwitz_zeta, n + 1, x),
                  at(polygamma, n, x), what);
    }
    if (x < 0) continue;
    const Number power =
        Number::from(apply(Binary::pow, exact<Mp>(x), exact<Mp>(-2.375)));
    expect_same(at(hurwitz_zeta, 2.375, x) - at(hurwitz_zeta, 2.375, x + 1),
                power, std::to_string(x));
  }
}

// DLMF 8.4.5, 8.8.5.
TEST(Special, IncompleteGammaFunctionsAddUpToOne) {
  const PrecisionScope precision(300);
  for (const double a : {0x1p-20, 0.5, 3.0, 63.0, 65.0, 1e4}) {
    for (const double x : {0x1p-20, 0.5, 2.5, 64.0, 9990.0}) {
      const Number p = at(gamma_p, a, x), q = at(gamma_q, a, x);
      expect_same(p + q, number(1), std::to_string(a));
      EXPECT_GE(below(p.a), 0);
      EXPECT_LE(above(q.b), 1);
      if (a > 100) continue;
      const Number grows =
          Number::from(apply(Binary::pow, exact<Mp>(x), exact<Mp>(a))) /
          (apply(Elementary::exp, number(x)) * of_mpfr(mpfr_gamma, a + 1));
      expect_same(at(gamma_p, a + 1, x) + grows, p, std::to_string(a));
    }
  }
}

struct Known1 {
  SpecialFunction f;
  double n, x, value;  // NaN: undefined
};
const double kNan = std::nan("");

TEST(Special, HasItsLimits) {
  const Known1 all[] = {
      {bessel_i, 0, -kInfinity, kInfinity},
      {bessel_i, 1, -kInfinity, -kInfinity},
      {bessel_i, 0, -0.0, 1},
      {bessel_i, 1, -0.0, -0.0},
      {bessel_i, 0.5, 1, kNan},
      {scaled_bessel_i, 1, -kInfinity, -0.0},
      {bessel_k, 0, -0.0, kInfinity},
      {bessel_k, 1, -1, kNan},
      {scaled_bessel_k, 1, kInfinity, 0},
      {bessel_j, 0, kInfinity, 0},
      {bessel_j, 1, -kInfinity, -0.0},
      {bessel_y, 0, 0, -kInfinity},
      {bessel_y, 1, kInfinity, 0},
      {bessel_y, 1, -2, kNan},
      {polygamma, 0, 0.0, -kInfinity},
      {polygamma, 0, -0.0, kInfinity},
      {polygamma, 0, -1, kNan},
      {polygamma, 0, kInfinity, kInfinity},
      {polygamma, 0, -kInfinity, kNan},
      {polygamma, 1, -1, kInfinity},
      {polygamma, 2, -0.0, kInfinity},
      {polygamma, 2, kInfinity, -0.0},
      {polygamma, -1, 2, kNan},
      {polygamma, 0.5, 2, kNan},
      {hurwitz_zeta, 1, 2, kInfinity},
      {hurwitz_zeta, 0.5, 2, kNan},
      {hurwitz_zeta, 3, -2, kInfinity},
      {hurwitz_zeta, 2.5, -0.5, kNan},
      {hurwitz_zeta, kInfinity, 1, 1},
      {hurwitz_zeta, kInfinity, 0.5, kInfinity},
      {gamma_p, 0, 1, 1},
      {gamma_p, 0, 0, kNan},
      {gamma_p, 1, -1, kNan},
      {gamma_q, 2, 0, 1},
      {gamma_q, 2, kInfinity, 0},
      {gamma_p, kInfinity, 5, 0},
      {gamma_p, kInfinity, kInfinity, kNan},
  };
  for (const Known1& k : all) {
    const Set<double> r =
        apply(k.f, Set<double>::of(k.n), Set<double>::of(k.x));
    const std::string what = std::string(special_name(k.f)) + " " +
                             std::to_string(k.n) + " " + std::to_string(k.x);
    EXPECT_EQ(r.has_values, !std::isnan(k.value)) << what;
    if (!r.has_values) continue;
    EXPECT_EQ(r.lo.a, k.value) << what;
    EXPECT_EQ(std::signbit(r.hi.b), std::signbit(k.value)) << what;
  }
}

// Next to a number that no precision tells it from.
TEST(Special, IsOnOneSideOfWhatItComesNearTo) {
  const double tiny = 0x1p-1000;
  EXPECT_EQ(less(number(1), at(bessel_i, 0, tiny)), Known::yes);
  EXPECT_EQ(less(at(bessel_j, 0, tiny), number(1)), Known::yes);
  EXPECT_EQ(less(at(bessel_j, 1, tiny), number(tiny / 2)), Known::yes);
  EXPECT_EQ(less(number(-tiny / 2), at(bessel_j, 1, -tiny)), Known::yes);
  EXPECT_EQ(less(number(tiny / 2), at(bessel_i, 1, tiny)), Known::yes);
  EXPECT_EQ(less(at(scaled_bessel_i, 1, tiny), number(tiny / 2)), Known::yes);
  EXPECT_EQ(less(at(gamma_p, 2, 1e5), number(1)), Known::yes);
  EXPECT_EQ(less(number(0), at(gamma_q, 2, 1e300)), Known::yes);
}

// What MPFR's exponents do not reach.
TEST(Special, EncloseWhatIsFarOut) {
  const Number huge = at(bessel_i, 0, 1e300);
  EXPECT_TRUE(is_inf(huge.b) && !is_inf(huge.a));
  EXPECT_GT(below(huge.a), 1e300);
  const Number small = at(bessel_k, 1, 1e300);
  EXPECT_TRUE(is_zero(small.a) && small.a_open && !is_zero(small.b));
  EXPECT_LT(above(at(hurwitz_zeta, 1e38, 1e38).b), 1e-300);
  // Orders without end are not attempted.
  EXPECT_TRUE(is_inf(at(polygamma, 1e15, -0.5).b));
  EXPECT_TRUE(is_inf(at(hurwitz_zeta, 1e38, -0.5).b));
  const Number near = at(bessel_j, 0, 0x1p1000);
  expect_same(near, near, "J0(2^1000)");
}

TEST(Special, EncloseASetOfArguments) {
  const auto range = [](double a, double b) {
    return Set<double>::range(Real<double>::of(a), Real<double>::of(b));
  };
  for (const SpecialFunction f : {bessel_i, bessel_j, scaled_bessel_i}) {
    const Set<double> all = apply(f, Set<double>::of(1), range(0.5, 3));
    EXPECT_FALSE(all.may_nan);
    for (const double x : {0.5, 1.25, 3.0}) {
      const Real<double> one = from_mpfr<double>(at(f, 1, x));
      EXPECT_LE(all.lo.a, one.a);
      EXPECT_GE(all.hi.b, one.b);
    }
  }
  EXPECT_TRUE(apply(bessel_k, Set<double>::of(0), range(-1, 1)).may_nan);
  // Of 0 and 0 it is NaN, of what is near them any number from 0 to 1.
  const Set<double> near = apply(gamma_q, range(-1e-9, 1e-9), range(0, 1e-9));
  EXPECT_TRUE(near.may_nan);
  EXPECT_TRUE(near.lo.a <= 0 && near.hi.b >= 1);
  EXPECT_FALSE(apply(gamma_q, range(1, 2), range(0.5, 3)).may_nan);
}

}  // namespace
}  // namespace assay::reference
