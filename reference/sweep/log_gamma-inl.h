// ln |gamma| by a logarithm and a few terms where that suffices, by SLEEF's
// function elsewhere, which costs as much as ten logarithms. Part of loops.cc.
#ifndef ASSAY_REFERENCE_SWEEP_LOG_GAMMA_INL_H_
#define ASSAY_REFERENCE_SWEEP_LOG_GAMMA_INL_H_

#include "reference/sweep/vectors-inl.h"

#ifdef __AVX2__
namespace assay::reference {
namespace {

// Stirling's series (DLMF 5.11.1). What is left out is less than its next
// term (5.11(ii)), 1 / (1188 x^9): 2^-50 of ln gamma(16), less of what follows.
inline constexpr double kStirlingFrom = 16;
inline Vector stirling(Vector x) {
  const Vector r = 1 / x, s = r * r;
  // ln(2 pi) / 2 - 1/2, since x - 1/2 multiplies ln x - 1.
  constexpr double kConstant = 0.41893853320467274178;
  const Vector series =
      r * (1.0 / 12 + s * (-1.0 / 360 + s * (1.0 / 1260 + s * (-1.0 / 1680))));
  return (x - 0.5) * (ASSAY_SLEEF(log, u10)(x) - 1) + (kConstant + series);
}

// gamma(x) = gamma(1 + x) / x, and the series of ln gamma(1 + x) (DLMF 5.7.3),
// whose coefficients are Euler's constant and zeta(k) / k. What is left out is
// less than x^5 / 4, 2^-54 of the logarithm.
inline constexpr double kSeriesBelow = 0x1p-10;
inline Vector near_zero(Vector x) {
  constexpr double kEuler = 0.57721566490153286061;
  constexpr double kZeta2 = 1.64493406684822643647;
  constexpr double kZeta3 = 1.20205690315959428540;
  constexpr double kZeta4 = 1.08232323371113819152;
  const Vector size = x < 0 ? -x : x;
  return x * (-kEuler + x * (kZeta2 / 2 + x * (-kZeta3 / 3 + x * kZeta4 / 4))) -
         ASSAY_SLEEF(log, u10)(size);
}

inline Vector log_gamma(Vector x) {
  bool large = true, small = true;
  for (std::size_t k = 0; k < kWidth; ++k) {
    large &= x[k] >= kStirlingFrom;
    small &= x[k] > -kSeriesBelow && x[k] < kSeriesBelow;
  }
  if (large) return stirling(x);
  return small ? near_zero(x) : ASSAY_SLEEF(lgamma, u10)(x);
}

}  // namespace
}  // namespace assay::reference
#endif

#endif  // ASSAY_REFERENCE_SWEEP_LOG_GAMMA_INL_H_
