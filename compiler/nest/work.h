// How much a nest computes: what decides how it is built and who shares it.
#ifndef ASSAY_COMPILER_NEST_WORK_H_
#define ASSAY_COMPILER_NEST_WORK_H_

#include <cstdint>

#include "compiler/nest/nest.h"

namespace assay::compiler {

// How often the innermost term of the node's sums is computed.
std::int64_t terms_of(const NodeKernel& k);

// Elements that the stages of all kernels visit, and terms of their nodes.
std::int64_t work_of(const Nest& nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_WORK_H_
