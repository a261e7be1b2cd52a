// A worker whose programs are launch plans, and which executes them on a GPU.
// assay-cuda-worker starts one for each context that it needs: after an error
// that sticks to the context, the process is of no more use.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_DEVICE_HANDLER_H_
#define ASSAY_HARNESS_WORKERS_CUDA_DEVICE_HANDLER_H_

#include <memory>
#include <optional>
#include <string>

#include "harness/workers/cuda/context.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker::cuda {

// The option of compile that says that the program may return memory that it
// never wrote (aten.empty): nothing is said about such elements then.
inline constexpr const char* kMayBeUndefined = "may_be_undefined";

class DeviceHandler : public Handler {
 public:
  // Its `device` is "cuda-sm_90", its identity has "gpu" and "driver".
  Outcome<Hello> hello(const std::string& target, const Json& options) override;
  // `program` is the text of a plan. A failure "device_lost" names the driver's
  // error in `exception`.
  Outcome<std::unique_ptr<Executable>> compile(const std::string& program,
                                               const std::string& target,
                                               const Json& options) override;

 private:
  std::optional<Context> context_;
};

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_DEVICE_HANDLER_H_
