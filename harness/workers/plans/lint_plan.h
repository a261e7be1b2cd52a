// Launch plans, looked at and not executed.
#ifndef ASSAY_HARNESS_WORKERS_PLANS_LINT_PLAN_H_
#define ASSAY_HARNESS_WORKERS_PLANS_LINT_PLAN_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "harness/workers/plans/launch_plan.h"
#include "ptx/lint/finding.h"

namespace assay::harness::worker {

struct PlanLint {
  std::vector<ptx::Finding> findings;
  // What each kernel of machine code takes, one line each.
  std::vector<std::string> resources;
};

// `program`: what the plan was compiled from. Fails where a module or a CUBIN
// is not understood.
Result<PlanLint> lint_plan(const LaunchPlan& plan, const Program& program);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_LINT_PLAN_H_
