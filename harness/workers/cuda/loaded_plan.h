// A launch plan whose modules the driver has loaded.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_LOADED_PLAN_H_
#define ASSAY_HARNESS_WORKERS_CUDA_LOADED_PLAN_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "harness/workers/cuda/context.h"
#include "harness/workers/plans/launch_plan.h"
#include "ptx/text/module.h"

namespace assay::harness::worker::cuda {

class LoadedPlan {
 public:
  // Each module from its machine code where the plan has that for this device,
  // else from its PTX, which the driver translates.
  static Outcome<std::unique_ptr<LoadedPlan>> load(Context* context,
                                                   LaunchPlan plan);
  ~LoadedPlan();
  LoadedPlan(const LoadedPlan&) = delete;
  LoadedPlan& operator=(const LoadedPlan&) = delete;

  const LaunchPlan& plan() const { return plan_; }
  std::vector<const ptx::Module*> modules() const;
  // Of an entry that is there (check_entries).
  Result<CUfunction> function(const PlanLaunch& launch) const;

 private:
  LoadedPlan(Context* context, LaunchPlan plan)
      : context_(context), plan_(std::move(plan)) {}
  Status load_module(std::size_t number);
  // The error holds what the driver's compiler says.
  Status load_image(const char* image, const std::string& what);

  Context* context_;
  LaunchPlan plan_;
  std::vector<ptx::Module> texts_;
  std::vector<CUmodule> loaded_;
};

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_LOADED_PLAN_H_
