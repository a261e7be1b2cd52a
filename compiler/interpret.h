// The slow twin: evaluates a contract graph node by node, element by element.
// Compiled kernels must agree with it bit for bit (NaNs as one class).
#ifndef ASSAY_COMPILER_INTERPRET_H_
#define ASSAY_COMPILER_INTERPRET_H_

#include <vector>

#include "compiler/graph.h"

namespace assay::compiler {

// One tensor per entry of body.outputs. Requires verify(body) and inputs of
// the body's types.
std::vector<Tensor> interpret(const Body& body,
                              const std::vector<Tensor>& inputs);

// One scalar operation on elements of dtype `t` (of the second and third
// operand, for select).
std::uint64_t apply(ScalarOp op, DType t, const std::uint64_t* args);

// Adds `count` terms in the given order. `t` is f64, f32, an integer or bool.
class Accumulator {
 public:
  Accumulator(Combiner combiner, Order order, DType t);
  void add(std::uint64_t term);
  std::uint64_t result();

 private:
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) const;
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

#endif  // ASSAY_COMPILER_INTERPRET_H_
