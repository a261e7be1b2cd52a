// How a CPU's convolution is cut, for compiler/loops/convolve_bands.inc.
#ifndef ASSAY_COMPILER_TEXT_CPP_CONVOLVE_PLAN_H_
#define ASSAY_COMPILER_TEXT_CPP_CONVOLVE_PLAN_H_

#include <cstdint>
#include <optional>

#include "compiler/nest/nest.h"

namespace assay::compiler {

struct BandPlan {
  std::int64_t height = 1, width = 1;  // of a band of results
  std::int64_t depth = 1;  // terms at once, whole blocks of the order
  std::int64_t room = 0;   // elements of the copied input
  std::int64_t span = 0;   // places of a band's results in the copy
  std::int64_t bands = 0;  // of all images and groups
};

// None where the copy for even a narrow band would leave a core's cache, or
// there is nothing to copy. Requires Op::convolve of f32 or f64.
std::optional<BandPlan> plan_bands(const NodeKernel& k);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CPP_CONVOLVE_PLAN_H_
