// Executes launch plans: what the PTX machine and a GPU have in common.
#ifndef ASSAY_HARNESS_WORKERS_PLANS_RUN_PLAN_H_
#define ASSAY_HARNESS_WORKERS_PLANS_RUN_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "harness/workers/plans/launch_plan.h"
#include "ptx/text/module.h"

namespace assay::harness::worker {

// What one execution of a plan gave.
struct PlanRun {
  std::vector<Tensor> outputs;        // none where it was refused
  std::optional<PlanCheck> refusal;   // the first check that is not zero
  std::set<std::string> approximate;  // opcodes, of those that were executed
  // A device-side assertion failed: its message, file and line.
  std::string assertion;
  // What else the kernels did wrong, as one line each.
  std::vector<std::string> faults;
};

// Where a plan is executed, for one execution. Addresses are of its memory. An
// Error is the plan's fault or the device's, and ends the execution; what
// kernels do wrong goes into the PlanRun, and ends it too.
class PlanDevice {
 public:
  PlanDevice() = default;
  virtual ~PlanDevice() = default;
  PlanDevice(const PlanDevice&) = delete;
  PlanDevice& operator=(const PlanDevice&) = delete;

  // Makes a buffer that begins as `storage`, which lives as long as the device
  // does; where it is not `defined`, those bytes are poison. Gives its address,
  // a multiple of 256.
  virtual Result<std::uint64_t> add_buffer(std::size_t number,
                                           std::span<std::byte> storage,
                                           bool defined) = 0;
  // All bytes lie in one buffer, here and below. The places may overlap.
  virtual Status copy(std::uint64_t to, std::uint64_t from,
                      std::size_t bytes) = 0;
  // `bytes` is a multiple of the value's length.
  virtual Status fill(std::uint64_t to, std::size_t bytes,
                      std::span<const std::byte> value) = 0;
  virtual Status read(std::byte* to, std::uint64_t from, std::size_t bytes) = 0;

  // Returns when the kernel has ended. There is an argument for each of the
  // entry's parameters, as long as that.
  virtual Status launch(const PlanLaunch& launch, const ptx::Function& entry,
                        const std::vector<std::vector<std::byte>>& arguments,
                        PlanRun* run) = 0;
};

// Memory that nobody wrote to: NaN in every float format.
inline constexpr std::byte kPoison{0xff};

// `modules`: those of the plan, with the entries that it launches
// (check_entries). `inputs` are the storages of the program's inputs, from
// their first elements on; they hold afterwards what kernels made of them.
// Fails where the plan does not fit them or its entries, or the device does.
Result<PlanRun> run_plan(const LaunchPlan& plan,
                         const std::vector<const ptx::Module*>& modules,
                         const std::vector<std::span<std::byte>>& inputs,
                         std::byte poison, PlanDevice& device);

// Fails where the plan launches an entry that is not there.
Status check_entries(const LaunchPlan& plan,
                     const std::vector<const ptx::Module*>& modules);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_RUN_PLAN_H_
