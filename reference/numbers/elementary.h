// The elementary functions of the spec language, evaluated: one table that
// gives, for each, a double and an MPFR evaluation and where the double one is
// exact. rsqrt is not among them: it is 1 / sqrt (set_ops.h), and as a quotient
// it has IEEE 754's infinities and zero signs by itself. Ranges of sin, cos and
// tan are in periodic.h, those of lgamma and tgamma in gamma.h.
#ifndef ASSAY_REFERENCE_NUMBERS_ELEMENTARY_H_
#define ASSAY_REFERENCE_NUMBERS_ELEMENTARY_H_

#include "reference/numbers/number_double.h"
#include "reference/numbers/number_mpfr.h"
#include "suite/language/functions/elementary.h"

namespace assay::reference {

using language::domain;
using language::Domain;
using language::Elementary;
using language::elementary_name;
using language::find_elementary;
using language::is_even;
using language::is_gamma;
using language::is_periodic;
using language::is_rising;
using language::kElementaryFunctions;

// May y = f(x) leave the range of a float format although x does not: become
// zero, or infinity?
bool underflows(Elementary f);
bool overflows(Elementary f);

// f in double, as exact as `apply` takes it to be.
using DoubleFunction = double (*)(double);
DoubleFunction double_function(Elementary f);

// f(x) for x in the domain, infinities included. Doubles come from the C
// library and are widened by a relative 2^-42 (over 300 times its largest
// known error) except where the result is known to be exact.
Outward<double> apply(Elementary f, double x);
// The exact value behind y, which the C library computed: enclosed by that
// margin (margin.h), within bounds that the exact value keeps.
Outward<double> widened(double y, double least, double greatest);
Outward<Mp> apply(Elementary f, const Mp& x);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_ELEMENTARY_H_
