#include "kit/broadcast.h"

#include <algorithm>

namespace assay::kit {

bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out) {
  const std::size_t rank = std::max(a.size(), b.size());
  out->assign(rank, 1);
  for (std::size_t i = 1; i <= rank; ++i) {
    const std::int64_t x = i <= a.size() ? a[a.size() - i] : 1;
    const std::int64_t y = i <= b.size() ? b[b.size() - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    (*out)[rank - i] = x == 1 ? y : x;
  }
  return true;
}

Shape broadcast_strides(const TensorType& t, const Shape& shape) {
  Shape strides(shape.size(), 0);
  const std::size_t front = shape.size() - t.sizes.size();
  for (std::size_t d = 0; d < t.sizes.size(); ++d) {
    if (t.sizes[d] != 1) strides[front + d] = t.strides[d];
  }
  return strides;
}

}  // namespace assay::kit
