// The special functions of the spec language, evaluated by Arb's balls. Their
// limits are those of mathematics: J_n and Y_n are zero at infinity, as POSIX
// has them.
//
// What a golden says here rests on Arb alone; special_test.cc holds it against
// MPFR, the functions' recurrences and Wronskians.
#ifndef ASSAY_REFERENCE_NUMBERS_SPECIAL_H_
#define ASSAY_REFERENCE_NUMBERS_SPECIAL_H_

#include <optional>

#include "reference/numbers/real.h"
#include "suite/language/functions/special.h"

namespace assay::reference {

using language::kSpecialFunctions;
using language::special_name;
using language::SpecialFunction;

// Is f defined for orders that are no integers?
bool has_fractional_orders(SpecialFunction f);

// Is f(n, x) NaN although neither operand is? Poles whose sides have different
// signs, negative orders, arguments outside of the domain.
bool is_undefined(SpecialFunction f, const Mp& n, const Mp& x);

// May f be NaN somewhere, where orders go down to n and arguments to x?
bool may_be_undefined(SpecialFunction f, const Mp& n, const Mp& x);

// Is f NaN everywhere, where orders go up to n and arguments to x?
bool is_undefined_up_to(SpecialFunction f, const Mp& n, const Mp& x);

// f(n, x) at its ends, poles and limits, which need no evaluation. Requires
// operands for which f is defined.
std::optional<double> known_value(SpecialFunction f, const Mp& n, const Mp& x);

// Encloses f over all operands in n and x, for which it is defined and finite:
// if both are points, as narrowly as the working precision asks. Everything
// where Arb cannot tell.
Real<Mp> apply(SpecialFunction f, const Real<Mp>& n, const Real<Mp>& x);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_SPECIAL_H_
