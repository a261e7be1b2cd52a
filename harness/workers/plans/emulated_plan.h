// Launch plans on the PTX machine.
#ifndef ASSAY_HARNESS_WORKERS_PLANS_EMULATED_PLAN_H_
#define ASSAY_HARNESS_WORKERS_PLANS_EMULATED_PLAN_H_

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"
#include "harness/workers/plans/launch_plan.h"
#include "harness/workers/plans/run_plan.h"
#include "ptx/machine/machine.h"

namespace assay::harness::worker {

class EmulatedPlan {
 public:
  // Fails where a module is not understood, or an entry needs what the machine
  // does not have: then the message begins with "unsupported: ".
  static Result<EmulatedPlan> make(LaunchPlan plan);

  // As run_plan. What a device has recorded counts before `approximation`.
  Result<PlanRun> run(const std::vector<std::span<std::byte>>& inputs,
                      ptx::Approximation approximation,
                      const ptx::RecordedResults* recorded = nullptr) const;

 private:
  LaunchPlan plan_;
  std::vector<ptx::Program> programs_;
};

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_EMULATED_PLAN_H_
