// What is worked out about a program before its elements are.
#ifndef ASSAY_REFERENCE_PLAN_PLANNED_H_
#define ASSAY_REFERENCE_PLAN_PLANNED_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "core/torch_version.h"
#include "reference/golden/golden.h"
#include "reference/plan/nest.h"
#include "reference/plan/versions.h"

namespace assay::reference {

// The nests of a program's nodes, by node; null where not made yet.
using Plans = std::vector<std::unique_ptr<Nest>>;

struct PlannedProgram {
  TorchVersion torch = kDefaultTorch;  // the release that the nests follow
  Plans plans;
  std::optional<Versions> versions;
  std::vector<TensorType> types;       // by value, of parts where complex
  std::vector<bool> complex;           // by value
  std::optional<GoldenError> refused;  // then nests stop at that node
  // Tensors that bindings point to.
  std::vector<std::unique_ptr<Tensor>> read;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_PLAN_PLANNED_H_
