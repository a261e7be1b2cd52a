// Long reductions of few rows, which threads could not share, in parts.
#ifndef ASSAY_COMPILER_NEST_SPLIT_H_
#define ASSAY_COMPILER_NEST_SPLIT_H_

#include "compiler/nest/nest.h"

namespace assay::compiler {

// What is split: rows of at least so many blocks, if there are fewer than so
// many of them; fewer columns, of rows that lie side by side, which have less
// to share within.
struct SplitRule {
  std::int64_t rows, columns, least_blocks;
};
// Rows that are enough for threads to share, and blocks of a row that are worth
// being written to memory.
inline constexpr SplitRule kSplitForCores = {128, 128, 64};
// A GPU has room for some thousand blocks of threads.
inline constexpr SplitRule kSplitForGpu = {512, 1 << 14, 2};

// A row's blocks (graph/order.h) are reduced each on its own anyway, and their
// results joined in sequence. Where rows are few and have many blocks, a kernel
// of its own reduces the blocks, side by side, and the kernel that was there
// joins what comes of them. Every bit of the result stays.
void split_reductions(Nest* nest, const SplitRule& rule);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_SPLIT_H_
