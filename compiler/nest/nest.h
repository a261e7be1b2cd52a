// The nest IR: buffers, and kernels that loop over them. Views have become
// index arithmetic, and the place of each computation is decided. Otherwise a
// nest says what the contract graph says.
#ifndef ASSAY_COMPILER_NEST_NEST_H_
#define ASSAY_COMPILER_NEST_NEST_H_

#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/nest/index_expr.h"

namespace assay::compiler {

struct Buffer {
  enum class Kind { input, constant, output, temporary };
  Kind kind = Kind::temporary;
  int position = 0;  // among those of its kind
  TensorType type;
};

// Dimensions of a buffer that one gather takes by computed indices, at most.
inline constexpr std::size_t kMostRows = 8;

// A scalar inside a kernel.
struct Value {
  enum class Kind {
    load,     // buffer[at]
    gather,   // buffer[at + sum of row * stride], row = args[d] if in
              // [0, rows[d]), else 0
    scalar,   // bits
    apply,    // op(args)
    cast,     // cast(args[0])
    convert,  // args[0] to dtype: a cast of a formula, in no ledger
    index,    // at, as an i64
    reduced,  // result of an earlier reducing stage
  };
  Kind kind = Kind::load;
  DType dtype = DType::f32;
  std::vector<int> args;
  int buffer = -1;
  IndexExpr at;
  Shape rows, row_strides;  // gather
  std::uint64_t bits = 0;
  ScalarOp op = ScalarOp::add;
  Op cast = Op::widen;
  int cast_id = 0;  // in the ledger; 0 for widen
  int stage = -1;   // reduced
};

struct Stage {
  enum class Kind {
    point,   // once per point: store
    reduce,  // over the row, in the order given: may store
    row,     // once per row: store
  };
  Kind kind = Kind::point;
  int value = 0;
  int buffer = -1;  // none: a reduction that only later stages read
  IndexExpr at;
  Combiner combiner = Combiner::sum;
  Order order;
};

// Loops over `outer`; where has_row, each point of it is a row with its own
// inner loops, one per stage, and the row's variable is the last one.
struct LoopKernel {
  Shape outer;
  bool has_row = false;
  std::int64_t row = 1;
  std::vector<Value> values;  // operands before users
  std::vector<Stage> stages;

  // Extents of the variables.
  Shape extents() const {
    Shape s = outer;
    s.push_back(has_row ? row : 1);
    return s;
  }
};

// Operand of a kernel's node: buffer[offset + sum of index * stride]. Where the
// buffer's dtype is narrower than the node's, the kernel widens what it reads.
struct BufferView {
  int buffer = 0;
  std::int64_t offset = 0;
  Shape strides;
};

// A node that has a kernel of its own: matmul, convolve, window_sum, scan,
// scatter, order, and formulas whose indices are more than loops can say.
struct NodeKernel {
  GraphNode node;  // op, type, attr, order
  std::vector<BufferView> operands;
  std::vector<Shape> operand_sizes;
  int result = 0;
  // Not 0: the kernel rounds to the result's dtype, a cast in the ledger. Made
  // for a GPU's text alone (text/cuda/product_rounding.h).
  int cast_id = 0;
};

using Kernel = std::variant<LoopKernel, NodeKernel>;

struct Nest {
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  // For each output of the body: the buffer that holds it.
  std::vector<int> outputs;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_NEST_H_
