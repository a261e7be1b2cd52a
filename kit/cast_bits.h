// Casts of single elements as PyTorch's contract has them. Integer code from
// end to end: no rounding mode and no flag of the process changes a result.
// The bundled compiler's interpreters use it and its kernels do not, so that
// each checks the other.
#ifndef ASSAY_KIT_CAST_BITS_H_
#define ASSAY_KIT_CAST_BITS_H_

#include <cstdint>

#include "core/dtype.h"

namespace assay::kit {

// The element of `to` for the element `bits` of `from`. To float: one rounding
// to nearest even, NaN to the quiet NaN. Float to integer: toward zero into
// i64 (into u64 for u64), then modulo 2^n; what does not fit 64 bits gives the
// least i64. To bool: whether it differs from zero.
std::uint64_t cast_bits(DType from, std::uint64_t bits, DType to);

}  // namespace assay::kit

#endif  // ASSAY_KIT_CAST_BITS_H_
