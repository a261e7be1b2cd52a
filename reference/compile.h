// From a bound call to its plan.
#ifndef ASSAY_REFERENCE_COMPILE_H_
#define ASSAY_REFERENCE_COMPILE_H_

#include <memory>

#include "core/result.h"
#include "reference/plan.h"

namespace assay::reference {

// `binding` has its form selected; `type` is that of output `output`. An error
// is a spec that says something this room cannot evaluate, and names it.
Result<std::unique_ptr<NodePlan>> compile_plan(
    Binding binding, TensorType type, int value, std::size_t output = 0,
    TorchVersion torch = kDefaultTorch);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_COMPILE_H_
