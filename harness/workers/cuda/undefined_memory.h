// Whether results come from memory that nobody wrote to: two executions that
// differ in the poison of undefined buffers alone are compared.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_UNDEFINED_MEMORY_H_
#define ASSAY_HARNESS_WORKERS_CUDA_UNDEFINED_MEMORY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "harness/workers/plans/launch_plan.h"
#include "ptx/text/module.h"

namespace assay::harness::worker::cuda {

// Bytes of the plan's buffers that begin undefined.
std::size_t undefined_bytes(const LaunchPlan& plan);

// Whether two executions may give other bits without a fault: atomic accesses
// come in any order.
bool has_atomics(const std::vector<const ptx::Module*>& modules);

// "P4: output 0: 3 of 4 elements were never written, the first is 1". Elements
// that hold the poison both times were not; with `deterministic` others that
// differ are named, too.
std::vector<std::string> poison_breaches(const std::vector<Tensor>& first,
                                         std::byte first_poison,
                                         const std::vector<Tensor>& second,
                                         std::byte second_poison,
                                         bool deterministic);

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_UNDEFINED_MEMORY_H_
