#include "compiler/text/cpp/matmul_class.h"

#include <algorithm>
#include <array>

namespace assay::compiler {
namespace {

// The constants of microkernel.inc.
struct Width {
  std::int64_t bytes, most_rows;
};
constexpr std::array<Width, 3> kWidths = {{{64, 14}, {32, 6}, {16, 6}}};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// a_cut::rows
std::int64_t height(std::int64_t m, const Width& w) {
  return ceil_div(m, ceil_div(m, w.most_rows));
}

// What a_matmul_rows derives from its extents at compile time.
struct Cut {
  std::int64_t vectors;
  bool narrow;
  bool operator==(const Cut&) const = default;
};

Cut cut(std::int64_t m, std::int64_t n, std::int64_t element, const Width& w) {
  const std::int64_t lanes = w.bytes / element;
  const std::int64_t rows = height(m, w);
  const std::int64_t wide = rows == 1 ? 8 : rows == 2 ? 4 : rows == 3 ? 3 : 2;
  Cut c{};
  c.vectors = std::min(ceil_div(n, lanes), wide);
  const std::int64_t columns = c.vectors * lanes;
  c.narrow = c.vectors > 1 && n % columns != 0 && n % columns <= lanes;
  return c;
}

template <class Same>
std::int64_t first(std::int64_t most, const Same& same) {
  std::int64_t i = 1;
  while (i < most && !same(i)) ++i;
  return i;
}

bool all_widths(const auto& same) {
  return std::all_of(kWidths.begin(), kWidths.end(), same);
}

}  // namespace

ProductExtents cut_alike(const ProductExtents& e, DType t) {
  ProductExtents out;
  out.rows = first(e.rows, [&](std::int64_t m) {
    return all_widths([&](const Width& w) {
      const std::int64_t few = 4 * height(m, w);  // rows of a few panels
      return height(m, w) == height(e.rows, w) && (m <= few) == (e.rows <= few);
    });
  });
  const std::int64_t element = size_bytes(t);
  out.columns = first(e.columns, [&](std::int64_t n) {
    return all_widths([&](const Width& w) {
      return cut(out.rows, n, element, w) ==
             cut(out.rows, e.columns, element, w);
    });
  });
  return out;
}

}  // namespace assay::compiler
