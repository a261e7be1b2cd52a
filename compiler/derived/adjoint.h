// Recognises sums that are transposed convolutions, so that each phase of their
// strides runs as a convolution.
#ifndef ASSAY_COMPILER_DERIVED_ADJOINT_H_
#define ASSAY_COMPILER_DERIVED_ADJOINT_H_

#include <optional>
#include <vector>

#include "compiler/graph/builder.h"
#include "suite/language/nest/nest.h"

namespace assay::compiler {

// sum(c, k...: x[n, o // Q * C + c, i...] * w[o // Q * C + c, o % Q, k...]) at
// the place (n, o, y...), where i... * stride = y... + padding - k... *
// dilation; nothing is added where no such i exists.
struct Adjoint {
  // Of one spatial dimension. Q is the size of w's second, C that of a group.
  struct Along {
    std::int64_t stride = 1, padding = 0, dilation = 1;
  };
  const language::Access* x = nullptr;
  const language::Access* w = nullptr;
  std::vector<Along> along;
  std::int64_t groups = 1;
};

// `r`, of a definition with these extents, as a transposed convolution over one
// or two spatial dimensions, of floats; nothing where it is none, or has a
// stride and a dilation along one dimension.
std::optional<Adjoint> recognise_adjoint(const language::Nest& nest,
                                         const language::ReductionNode& r,
                                         const Shape& extents);

// Its result, of these sizes, of floats x and w of one type.
NodeId lower_adjoint(const Adjoint& a, NodeId x, NodeId w, const Shape& sizes,
                     Builder* graph);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_ADJOINT_H_
