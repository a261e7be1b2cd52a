#include "harness/workers/cuda/loaded_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "harness/workers/plans/run_plan.h"
#include "ptx/text/parser.h"

namespace assay::harness::worker::cuda {
namespace {

constexpr std::size_t kLogBytes = 8192;

bool has_cluster(const PlanLaunch& launch) {
  return launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1};
}

bool needs_clusters(const LaunchPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) {
                       const auto* launch = std::get_if<PlanLaunch>(&step);
                       return launch != nullptr && has_cluster(*launch);
                     });
}

void* as_pointer(std::size_t value) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(value));
}

}  // namespace

Outcome<std::unique_ptr<LoadedPlan>> LoadedPlan::load(Context* context,
                                                      LaunchPlan plan) {
  std::unique_ptr<LoadedPlan> out(new LoadedPlan(context, std::move(plan)));
  const LaunchPlan& p = out->plan_;
  if (const auto why = misfit(p.target, context->facts().sm)) {
    return Failure{"unsupported", *why};
  }
  if (needs_clusters(p) && context->driver().cuLaunchKernelEx == nullptr) {
    return Failure{"unsupported",
                   "the driver cannot launch clusters; that of CUDA 11.8 can"};
  }
  for (const std::string& text : p.modules) {
    Result<ptx::Module> module = ptx::parse_module(text);
    if (!module) return Failure{"internal", module.error().message};
    out->texts_.push_back(std::move(*module));
  }
  const Status there = check_entries(p, out->modules());
  if (!there) return Failure{"internal", there.error().message};
  for (std::size_t i = 0; i < p.modules.size(); ++i) {
    const Status loaded = out->load_module(i);
    if (!loaded) return context->failure(loaded.error().message);
  }
  return out;
}

LoadedPlan::~LoadedPlan() {
  for (CUmodule module : loaded_) {
    (void)context_->driver().cuModuleUnload(module);
  }
}

std::vector<const ptx::Module*> LoadedPlan::modules() const {
  std::vector<const ptx::Module*> out;
  for (const ptx::Module& m : texts_) out.push_back(&m);
  return out;
}

Result<CUfunction> LoadedPlan::function(const PlanLaunch& launch) const {
  CUfunction found = nullptr;
  const CUresult r = context_->driver().cuModuleGetFunction(
      &found, loaded_[launch.module], launch.entry.c_str());
  if (r != kSuccess) return context_->failed(launch.entry, r);
  return found;
}

Status LoadedPlan::load_module(std::size_t number) {
  std::string why;
  for (const PlanCubin& cubin : plan_.cubins) {
    if (cubin.module != number || cubin.content.empty()) continue;
    const Status loaded =
        load_image(reinterpret_cast<const char*>(cubin.content.data()),
                   fmt::format("the machine code of module {}", number));
    if (loaded) return loaded;
    why = loaded.error().message + "; ";
    break;
  }
  const Status loaded = load_image(plan_.modules[number].c_str(),
                                   fmt::format("the PTX of module {}", number));
  if (loaded) return loaded;
  return Error{why + loaded.error().message};
}

Status LoadedPlan::load_image(const char* image, const std::string& what) {
  std::string info(kLogBytes, '\0');
  std::string errors(kLogBytes, '\0');
  std::array<int, 4> options = {kJitInfoLogBuffer, kJitInfoLogBufferSizeBytes,
                                kJitErrorLogBuffer,
                                kJitErrorLogBufferSizeBytes};
  std::array<void*, 4> values = {info.data(), as_pointer(info.size() - 1),
                                 errors.data(), as_pointer(errors.size() - 1)};
  CUmodule module = nullptr;
  const CUresult r = context_->driver().cuModuleLoadDataEx(
      &module, image, static_cast<unsigned>(options.size()), options.data(),
      values.data());
  if (r == kSuccess) {
    loaded_.push_back(module);
    return success();
  }
  const std::string log = errors.c_str();
  return context_->failed(log.empty() ? what : fmt::format("{}: {}", what, log),
                          r);
}

}  // namespace assay::harness::worker::cuda
