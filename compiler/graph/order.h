// How terms are accumulated, and in which order.
#ifndef ASSAY_COMPILER_GRAPH_ORDER_H_
#define ASSAY_COMPILER_GRAPH_ORDER_H_

#include <cstdint>

namespace assay::compiler {

// `last` is of scatters alone.
enum class Combiner : std::uint8_t { sum, product, maximum, minimum, last };

const char* combiner_name(Combiner c);

// The order in which terms are accumulated: term t of a block goes to lane
// t % lanes, each lane adds in sequence from zero, the lanes are added pairwise
// by halves (l with l + lanes/2), and blocks are added in sequence.
struct Order {
  int lanes = 1;
  int block = 1;
  bool operator==(const Order&) const = default;
};
// Of reductions over the last dimensions: lanes fill two of the widest vectors
// of floats, or a GPU's warp.
inline constexpr Order kReduceOrder = {32, 4096};
// Of others, whose rows lie side by side: there, a lane is a row of vectors.
inline constexpr Order kColumnOrder = {8, 2048};
inline constexpr Order kProductOrder = {1, 64};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_ORDER_H_
