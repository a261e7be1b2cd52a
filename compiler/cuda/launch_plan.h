// What a GPU would be given to run a program: docs/launch-plan.md.
#ifndef ASSAY_COMPILER_CUDA_LAUNCH_PLAN_H_
#define ASSAY_COMPILER_CUDA_LAUNCH_PLAN_H_

#include <optional>
#include <string>
#include <vector>

#include "compiler/nest/nest.h"
#include "compiler/text/cuda/cuda_text.h"
#include "core/result.h"

namespace assay::compiler {

// The plan as JSON. `complex_outputs`: which outputs are complex to whoever
// takes them. `constants`: those of the body that the nest was built from.
// `cubin`: what the PTX became, or why it became nothing.
std::string launch_plan(const Nest& nest,
                        const std::vector<bool>& complex_outputs,
                        const std::vector<Tensor>& constants,
                        const std::vector<CudaLaunch>& launches,
                        const std::string& target, const std::string& ptx,
                        const std::optional<Result<std::string>>& cubin);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_CUDA_LAUNCH_PLAN_H_
