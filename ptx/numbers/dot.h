// A sum of products as matrix instructions have it. The ISA bounds it ("at
// least single precision") and leaves the order of the additions and their
// rounding open: so it can be had as the exact sum, rounded once to nearest
// even, and as the two ends of what additions in any order, each rounded to the
// accumulator's precision, come to (PTX ISA, mma, floating-point operations;
// the bound is Higham's, Accuracy and Stability of Numerical Algorithms, 4.2).
#ifndef ASSAY_PTX_NUMBERS_DOT_H_
#define ASSAY_PTX_NUMBERS_DOT_H_

#include <cstdint>

#include "ptx/numbers/approximate.h"
#include "ptx/numbers/format.h"

namespace assay::ptx {

// The element of `format`, f32 or f16, that is c + a[0] b[0] + a[1] b[1] ...
// Operands are exact values of formats whose products are doubles of 24 bits at
// most: f16, bf16, tf32; c is one of `format`. The three values are one where
// no order of the additions rounds.
std::uint32_t dot(const double* a, const double* b, unsigned count, double c,
                  Format format, Approximation which);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_NUMBERS_DOT_H_
