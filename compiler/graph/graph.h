// The contract graph: typed SSA in which everything that eager rounds is
// rounded visibly. No implicit promotion, no flags on arithmetic, no strides:
// layout is a property of inputs and outputs only.
#ifndef ASSAY_COMPILER_GRAPH_GRAPH_H_
#define ASSAY_COMPILER_GRAPH_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/formula.h"
#include "compiler/graph/order.h"
#include "compiler/graph/scalar_op.h"
#include "core/tensor.h"

namespace assay::compiler {

using NodeId = int;

struct Type {
  DType dtype = DType::f32;
  Shape sizes;
  bool operator==(const Type&) const = default;
};

enum class Op : std::uint8_t {
  input,     // attr {position}
  constant,  // attr {position}: a captured tensor, or one of the importer's
  scalar,    // bits; rank 0
  map,       // scalar operation over operands of one shape
  // Casts. A widening is exact for every value; the others are not, carry an
  // id, and stand in the ledger.
  widen,
  round,     // to a float format, to nearest even, overflow to infinity
  truncate,  // float to integer, toward zero
  wrap,      // integer to integer, modulo 2^n
  // Layout: every element is moved unchanged.
  reshape,
  permute,  // attr: result dimension d is operand dimension attr[d]
  expand,   // dimensions of size 1 repeat; rank does not change
  slice,    // attr {dim, start, step}
  cat,      // attr {dim}
  // Contractions. The accumulator has the operands' dtype; `order` says how
  // terms are added. matmul and convolve take a product of floats in by an fma,
  // so that it is not rounded by itself; integers wrap.
  reduce,      // attr: the reduced dimensions, rising; they stay with size 1
  matmul,      // [B, M, K] by [B, K, N]
  convolve,    // [N, C, H, W], [O, C/groups, R, S]; attr: see ConvolveAttr
  window_sum,  // [N, C, H, W] to [N, C, OH, OW] over adaptive windows
  scan,        // [A, N, B]: running results along N, by combiner, each the one
               // before it and one more term
  scatter,     // keys and terms [A, K, B] to [A, N, B]: the terms of a line
               // whose key names the place, by combiner, in order, after what
               // a third operand [A, N, B] has there
  order,    // [L, N] to [1 or 2, L, K]; attr {descending}: the indices of the
            // first K elements of a line in order, among equals the least
            // index first, NaN after all others. Of two, which takes K = N,
            // the second is room to sort in and means nothing
  gather,   // rows of [V, D] by an index; out of range it reads row 0
  formula,  // by its definition, over whatever operands it names
};

// Places in attr of a convolution.
enum ConvolveAttr {
  kStrideH,
  kStrideW,
  kPadH,
  kPadW,
  kDilationH,
  kDilationW,
  kGroups,
  kConvolveAttrs
};

struct GraphNode {
  Op op = Op::input;
  std::vector<NodeId> args;
  Type type;
  ScalarOp scalar = ScalarOp::add;    // map
  Combiner combiner = Combiner::sum;  // reduce, scan, scatter
  Order order;                        // contractions
  Shape attr;
  std::uint64_t bits = 0;  // scalar
  int cast = 0;            // round, truncate, wrap: id in the ledger, from 1
  std::shared_ptr<const Formula> formula;  // formula
  // Formulas are compared by what they say.
  bool operator==(const GraphNode& other) const;
};

// What passes rewrite. The artifact's guards are not in it.
struct Body {
  std::vector<GraphNode> nodes;  // operands before users
  std::vector<TensorType> inputs;
  std::vector<Tensor> constants;
  std::vector<NodeId> outputs;

  const GraphNode& at(NodeId id) const {
    return nodes[static_cast<std::size_t>(id)];
  }
};

const char* op_name(Op op);
inline bool is_lossy_cast(Op op) {
  return op == Op::round || op == Op::truncate || op == Op::wrap;
}
inline bool is_cast(Op op) { return op == Op::widen || is_lossy_cast(op); }
inline bool is_contraction(Op op) {
  return op == Op::reduce || op == Op::matmul || op == Op::convolve ||
         op == Op::window_sum;
}

// Its result fills a buffer by a kernel that computes nothing else.
inline bool has_own_kernel(Op op) {
  return op == Op::formula || op == Op::scan || op == Op::scatter ||
         op == Op::order || (is_contraction(op) && op != Op::reduce);
}

// It takes operands of narrower types than its own.
inline bool widens(Op op) {
  return has_own_kernel(op) && op != Op::formula && op != Op::scatter &&
         op != Op::order;
}

// Every value of `from` is a value of `to`.
bool is_lossless(DType from, DType to);

// One line per node: "%3 = map.add f32[2, 4] %1 %2".
std::string to_text(const Body& body);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_GRAPH_H_
