// The PTX machine against the hardware: the same plan on both, bit for bit but
// for the bits that make one NaN of a float another.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_MACHINE_CHECK_H_
#define ASSAY_HARNESS_WORKERS_CUDA_MACHINE_CHECK_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "harness/wire/wire.h"
#include "harness/workers/plans/launch_plan.h"

namespace assay::harness::worker::cuda {

struct MachineCheck {
  enum class Outcome {
    same,
    differs,      // the machine is wrong, or the hardware
    approximate,  // instructions were executed whose bits are open
    unordered,    // atomic accesses, whose order is open
    refused,      // the machine does not execute this
    fault,        // the machine found one; hardware may go on regardless
  };
  Outcome outcome = Outcome::same;
  // What differs, which instructions, or what the machine says.
  std::string detail;
  // Of all outputs, however the outcome is named.
  std::int64_t elements = 0;
  std::int64_t differing = 0;
  // Elements of floats that are NaN on both, with other bits. The ISA promises
  // those bits for few instructions, and they count as the same value.
  std::int64_t payloads = 0;
};

// `outputs`: those of the hardware, for these inputs.
MachineCheck check_machine(const LaunchPlan& plan,
                           std::vector<std::vector<std::byte>> inputs,
                           const std::vector<Tensor>& outputs);

// A line of the file that option `compare` names: what was compared and what
// came of it.
Json to_json(const MachineCheck& check, const LaunchPlan& plan);

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_MACHINE_CHECK_H_
