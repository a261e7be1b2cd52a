// Broadcasting: the common shape of operands, and the walk over it.
#ifndef ASSAY_KIT_BROADCAST_H_
#define ASSAY_KIT_BROADCAST_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/tensor.h"

namespace assay::kit {

// The shape of operands broadcast together; false where they cannot be.
bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out);

// The strides by which a tensor is read at the indices of `shape`, which it
// broadcasts to: 0 where a dimension repeats.
Shape broadcast_strides(const TensorType& t, const Shape& shape);

// Calls visit(offsets) for each index of `shape` in row-major order, with the
// offset that each of the strides gives it.
template <std::size_t N, class Visit>
void for_each_offset(const Shape& shape, const std::array<Shape, N>& strides,
                     Visit visit) {
  const std::int64_t count = element_count(shape);
  Shape index(shape.size());
  std::array<std::int64_t, N> offsets{};
  for (std::int64_t i = 0; i < count; ++i) {
    visit(offsets);
    for (std::size_t d = shape.size(); d-- > 0;) {
      const bool carry = ++index[d] == shape[d];
      const std::int64_t steps = carry ? 1 - shape[d] : 1;
      for (std::size_t n = 0; n < N; ++n) offsets[n] += steps * strides[n][d];
      if (!carry) break;
      index[d] = 0;
    }
  }
}

}  // namespace assay::kit

#endif  // ASSAY_KIT_BROADCAST_H_
