// A function at an element of a format, correctly rounded to that format: by
// the oracle's own evaluation, and by Arb's, which shares nothing with it but
// MPFR's arithmetic.
#ifndef ASSAY_REFERENCE_CERTIFY_ROUNDED_H_
#define ASSAY_REFERENCE_CERTIFY_ROUNDED_H_

#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "reference/certify/real_function.h"

namespace assay::reference {

// Bit pattern of f(x) rounded once; NaN outside the domain. Nothing where 4096
// bits do not decide it.
std::optional<std::uint64_t> rounded_by_mpfr(const RealFunction& f, DType t,
                                             std::uint64_t x);

// The same by Arb, for a finite x in the domain that is no pole. A zero that
// Arb cannot tell from its neighbours on both sides has the sign clear.
std::optional<std::uint64_t> rounded_by_arb(Elementary f, DType t,
                                            std::uint64_t x);

// Is rounded_by_arb defined there?
bool arb_defines(Elementary f, double x);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_CERTIFY_ROUNDED_H_
