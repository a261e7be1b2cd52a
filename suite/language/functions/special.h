// The special functions: functions of an order or parameter and a real
// argument, named as in the Digital Library of Mathematical Functions (DLMF).
// What stands here is mathematics; reference/numbers evaluates them.
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_SPECIAL_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_SPECIAL_H_

#include <string_view>

namespace assay::language {

// In the order of their FunctionIds.
enum class SpecialFunction {
  bessel_i,         // I_n(x), modified, of the first kind: DLMF 10.25
  bessel_k,         // K_n(x), of the second
  scaled_bessel_i,  // exp(-|x|) I_n(x)
  scaled_bessel_k,  // exp(x) K_n(x)
  bessel_j,         // J_n(x), of the first kind: DLMF 10.2
  bessel_y,         // Y_n(x), of the second
  polygamma,        // the n-th derivative of digamma: DLMF 5.15
  hurwitz_zeta,     // the sum over k >= 0 of (k + x)^-s: DLMF 25.11
  gamma_p,          // P(a, x), the incomplete gamma function, regularised
  gamma_q           // 1 - P(a, x): DLMF 8.2.4
};
inline constexpr int kSpecialFunctions =
    static_cast<int>(SpecialFunction::gamma_q) + 1;

std::string_view special_name(SpecialFunction f);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_SPECIAL_H_
