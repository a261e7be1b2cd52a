// Literals of specs as elements of a dtype.
#ifndef ASSAY_SUITE_LANGUAGE_MODEL_LITERAL_H_
#define ASSAY_SUITE_LANGUAGE_MODEL_LITERAL_H_

#include <cstdint>

#include "core/dtype.h"
#include "core/result.h"
#include "suite/language/model/spec.h"

namespace assay::language {

// The element of `t` that `literal` stands for: numbers are rounded once to a
// float dtype. An error is a literal that has no such element: a fraction or
// infinity as an integer, a bit pattern of another dtype.
Result<std::uint64_t> literal_bits(const Literal& literal, DType t);

// The element `steps` places from `bits` in the order of values, clamped at
// the ends of the dtype; NaN and bool stay.
std::uint64_t neighbour(DType t, std::uint64_t bits, std::int64_t steps);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_MODEL_LITERAL_H_
