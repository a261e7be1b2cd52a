#include "compiler/text/cuda/product_cut.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include "compiler/text/ceil_div.h"
#include "compiler/text/cuda/sm_number.h"

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

// Of packs of 16 bytes, the larger the better: what a warp reads of shared
// memory feeds a square of results. Twice the first one is no faster (H200, a
// product of 4096 by 4096 by 4096 of bf16: 331 us for 326). The last ones are
// for results that have few rows, or few columns.
constexpr TensorCut kTensorCuts[] = {{128, 128, 64, 3, 2, 2},
                                     {128, 64, 64, 3, 2, 2},
                                     {64, 64, 64, 3, 2, 2},
                                     {16, 64, 64, 4, 1, 4},
                                     {64, 16, 64, 4, 4, 1}};
// Of elements, which registers hold on their way.
constexpr TensorCut kElementCuts[] = {{128, 128, 32, 3, 2, 4},
                                      {64, 64, 32, 3, 2, 2},
                                      {16, 64, 64, 3, 1, 4},
                                      {64, 16, 64, 3, 4, 1}};
// Fewer terms are nothing for tensor cores.
constexpr std::int64_t kLeastTerms = 16;
// A result of so few rows, or columns, takes a tile that has no more.
constexpr std::int64_t kFewLines = 16;

// Dynamic shared memory of a thread block (CUDA C++ Programming Guide,
// technical specifications per compute capability).
std::int64_t most_shared(const std::string& target) {
  switch (sm_number(target)) {
    case 80:
    case 87:
      return 163 << 10;
    case 90:
    case 100:
    case 103:
      return 227 << 10;
    default:
      return 99 << 10;
  }
}

// The form of an operand with these strides of batches, lines and terms, of
// which there are `sizes`: a number of matmul_tensor_cores.inc. Buffers begin
// at multiples of 16 bytes.
int form_of(const Shape& strides, const Shape& sizes, std::int64_t offset) {
  enum Form { packs_of_terms, packs_of_lines, elements_of_terms, of_lines };
  constexpr std::int64_t kPack = 8;
  const auto steps_by_packs = [&](std::size_t d) {
    return sizes[d] == 1 || strides[d] % kPack == 0;
  };
  if (offset % kPack == 0 && steps_by_packs(0)) {
    if (strides[2] == 1 && steps_by_packs(1)) return packs_of_terms;
    if (strides[1] == 1 && steps_by_packs(2)) return packs_of_lines;
  }
  return std::abs(strides[2]) <= std::abs(strides[1]) ? elements_of_terms
                                                      : of_lines;
}

bool is_apt(const TensorCut& c, const Shape& out) {
  return 2 * out[1] > c.tall && 2 * out[2] > c.wide &&
         c.blocks(out) >= kEnoughBlocks;
}

}  // namespace

std::int64_t TensorCut::blocks(const Shape& out) const {
  return out[0] * ceil_div(out[1], tall) * ceil_div(out[2], wide);
}

std::optional<TensorCut> tensor_cut_of(const Nest& nest, const NodeKernel& k,
                                       const std::string& target) {
  if (k.node.op != Op::matmul || k.node.type.dtype != DType::f32 ||
      k.operand_sizes[0][2] < kLeastTerms || sm_number(target) < 80) {
    return std::nullopt;
  }
  const auto type_of = [&](std::size_t i) {
    const auto b = static_cast<std::size_t>(k.operands[i].buffer);
    return nest.buffers[b].type.dtype;
  };
  const DType type = type_of(0);
  if ((type != DType::f16 && type != DType::bf16) || type_of(1) != type) {
    return std::nullopt;
  }
  const Shape& out = k.node.type.sizes;
  const Shape& a = k.operands[0].strides;
  const Shape& b = k.operands[1].strides;
  const std::int64_t terms = k.operand_sizes[0][2];
  const int forms[] = {
      form_of(a, {out[0], out[1], terms}, k.operands[0].offset),
      form_of({b[0], b[2], b[1]}, {out[0], out[2], terms},
              k.operands[1].offset)};
  std::span<const TensorCut> cuts = kTensorCuts;
  if (std::max(forms[0], forms[1]) > 1) cuts = kElementCuts;
  // Those of the last resort are the last three.
  std::size_t i = 0;
  const std::size_t last = cuts.size() - 3;
  while (i < last &&
         (!is_apt(cuts[i], out) || cuts[i].shared() > most_shared(target))) {
    ++i;
  }
  if (i == last && out[1] <= kFewLines) {
    i = last + 1;
  } else if (i == last && out[2] <= kFewLines) {
    i = last + 2;
  }
  TensorCut cut = cuts[i];
  cut.left = forms[0];
  cut.right = forms[1];
  return cut;
}

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
