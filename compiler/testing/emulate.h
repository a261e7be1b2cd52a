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

// Looking for races takes more than half of the time of a small kernel.
enum class Races { looked_for, not_looked_for };

Emulated emulate(const std::string& plan, std::vector<Tensor> inputs,
                 Races races = Races::looked_for);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TESTING_EMULATE_H_
