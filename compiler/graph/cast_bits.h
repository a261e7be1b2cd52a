// Casts of single elements as the contract has them, for the interpreter and
// for scalars of the program. It uses core's integer code and not the text that
// compiled kernels use, so that each checks the other.
#ifndef ASSAY_COMPILER_GRAPH_CAST_BITS_H_
#define ASSAY_COMPILER_GRAPH_CAST_BITS_H_

#include <cstdint>

#include "core/dtype.h"

namespace assay::compiler {

// The element of `to` for the element `bits` of `from`. To float: one rounding
// to nearest even, NaN to the quiet NaN. Float to integer: toward zero into
// i64 (what does not fit gives the least i64), then modulo 2^n. To bool:
// whether it differs from zero.
std::uint64_t cast_bits(DType from, std::uint64_t bits, DType to);

// Bits of an integer dtype, sign-extended; and back, modulo 2^n.
std::int64_t integer_of(DType t, std::uint64_t bits);
std::uint64_t integer_bits(DType t, std::int64_t value);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_CAST_BITS_H_
