#include "suite/cases/inputs/layouts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace assay::cases {
namespace {

// First dimension with more than one entry; rank if there is none.
std::size_t first_wide(const Shape& sizes) {
  const auto it = std::find_if(sizes.begin(), sizes.end(),
                               [](std::int64_t s) { return s > 1; });
  return static_cast<std::size_t>(it - sizes.begin());
}

// Dimensions with more than one entry.
std::int64_t wide(const Shape& sizes) {
  return std::count_if(sizes.begin(), sizes.end(),
                       [](std::int64_t s) { return s > 1; });
}

// Row-major strides of the dimensions in the order `outermost_first`.
Shape ordered_strides(const Shape& sizes, const Shape& outermost_first) {
  Shape stored;
  for (const std::int64_t d : outermost_first) {
    stored.push_back(sizes[static_cast<std::size_t>(d)]);
  }
  stored = contiguous_strides(stored);
  Shape strides(sizes.size());
  for (std::size_t n = 0; n < stored.size(); ++n) {
    strides[static_cast<std::size_t>(outermost_first[n])] = stored[n];
  }
  return strides;
}

// 0, ..., rank - 1, with entry `d` as the last.
Shape innermost(std::size_t rank, std::size_t d) {
  Shape order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + static_cast<std::ptrdiff_t>(d),
              order.begin() + static_cast<std::ptrdiff_t>(d) + 1, order.end());
  return order;
}

}  // namespace

std::string_view layout_name(language::Layout layout) {
  switch (layout) {
    case language::Layout::contiguous:
      return "contiguous";
    case language::Layout::transposed:
      return "transposed";
    case language::Layout::offset:
      return "offset";
    case language::Layout::strided:
      return "strided";
    case language::Layout::expanded:
      return "expanded";
    case language::Layout::permuted:
      return "permuted";
    case language::Layout::channels_last:
      return "channels_last";
  }
  return "";
}

bool layout_applies(language::Layout layout, const Shape& sizes) {
  if (element_count(sizes) == 0) return false;
  const std::size_t rank = sizes.size();
  switch (layout) {
    case language::Layout::contiguous:
      return false;
    case language::Layout::offset:
      return true;
    case language::Layout::transposed:
      return rank >= 2 && sizes[rank - 1] > 1 && sizes[rank - 2] > 1;
    case language::Layout::strided:
      return rank >= 1 && element_count(sizes) > 1;
    case language::Layout::expanded:
      return first_wide(sizes) < rank;
    case language::Layout::permuted:
      return rank >= 3 && sizes[0] > 1 && wide(sizes) >= 3;
    case language::Layout::channels_last:
      return (rank == 4 || rank == 5) && sizes[1] > 1 &&
             wide({sizes.begin() + 2, sizes.end()}) > 0;
  }
  return false;
}

bool reorders(language::Layout layout) {
  return layout == language::Layout::transposed ||
         layout == language::Layout::permuted ||
         layout == language::Layout::channels_last;
}

TensorType layout_type(DType dtype, const Shape& sizes,
                       language::Layout layout) {
  TensorType type = TensorType::contiguous(dtype, sizes);
  if (!layout_applies(layout, sizes)) return type;
  const std::size_t rank = sizes.size();
  Shape stored = sizes;
  switch (layout) {
    case language::Layout::contiguous:
    case language::Layout::offset:
      break;
    case language::Layout::transposed:
      std::swap(stored[rank - 1], stored[rank - 2]);
      type.strides = contiguous_strides(stored);
      std::swap(type.strides[rank - 1], type.strides[rank - 2]);
      break;
    case language::Layout::strided:
      stored[rank - 1] *= 2;
      type.strides = contiguous_strides(stored);
      type.strides[rank - 1] = 2;
      break;
    case language::Layout::expanded:
      stored[first_wide(sizes)] = 1;
      type.strides = contiguous_strides(stored);
      type.strides[first_wide(sizes)] = 0;
      break;
    case language::Layout::permuted:
      type.strides = ordered_strides(sizes, innermost(rank, 0));
      break;
    case language::Layout::channels_last:
      type.strides = ordered_strides(sizes, innermost(rank, 1));
      break;
  }
  return type;
}

Tensor lay_out(DType dtype, const Shape& sizes, language::Layout layout,
               const std::vector<std::uint64_t>& bits) {
  const bool applies = layout_applies(layout, sizes);
  const std::int64_t offset =
      applies && layout == language::Layout::offset ? 1 : 0;
  Tensor tensor = Tensor::strided(layout_type(dtype, sizes, layout), offset);
  // Any other byte than 0 and 1 is no bool at all.
  const std::byte filler{dtype == DType::boolean ? std::uint8_t{1}
                                                 : std::uint8_t{0xff}};
  std::fill(tensor.storage->begin(), tensor.storage->end(), filler);
  Tensor parts = components(tensor);
  for (std::size_t n = bits.size(); n-- > 0;) {
    parts.set_bits(static_cast<std::int64_t>(n), bits[n]);
  }
  return tensor;
}

}  // namespace assay::cases
