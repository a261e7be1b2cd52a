// Executes launch plans on the PTX machine.
#ifndef ASSAY_HARNESS_WORKERS_PLANS_RUN_PLAN_H_
#define ASSAY_HARNESS_WORKERS_PLANS_RUN_PLAN_H_

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "harness/workers/plans/launch_plan.h"
#include "ptx/machine/machine.h"

namespace assay::harness::worker {

// What one execution of a plan gave.
struct PlanRun {
  std::vector<Tensor> outputs;        // none where it was refused
  std::optional<PlanCheck> refusal;   // the first check that is not zero
  std::set<std::string> approximate;  // opcodes that were executed
  // A device-side assertion failed: its message, file and line.
  std::string assertion;
  // What else the kernels did wrong, as one line each.
  std::vector<std::string> faults;
};

class ExecutablePlan {
 public:
  // Fails where a module is not understood, or an entry needs what the machine
  // does not have: then the message begins with "unsupported: ".
  static Result<ExecutablePlan> make(LaunchPlan plan);

  // `inputs` are the storages of the program's inputs, from their first
  // elements on; kernels may write there. Fails where the plan does not fit
  // them or its entries.
  Result<PlanRun> run(const std::vector<std::span<std::byte>>& inputs,
                      ptx::Approximation approximation) const;

  const LaunchPlan& plan() const { return plan_; }

 private:
  LaunchPlan plan_;
  std::vector<ptx::Program> programs_;
};

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_RUN_PLAN_H_
