// Defects of memory: which buffer an intermediate is given, and how far loops
// reach. The rows are in graph/defects.h.
#ifndef ASSAY_COMPILER_NEST_DEFECTS_H_
#define ASSAY_COMPILER_NEST_DEFECTS_H_

#include "compiler/graph/defects.h"
#include "compiler/nest/nest.h"

namespace assay::compiler {

// `nest` with the defect in it, if the defect is one of the nest. Applied after
// verify(), which would refuse it.
Nest inject(Nest nest, Defect defect);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_DEFECTS_H_
