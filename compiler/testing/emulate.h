// Executes a plan of launches (docs/launch-plan.md) on the PTX machine, for
// tests.
#ifndef ASSAY_COMPILER_TESTING_EMULATE_H_
#define ASSAY_COMPILER_TESTING_EMULATE_H_

#include <string>
#include <vector>

#include "core/tensor.h"

namespace assay::compiler {

struct Emulated {
  std::vector<Tensor> outputs;
  // What the machine has to say against the kernels, or why it could not run
  // them.
  std::vector<std::string> faults;
  // Instructions whose results the ISA leaves open.
  std::vector<std::string> approximate;
};

Emulated emulate(const std::string& plan, std::vector<Tensor> inputs);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TESTING_EMULATE_H_
