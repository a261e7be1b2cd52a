// Accumulation in the order that a node states.
#ifndef ASSAY_COMPILER_GRAPH_ACCUMULATE_H_
#define ASSAY_COMPILER_GRAPH_ACCUMULATE_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"

namespace assay::compiler {

// The operation by which a combiner takes one more term, and the element that
// it starts from. `t` is f64, f32, an integer or bool.
ScalarOp step_of(Combiner c);
std::uint64_t identity_of(Combiner c, DType t);

// Adds terms one by one.
class Accumulator {
 public:
  Accumulator(Combiner combiner, Order order, DType t);
  void add(std::uint64_t term);
  // Takes in a product. Of floats it is not rounded by itself: fma(a, b, sum).
  // Requires Combiner::sum.
  void add_product(std::uint64_t a, std::uint64_t b);
  std::uint64_t result();

 private:
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) const;
  std::uint64_t& next_lane();
  void count_term();
  void close_block();
  Combiner combiner_;
  Order order_;
  DType type_;
  std::uint64_t identity_;
  std::vector<std::uint64_t> lanes_;
  std::int64_t in_block_ = 0;
  std::uint64_t total_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_ACCUMULATE_H_
