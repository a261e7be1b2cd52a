#include "suite/language/bind/strides.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace assay::language {
namespace {

using Order = std::vector<std::size_t>;  // of dimensions, the innermost first

// Dense strides of dimensions in this order. Sizes of 0 count as 1, so that
// strides are never 0 of themselves.
Shape dense(const Shape& sizes, const Order& innermost_first) {
  Shape strides(sizes.size());
  std::int64_t next = 1;
  for (const std::size_t d : innermost_first) {
    strides[d] = next;
    next *= std::max<std::int64_t>(sizes[d], 1);
  }
  return strides;
}

// Innermost first: channels, the others from the last to the first.
Order channels_last_order(std::size_t rank) {
  Order order = {1};
  for (std::size_t d = rank; d-- > 0;) {
    if (d != 1) order.push_back(d);
  }
  return order;
}

// The operand as the result steps through it: 0 where it repeats.
Shape broadcast_strides(const Strided& t, const Shape& shape) {
  Shape strides(shape.size(), 0);
  const std::size_t missing = shape.size() - t.sizes.size();
  for (std::size_t d = 0; d < t.sizes.size(); ++d) {
    const bool repeats = t.sizes[d] == 1 && shape[missing + d] != 1;
    if (!repeats) strides[missing + d] = t.strides[d];
  }
  return strides;
}

enum class Comparison { keep, exchange, open };

// Of dimensions of which `inner` lies inside of `outer` so far. Operands in
// order; the first that tells decides.
Comparison compare(const std::vector<Shape>& operands, const Shape& shape,
                   std::size_t inner, std::size_t outer) {
  for (const Shape& strides : operands) {
    const std::int64_t a = strides[inner];
    const std::int64_t b = strides[outer];
    if (a == 0 || b == 0) continue;
    if (a < b) return Comparison::keep;
    if (a > b || shape[inner] > shape[outer]) return Comparison::exchange;
  }
  return Comparison::open;
}

// An insertion sort from row-major on. What an open comparison leaves depends
// on the algorithm, so it is PyTorch's: a dimension moves in past those that
// it cannot be compared with, as far as the next that it must stay behind.
Order iteration_order(const std::vector<Shape>& operands, const Shape& shape) {
  Order order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  for (std::size_t n = 1; n < order.size(); ++n) {
    std::size_t moving = n;
    for (std::size_t other = n; other-- > 0;) {
      const Comparison c =
          compare(operands, shape, order[other], order[moving]);
      if (c == Comparison::keep) break;
      if (c == Comparison::open) continue;
      std::swap(order[other], order[moving]);
      moving = other;
    }
  }
  return order;
}

}  // namespace

bool same_strides(const Shape& sizes, const Shape& a, const Shape& b) {
  if (element_count(sizes) == 0) return true;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > 1 && a[d] != b[d]) return false;
  }
  return true;
}

bool is_row_major(const Strided& t) {
  return same_strides(t.sizes, t.strides, contiguous_strides(t.sizes));
}

bool is_dense(const Strided& t) {
  Order order;
  for (std::size_t d = 0; d < t.sizes.size(); ++d) {
    if (t.sizes[d] > 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&t](std::size_t a, std::size_t b) {
    return t.strides[a] < t.strides[b];
  });
  std::int64_t next = 1;
  for (const std::size_t d : order) {
    if (t.strides[d] != next) return false;
    next *= t.sizes[d];
  }
  return true;
}

bool is_channels_last_2d(const Strided& t) {
  return t.sizes.size() == 4 &&
         same_strides(t.sizes, t.strides, channels_last_strides(t.sizes));
}

Shape channels_last_strides(const Shape& sizes) {
  const std::size_t rank = sizes.size();
  if (rank != 4 && rank != 5) return contiguous_strides(sizes);
  return dense(sizes, channels_last_order(rank));
}

bool suggests_channels_last(const Strided& t) {
  const std::size_t rank = t.sizes.size();
  if ((rank != 4 && rank != 5) || t.strides[1] == 0) return false;
  std::int64_t least = 0;  // that the next dimension outward may have
  for (const std::size_t d : channels_last_order(rank)) {
    if (t.sizes[d] == 0 || t.strides[d] < least) return false;
    // Images of one pixel, whose channels lie as in either format.
    if (d == 0 && least == t.strides[1]) return false;
    least = t.strides[d] * std::max<std::int64_t>(t.sizes[d], 1);
  }
  return true;
}

Shape elementwise_strides(const std::vector<Strided>& operands,
                          const Shape& shape) {
  const auto all = [&operands](auto holds) {
    return std::all_of(operands.begin(), operands.end(), holds);
  };
  if (operands.empty()) return contiguous_strides(shape);
  if (all([&](const Strided& t) { return t.sizes == shape; })) {
    if (all(is_row_major)) return contiguous_strides(shape);
    if (all(is_channels_last_2d)) return channels_last_strides(shape);
    const Shape& first = operands.front().strides;
    if (all([&](const Strided& t) {
          return t.strides == first && is_dense(t);
        })) {
      return first;
    }
  }
  std::vector<Shape> strides;
  for (const Strided& t : operands) {
    strides.push_back(broadcast_strides(t, shape));
  }
  return dense(shape, iteration_order(strides, shape));
}

}  // namespace assay::language
