// The memory and the launches of one execution of a plan on a GPU.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_CUDA_DEVICE_H_
#define ASSAY_HARNESS_WORKERS_CUDA_CUDA_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/workers/cuda/context.h"
#include "harness/workers/cuda/loaded_plan.h"
#include "harness/workers/plans/run_plan.h"

namespace assay::harness::worker::cuda {

// Every buffer is device memory of its own, with guards before and behind it:
// hardware notices an access only where it leaves all that is mapped, which a
// small step out of a small buffer does not.
class CudaDevice : public PlanDevice {
 public:
  CudaDevice(Context* context, const LoadedPlan* plan)
      : context_(context), plan_(plan) {}
  ~CudaDevice() override;

  Result<std::uint64_t> add_buffer(std::size_t number,
                                   std::span<std::byte> storage,
                                   bool defined) override;
  Status copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) override;
  Status fill(std::uint64_t to, std::size_t bytes,
              std::span<const std::byte> value) override;
  Status read(std::byte* to, std::uint64_t from, std::size_t bytes) override;
  Status launch(const PlanLaunch& launch, const ptx::Function& entry,
                const std::vector<std::vector<std::byte>>& arguments,
                PlanRun* run) override;

  // "P2: 4 bytes behind buffer 1 (8 bytes) were overwritten, the first at
  // byte 16": what kernels wrote outside of all buffers.
  Result<std::vector<std::string>> guard_breaches();

 private:
  struct Allocation {
    std::size_t number;
    std::size_t bytes;
    CUdeviceptr base;
  };
  Status upload(std::uint64_t to, std::span<const std::byte> bytes);
  Result<std::string> breach(const Allocation& a, bool behind);

  Context* context_;
  const LoadedPlan* plan_;
  std::vector<Allocation> allocations_;
};

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_CUDA_DEVICE_H_
