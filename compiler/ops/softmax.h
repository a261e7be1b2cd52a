// The softmax, which attention is made of, too.
#ifndef ASSAY_COMPILER_OPS_SOFTMAX_H_
#define ASSAY_COMPILER_OPS_SOFTMAX_H_

#include "compiler/graph/builder.h"

namespace assay::compiler {

// exp(x - max) / sum(exp(x - max)) over `dims`, in x's dtype.
inline NodeId softmax_over(Builder& b, NodeId x, const Shape& dims) {
  const NodeId top = b.reduce(Combiner::maximum, x, dims);
  const NodeId e = b.map(ScalarOp::exp, {b.map(ScalarOp::sub, {x, top})});
  return b.map(ScalarOp::div, {e, b.reduce(Combiner::sum, e, dims)});
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_OPS_SOFTMAX_H_
