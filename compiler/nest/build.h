// From the contract graph to kernels.
#ifndef ASSAY_COMPILER_NEST_BUILD_H_
#define ASSAY_COMPILER_NEST_BUILD_H_

#include "compiler/nest/nest.h"

namespace assay::compiler {

// Groups the body's nodes into kernels; each of its outputs gets an output
// buffer. Requires verify(body).
Nest build_nest(const Body& body);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_BUILD_H_
