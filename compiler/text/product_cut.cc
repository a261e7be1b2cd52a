#include "compiler/text/product_cut.h"

#include <algorithm>
#include <array>

#include "compiler/text/ceil_div.h"

namespace assay::compiler {
namespace {

// Many results of a thread are fast where there are as many; its registers hold
// the sums of 64, or of 32 that have 64 bits. Few need long steps, for enough
// loads at a time.
constexpr Cut kLargest = {8, 8, 16}, kLargestWide = {8, 4, 8};
constexpr std::array<Cut, 5> kSmaller = {
    Cut{4, 4, 16}, {2, 2, 32}, {1, 4, 16}, {4, 1, 16}, {1, 1, 64}};
// So many thread blocks give each multiprocessor of most GPUs one.
constexpr std::int64_t kEnoughBlocks = 128;
// Of fewer terms, a long step would be too much.
constexpr std::int64_t kTermsForLongSteps = 256;

// Whether that leaves enough thread blocks, and wastes less than half of a
// tile's rows and of its columns.
bool is_apt(const Cut& c, const Shape& out) {
  return (c.rows == 1 || out[1] > 8 * c.rows) &&
         (c.columns == 1 || out[2] > 8 * c.columns) &&
         blocks_with(c, out) >= kEnoughBlocks;
}

// A convolution as one of matrices, if convolve_threads.inc has it so.
std::optional<Product> convolution_as_product(const NodeKernel& k) {
  // Of fewer channels, most of a tile would be empty.
  constexpr std::int64_t kFewest = 8;
  constexpr std::int64_t kMost = 1 << 28;
  const Shape& x = k.operand_sizes[0];
  const Shape& w = k.operand_sizes[1];
  const Shape& s = k.operands[1].strides;
  const std::int64_t groups = k.node.attr[kGroups];
  const std::int64_t apart = w[3] > 1 ? s[3] : w[2] > 1 ? s[2] : s[1];
  const bool even = (w[2] == 1 || s[2] == w[3] * apart) &&
                    (w[1] == 1 || s[1] == w[2] * w[3] * apart);
  const std::int64_t terms = w[1] * w[2] * w[3];
  // Rows, columns and terms are of type int there.
  const bool small = std::max({x[2], x[3], terms}) < kMost &&
                     std::all_of(k.node.attr.begin(), k.node.attr.end(),
                                 [](std::int64_t v) { return v < kMost; });
  if (!even || !small || w[0] / groups < kFewest) return std::nullopt;
  const Shape& out = k.node.type.sizes;
  return Product{{groups, w[0] / groups, out[0] * out[2] * out[3]}, terms};
}

}  // namespace

std::int64_t blocks_with(const Cut& c, const Shape& out) {
  return out[0] * ceil_div(out[1], 16 * c.rows) *
         ceil_div(out[2], 16 * c.columns);
}

std::optional<Product> as_product(const NodeKernel& k) {
  if (k.node.op == Op::convolve) return convolution_as_product(k);
  if (k.node.op != Op::matmul) return std::nullopt;
  return Product{k.node.type.sizes, k.operand_sizes[0][2]};
}

Cut cut_of(const Product& p, DType t) {
  Cut cut = size_bytes(t) > 4 ? kLargestWide : kLargest;
  for (std::size_t i = 0; i < kSmaller.size() && !is_apt(cut, p.out); ++i) {
    cut = kSmaller[i];
  }
  if (p.terms < kTermsForLongSteps && cut.step > 16) cut.step = 16;
  return cut;
}

}  // namespace assay::compiler
