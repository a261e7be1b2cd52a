// SLEEF's double functions as loops over lanes. Part of loops.cc.
//
// u10 is 1.0 ulp by SLEEF's own tests with MPFR (its manual), erfc u15; the
// margin of the sweep does not depend on that.
#ifndef ASSAY_REFERENCE_SWEEP_SLEEF_INL_H_
#define ASSAY_REFERENCE_SWEEP_SLEEF_INL_H_

#include "reference/sweep/log_gamma-inl.h"
#include "reference/sweep/vectors-inl.h"

namespace assay::reference {
namespace {

#ifdef __AVX2__
inline constexpr Loops::Named2 kSleef2[] = {
    {"pow", each2<ASSAY_SLEEF(pow, u10)>},
    {"atan2", each2<ASSAY_SLEEF(atan2, u10)>},
    {"hypot", each2<ASSAY_SLEEF(hypot, u05)>},
    {nullptr, nullptr}};

inline constexpr Loops::Named kSleef[] = {
    {"exp", each<ASSAY_SLEEF(exp, u10)>},
    {"exp2", each<ASSAY_SLEEF(exp2, u10)>},
    {"expm1", each<ASSAY_SLEEF(expm1, u10)>},
    {"log", each<ASSAY_SLEEF(log, u10)>},
    {"log2", each<ASSAY_SLEEF(log2, u10)>},
    {"log10", each<ASSAY_SLEEF(log10, u10)>},
    {"log1p", each<ASSAY_SLEEF(log1p, u10)>},
    {"cbrt", each<ASSAY_SLEEF(cbrt, u10)>},
    {"sinh", each<ASSAY_SLEEF(sinh, u10)>},
    {"cosh", each<ASSAY_SLEEF(cosh, u10)>},
    {"tanh", each<ASSAY_SLEEF(tanh, u10)>},
    {"asinh", each<ASSAY_SLEEF(asinh, u10)>},
    {"acosh", each<ASSAY_SLEEF(acosh, u10)>},
    {"atanh", each<ASSAY_SLEEF(atanh, u10)>},
    {"asin", each<ASSAY_SLEEF(asin, u10)>},
    {"acos", each<ASSAY_SLEEF(acos, u10)>},
    {"atan", each<ASSAY_SLEEF(atan, u10)>},
    {"erf", each<ASSAY_SLEEF(erf, u10)>},
    {"erfc", each<ASSAY_SLEEF(erfc, u15)>},
    {"sin", each<ASSAY_SLEEF(sin, u10)>},
    {"cos", each<ASSAY_SLEEF(cos, u10)>},
    {"tan", each<ASSAY_SLEEF(tan, u10)>},
    {"lgamma", each<log_gamma>},
    {"tgamma", each<ASSAY_SLEEF(tgamma, u10)>},
    {"exp10", each<ASSAY_SLEEF(exp10, u10)>},
    {nullptr, nullptr}};
#else
inline constexpr Loops::Named kSleef[] = {{nullptr, nullptr}};
inline constexpr Loops::Named2 kSleef2[] = {{nullptr, nullptr}};
#endif

}  // namespace
}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_SLEEF_INL_H_
