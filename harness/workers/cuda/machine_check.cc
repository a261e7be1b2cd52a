#include "harness/workers/cuda/machine_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

#include "core/float_bits.h"
#include "core/program_text.h"
#include "harness/workers/cuda/undefined_memory.h"
#include "harness/workers/plans/emulated_plan.h"
#include "ptx/text/parser.h"

namespace assay::harness::worker::cuda {
namespace {

using Outcome = MachineCheck::Outcome;

// In the order of the enumerators.
constexpr std::array<const char*, 6> kNames = {
    "same", "differs", "approximate", "unordered", "refused", "fault"};

// An instruction on f32 gives an unspecified NaN (PTX ISA 9.0, 9.7.3), one on
// f64 that of some operand, and ptxas may make one instruction of another.
bool are_nans(DType dtype, std::uint64_t a, std::uint64_t b) {
  return is_float(dtype) && is_nan_bits(dtype, a) && is_nan_bits(dtype, b);
}

void compare(const std::vector<Tensor>& machine,
             const std::vector<Tensor>& device, MachineCheck* check) {
  for (std::size_t k = 0; k < std::min(machine.size(), device.size()); ++k) {
    const Tensor of_machine = components(machine[k]);
    const Tensor of_device = components(device[k]);
    for (std::int64_t i = 0; i < of_machine.numel(); ++i) {
      ++check->elements;
      const std::uint64_t m = of_machine.bits(i);
      const std::uint64_t d = of_device.bits(i);
      if (m == d) continue;
      if (are_nans(of_machine.dtype(), m, d)) {
        ++check->payloads;
        continue;
      }
      if (check->differing++ > 0) continue;
      check->detail = fmt::format(
          "output {}, element {}: {:#x} on the machine, {:#x} on the device", k,
          i, m, d);
    }
  }
}

bool atomics_in(const LaunchPlan& plan) {
  return std::any_of(
      plan.modules.begin(), plan.modules.end(), [](const std::string& text) {
        const Result<ptx::Module> module = ptx::parse_module(text);
        return module && has_atomics({&*module});
      });
}

}  // namespace

MachineCheck check_machine(const LaunchPlan& plan,
                           std::vector<std::vector<std::byte>> inputs,
                           const std::vector<Tensor>& outputs) {
  MachineCheck check;
  const Result<EmulatedPlan> emulated = EmulatedPlan::make(plan);
  if (!emulated) return {Outcome::refused, emulated.error().message};
  const std::vector<std::span<std::byte>> spans(inputs.begin(), inputs.end());
  const Result<PlanRun> run = emulated->run(spans, ptx::Approximation::nominal);
  if (!run) return {Outcome::refused, run.error().message};
  if (!run->assertion.empty()) return {Outcome::fault, run->assertion};
  if (!run->faults.empty()) return {Outcome::fault, run->faults.front()};
  if (run->refusal) return {Outcome::fault, run->refusal->message};
  compare(run->outputs, outputs, &check);
  if (!run->approximate.empty()) {
    check.outcome = Outcome::approximate;
    check.detail = fmt::format("{}", fmt::join(run->approximate, ", "));
  } else if (check.differing > 0) {
    check.outcome = atomics_in(plan) ? Outcome::unordered : Outcome::differs;
  }
  return check;
}

Json to_json(const MachineCheck& check, const LaunchPlan& plan) {
  Json kernels = Json::array();
  for (const PlanStep& step : plan.steps) {
    if (const auto* launch = std::get_if<PlanLaunch>(&step)) {
      kernels.push_back(launch->entry);
    }
  }
  std::string text;
  for (const std::string& module : plan.modules) text += module;
  return {{"target", plan.target},
          {"ptx", fmt::format("{:016x}", fnv1a(text))},
          {"kernels", std::move(kernels)},
          {"outcome", kNames[static_cast<std::size_t>(check.outcome)]},
          {"detail", check.detail},
          {"elements", check.elements},
          {"differing", check.differing},
          {"payloads", check.payloads}};
}

}  // namespace assay::harness::worker::cuda
