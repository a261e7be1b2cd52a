// Layout operations as maps from an index of the result to one of the operand.
#ifndef ASSAY_COMPILER_NEST_VIEW_H_
#define ASSAY_COMPILER_NEST_VIEW_H_

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/nest/index_expr.h"
#include "compiler/nest/nest.h"

namespace assay::compiler {

using Index = std::vector<IndexExpr>;  // one expression per dimension

inline bool is_view(Op op) {
  return op == Op::reshape || op == Op::permute || op == Op::expand ||
         op == Op::slice;
}

// The operand's index for the result's `index`. Requires is_view(n.op).
Index operand_index(const Body& body, const GraphNode& n, const Index& index,
                    const Shape& extents);

// The expressions of row-major position `linear` in `sizes`.
Index unravel(const IndexExpr& linear, const Shape& sizes,
              const Shape& extents);

// sum of index * stride
IndexExpr offset_of(const Index& index, const Shape& strides);

// The node under operand `id` of a node `user` that is no view, or has a buffer
// of its own. Products look through widenings of 16-bit floats as well: they
// widen what they read.
NodeId view_base(const Body& body, const std::vector<bool>& root, NodeId id,
                 Op user);

// `id` as one strided view of its base's buffer; nothing where it is not
// affine. The view's `buffer` is left to the caller to set.
std::optional<BufferView> strided_view(const Body& body,
                                       const std::vector<bool>& root, NodeId id,
                                       Op user);

// Strides of the buffer of an input, a constant or a root.
Shape buffer_strides(const Body& body, NodeId id);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_VIEW_H_
