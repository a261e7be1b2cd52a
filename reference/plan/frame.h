// The loop indices at which an element of a value stands.
#ifndef ASSAY_REFERENCE_PLAN_FRAME_H_
#define ASSAY_REFERENCE_PLAN_FRAME_H_

#include <cstddef>
#include <cstdint>

#include "core/tensor.h"
#include "reference/plan/nest.h"

namespace assay::reference {

// Of `element` in row-major order; no extent is 0.
inline Frame frame_of(const Shape& extents, std::int64_t element) {
  Frame frame;
  for (std::size_t d = extents.size(); d-- > 0;) {
    frame.slots[d] = element % extents[d];
    element /= extents[d];
  }
  return frame;
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_PLAN_FRAME_H_
