// Recognises sums that are convolutions, so that they run as such.
#ifndef ASSAY_COMPILER_DERIVED_CONVOLUTION_H_
#define ASSAY_COMPILER_DERIVED_CONVOLUTION_H_

#include <optional>

#include "compiler/graph/builder.h"
#include "suite/language/nest/nest.h"

namespace assay::compiler {

// sum(c, k...: x[n, o // (O / groups) * C + c, y... * stride + k... * dilation
// - padding] * w[o, c, k...]) at the place (n, o, y...), zeros around x.
struct Convolution {
  const language::Access* x = nullptr;
  const language::Access* w = nullptr;
  Shape stride, padding, dilation;  // by spatial dimension
  std::int64_t groups = 1;
};

// `r`, of a definition with these extents, as a convolution over one, two or
// three spatial dimensions, of floats; nothing where it is none.
std::optional<Convolution> recognise_convolution(
    const language::Nest& nest, const language::ReductionNode& r,
    const Shape& extents);

// Its result, of these sizes, of floats x and w of one type. In two dimensions:
// one gets a row, and of three the first one's taps become channels.
NodeId lower_convolution(const Convolution& c, NodeId x, NodeId w,
                         const Shape& sizes, Builder* graph);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_CONVOLUTION_H_
