// The values at which formats and algorithms change their behaviour.
#ifndef ASSAY_CORE_SPECIAL_VALUES_H_
#define ASSAY_CORE_SPECIAL_VALUES_H_

#include <cstdint>
#include <vector>

#include "core/dtype.h"

namespace assay {

// Bit patterns of `t`, each once. Floats: both zeros, infinities, NaN, the
// largest, smallest normal, smallest and largest subnormal of either sign, 1
// and its neighbours, a few ordinary values. Integers: 0, +-1, both ends and
// their neighbours, powers of two and their neighbours where formats end
// (2^8, 2^15, 2^24, 2^31, 2^53 ...). The most telling ones come first, for
// callers with room for only a few.
std::vector<std::uint64_t> special_values(DType t);

// A shorter list, for crosses of three operands and more.
std::vector<std::uint64_t> brief_special_values(DType t);

}  // namespace assay

#endif  // ASSAY_CORE_SPECIAL_VALUES_H_
