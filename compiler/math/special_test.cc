// The special functions: against MPFR where it has them, elsewhere by the
// equations that tie two of them together, which no common error survives.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>
#include <vector>

#include "compiler/math/math.h"

namespace assay::compiler {
namespace {

// In double; there are others in float.
double bessel_i(double n, double x) { return math::a_bessel_i(n, x); }
double bessel_k(double n, double x) { return math::a_bessel_k(n, x); }
double bessel_j(double n, double x) { return math::a_bessel_j(n, x); }
double bessel_y(double n, double x) { return math::a_bessel_y(n, x); }
double polygamma(double n, double x) { return math::a_polygamma(n, x); }
double zeta(double n, double x) { return math::a_hurwitz_zeta(n, x); }
double lower(double n, double x) { return math::a_gamma_p(n, x); }
double upper(double n, double x) { return math::a_gamma_q(n, x); }
double scaled_i(double n, double x) { return math::a_scaled_bessel_i(n, x); }
double scaled_k(double n, double x) { return math::a_scaled_bessel_k(n, x); }

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();
const double kNan = std::nan("");

class Exact {
 public:
  explicit Exact(double x) {
    mpfr_init2(x_, 900);
    mpfr_set_d(x_, x, MPFR_RNDN);
  }
  ~Exact() { mpfr_clear(x_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_ptr get() { return x_; }
  double value() const { return mpfr_get_d(x_, MPFR_RNDN); }

 private:
  mpfr_t x_;
};

double by_mpfr(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double x) {
  Exact at(x);
  f(at.get(), at.get(), MPFR_RNDN);
  return at.value();
}

void expect_near(double got, double right, double ulp, double least_size,
                 const char* name, double x) {
  const double size = std::max(std::fabs(right), least_size);
  EXPECT_LE(std::fabs(got - right), ulp * kEps * size)
      << name << " of " << x << " is " << right;
}

// From 2^-20 to 2^20, with all digits.
std::vector<double> positive() {
  std::vector<double> all;
  for (int k = 0; k < 760; ++k) all.push_back(0x1p-20 * std::pow(1.0371, k));
  return all;
}

TEST(SpecialMath, BesselFunctionsAgreeWithMpfr) {
  for (const double x : positive()) {
    // Beyond 8 a part of the amplitude.
    const double wave = x < 8 ? 0x1p-2 : std::sqrt(2 / (M_PI * x));
    expect_near(bessel_j(0, x), by_mpfr(mpfr_j0, x), 4, wave, "J0", x);
    expect_near(bessel_j(1, -x), -by_mpfr(mpfr_j1, x), 4, x < 1 ? 0 : wave,
                "J1", x);
    expect_near(bessel_y(0, x), by_mpfr(mpfr_y0, x), 4, wave, "Y0", x);
    expect_near(bessel_y(1, x), by_mpfr(mpfr_y1, x), 4, wave, "Y1", x);
  }
}

// DLMF 10.28.2.
TEST(SpecialMath, ModifiedBesselFunctionsHaveTheirWronskian) {
  for (const double x : positive()) {
    const double scaled =
        scaled_i(0, x) * scaled_k(1, x) + scaled_i(1, x) * scaled_k(0, x);
    expect_near(scaled * x, 1, 8, 0, "scaled", x);
    expect_near(scaled_i(1, -x), -scaled_i(1, x), 0, 0, "scaled I1", x);
    if (x > 700) continue;
    const double grown = std::exp(x);
    expect_near(bessel_i(0, -x), scaled_i(0, x) * grown, 8, 0, "I0", x);
    expect_near(bessel_k(1, x), scaled_k(1, x) / grown, 8, 0, "K1", x);
  }
  EXPECT_NEAR(bessel_i(0, 712) / 2.4684110577627524e+307, 1, 1e-15);
}

// DLMF 5.15.5 and 25.11.3.
TEST(SpecialMath, PolygammaAndZetaHaveTheirRecurrences) {
  for (const double x : positive()) {
    expect_near(polygamma(0, x), by_mpfr(mpfr_digamma, x), 4, 1, "digamma", x);
    const double below = -x - 0.37;
    expect_near(polygamma(0, below), by_mpfr(mpfr_digamma, below), 8, 20,
                "digamma", below);
    if (x > 1000) continue;
    // x + 1 and 1 - x are exact.
    const double y = std::round(x * 0x1p30) * 0x1p-30;
    double factorial = 1;
    for (int n = 1; n < 6; ++n) {
      factorial *= n;
      const double sign = n % 2 == 0 ? factorial : -factorial;
      const double term = sign * std::pow(y, -n - 1);
      const double at = polygamma(n, y);
      expect_near(at + term, polygamma(n, y + 1), 16, std::fabs(at),
                  "polygamma", y);
      expect_near(at, -sign * zeta(n + 1, y), 16, 0, "zeta", y);
    }
  }
  for (int k = 0; k < 60; ++k) {
    const double s = 1.0078125 * std::pow(1.07, k);
    expect_near(zeta(s, 1), by_mpfr(mpfr_zeta, s), 4, 0, "zeta", s);
  }
}

TEST(SpecialMath, IncompleteGammaFunctionsAgreeWithMpfr) {
  for (const double a : {1e-3, 0.5, 1.5, 7.0, 20.0, 150.0, 1e3}) {
    for (const double part : {0.05, 0.4, 0.9, 1.0, 1.1, 1.7, 3.0}) {
      const double x = a * part;
      Exact order(a), at(x), whole(a), q(0);
      mpfr_gamma(whole.get(), whole.get(), MPFR_RNDN);
      mpfr_gamma_inc(q.get(), order.get(), at.get(), MPFR_RNDN);
      mpfr_div(q.get(), q.get(), whole.get(), MPFR_RNDN);
      expect_near(upper(a, x), q.value(), 16, 0, "Q", x);
      mpfr_ui_sub(q.get(), 1, q.get(), MPFR_RNDN);
      expect_near(lower(a, x), q.value(), 16, 0, "P", x);
    }
  }
}

struct Limit {
  double (*f)(double, double);
  double n, x, value;
};
TEST(SpecialMath, HasItsLimits) {
  const Limit all[] = {
      {bessel_i, 0, -kInf, kInf},
      {bessel_i, 1, -kInf, -kInf},
      {bessel_i, 1, -0.0, -0.0},
      {bessel_k, 0, 0, kInf},
      {bessel_k, 1, -1, kNan},
      {bessel_k, 1, kInf, 0},
      {bessel_j, 0, kInf, 0},
      {bessel_j, 1, -kInf, -0.0},
      {bessel_y, 1, kInf, 0},
      {bessel_y, 0, 0, -kInf},
      {bessel_y, 0, -1, kNan},
      {polygamma, 0, 0, -kInf},
      {polygamma, 0, -0.0, kInf},
      {polygamma, 0, -2, kNan},
      {polygamma, 1, -2, kInf},
      {polygamma, 2, kInf, -0.0},
      {polygamma, 0, -kInf, kNan},
      {zeta, 1, 2, kInf},
      {zeta, 0.5, 2, kNan},
      {zeta, 2, kInf, 0},
      {zeta, kInf, 1, 1},
      {zeta, 3, -2, kInf},
      {lower, 0, 1, 1},
      {lower, 0, 0, kNan},
      {lower, -1, 1, kNan},
      {upper, 2, 0, 1},
      {upper, 2, kInf, 0},
      {lower, kInf, 5, 0},
      {lower, kInf, kInf, kNan},
      {upper, kNan, 1, kNan},
  };
  for (const Limit& k : all) {
    const double got = k.f(k.n, k.x);
    if (std::isnan(k.value)) {
      EXPECT_TRUE(std::isnan(got)) << k.n << ", " << k.x;
      continue;
    }
    EXPECT_EQ(got, k.value) << k.n << ", " << k.x;
    EXPECT_EQ(std::signbit(got), std::signbit(k.value)) << k.n << ", " << k.x;
  }
}

}  // namespace
}  // namespace assay::compiler
