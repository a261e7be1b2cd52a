// Makes contract-graph nodes with their types, for the importer. Casts that
// can lose something enter the ledger here.
#ifndef ASSAY_COMPILER_GRAPH_BUILDER_H_
#define ASSAY_COMPILER_GRAPH_BUILDER_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/ledger.h"

namespace assay::compiler {

class Builder {
 public:
  Body body;
  Ledger ledger;
  std::string origin;  // entered in the ledger for casts made from here on

  // By value: adding a node moves the others.
  Type type(NodeId x) const { return body.at(x).type; }
  DType dtype(NodeId x) const { return body.at(x).type.dtype; }
  Shape sizes(NodeId x) const { return body.at(x).type.sizes; }
  std::int64_t rank(NodeId x) const {
    return static_cast<std::int64_t>(body.at(x).type.sizes.size());
  }

  NodeId input(const TensorType& t);
  NodeId constant(Tensor t);
  // A rank-0 number of dtype `t`.
  NodeId scalar(DType t, double value);
  NodeId integer_scalar(DType t, std::int64_t value);
  NodeId filled(DType t, const Shape& sizes, double value);

  // Operands are broadcast to their common shape.
  NodeId map(ScalarOp op, std::vector<NodeId> args);
  // The cast from x's dtype to `to`, in as many nodes as it takes; x itself
  // where the dtype is the same.
  NodeId convert(NodeId x, DType to);
  // x in opmath of its dtype.
  NodeId widened(NodeId x) { return convert(x, opmath(dtype(x))); }
  // x in f64, f32, i64 or i32, the narrowest of its kind that holds all of
  // its dtype: what order and scatter take.
  NodeId as_number(NodeId x);

  NodeId reshape(NodeId x, Shape sizes);
  NodeId permute(NodeId x, Shape dims);
  NodeId slice(NodeId x, std::int64_t dim, std::int64_t start,
               std::int64_t length, std::int64_t step);
  NodeId cat(std::vector<NodeId> parts, std::int64_t dim);
  // Broadcasts x to `sizes`, dimensions aligned at the end.
  NodeId expand(NodeId x, const Shape& sizes);
  // `dims` rising; the reduced dimensions stay with size 1. Of dimensions with
  // others between them the last are reduced first, whose elements lie
  // together.
  NodeId reduce(Combiner c, NodeId x, Shape dims);
  NodeId matmul(NodeId a, NodeId b);  // [B, M, K] by [B, K, N]
  NodeId convolve(NodeId x, NodeId w, Shape attr, Shape sizes);
  NodeId window_sum(NodeId x, std::int64_t height, std::int64_t width);
  NodeId scan(Combiner c, NodeId x);  // [A, N, B], along N
  // Keys and terms [A, K, B] to `places` along the second dimension.
  NodeId scatter(Combiner c, NodeId key, NodeId x, std::int64_t places);
  // The same after what is there.
  NodeId scatter_onto(Combiner c, NodeId start, NodeId key, NodeId x);
  // [L, N] to [L, kept]: where the first ones in order stand.
  NodeId order(NodeId x, bool descending, std::int64_t kept);
  NodeId gather(NodeId table, NodeId index);
  NodeId formula(std::shared_ptr<const Formula> f, std::vector<NodeId> operands,
                 Type type);

 private:
  NodeId add(GraphNode n);
  NodeId cast(Op op, NodeId x, DType to);
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_BUILDER_H_
