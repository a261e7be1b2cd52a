#include "harness/workers/plans/emulated_plan.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>

namespace assay::harness::worker {
namespace {

ptx::Dim3 dim3(const std::array<std::uint32_t, 3>& counts) {
  return {counts[0], counts[1], counts[2]};
}

class EmulatedDevice : public PlanDevice {
 public:
  EmulatedDevice(const std::vector<ptx::Program>& programs,
                 ptx::Approximation approximation,
                 const ptx::RecordedResults* recorded)
      : programs_(programs) {
    options_.approximation = approximation;
    options_.recorded = recorded;
    // Compilers convert in pairs of which they store one, so an undefined half
    // says nothing. Memory that nobody wrote to is NaN, which results show.
    options_.find_uninitialised = false;
  }

  Result<std::uint64_t> add_buffer(std::size_t number,
                                   std::span<std::byte> storage,
                                   bool defined) override {
    return machine_.add_buffer(
        fmt::format("buffer {}", number), storage,
        defined ? ptx::Contents::defined : ptx::Contents::undefined);
  }

  Status copy(std::uint64_t to, std::uint64_t from,
              std::size_t bytes) override {
    std::memmove(machine_.host(to, bytes), machine_.host(from, bytes), bytes);
    machine_.mark(to, bytes, ptx::Contents::defined);
    return success();
  }

  Status fill(std::uint64_t to, std::size_t bytes,
              std::span<const std::byte> value) override {
    std::byte* at = machine_.host(to, bytes);
    for (std::size_t i = 0; i < bytes; i += value.size()) {
      std::memcpy(at + i, value.data(), value.size());
    }
    machine_.mark(to, bytes, ptx::Contents::defined);
    return success();
  }

  Status read(std::byte* to, std::uint64_t from, std::size_t bytes) override {
    // Inputs are where kernels have written to.
    const std::byte* at = bytes == 0 ? to : machine_.host(from, bytes);
    if (at != to) std::memcpy(to, at, bytes);
    return success();
  }

  Status launch(const PlanLaunch& launch, const ptx::Function& entry,
                const std::vector<std::vector<std::byte>>& arguments,
                PlanRun* run) override {
    std::vector<std::byte> laid_out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      while (laid_out.size() % entry.parameters[i].align != 0) {
        laid_out.push_back({});
      }
      laid_out.insert(laid_out.end(), arguments[i].begin(), arguments[i].end());
    }
    const ptx::LaunchShape shape = {dim3(launch.grid), dim3(launch.block),
                                    launch.shared, dim3(launch.cluster)};
    auto report = machine_.launch(programs_[launch.module], launch.entry, shape,
                                  laid_out, options_);
    if (!report) return report.error();
    for (const auto& [opcode, count] : report->approximate) {
      run->approximate.insert(opcode);
    }
    for (const ptx::Fault& fault : report->faults) {
      if (fault.kind == ptx::FaultKind::assertion) {
        run->assertion = fault.text();
      } else {
        run->faults.push_back(fault.text());
      }
    }
    return success();
  }

 private:
  const std::vector<ptx::Program>& programs_;
  ptx::LaunchOptions options_;
  ptx::Machine machine_;
};

std::vector<const ptx::Module*> modules_of(
    const std::vector<ptx::Program>& programs) {
  std::vector<const ptx::Module*> out;
  for (const ptx::Program& p : programs) out.push_back(&p.module());
  return out;
}

}  // namespace

Result<EmulatedPlan> EmulatedPlan::make(LaunchPlan plan) {
  EmulatedPlan out;
  for (const std::string& text : plan.modules) {
    auto program = ptx::Program::load(text);
    if (!program) return program.error();
    out.programs_.push_back(std::move(*program));
  }
  const Status there = check_entries(plan, modules_of(out.programs_));
  if (!there) return there.error();
  for (const PlanStep& step : plan.steps) {
    const auto* launch = std::get_if<PlanLaunch>(&step);
    if (launch == nullptr) continue;
    const Status runs = out.programs_[launch->module].check(launch->entry);
    if (!runs) return runs.error();
  }
  out.plan_ = std::move(plan);
  return out;
}

Result<PlanRun> EmulatedPlan::run(
    const std::vector<std::span<std::byte>>& inputs,
    ptx::Approximation approximation,
    const ptx::RecordedResults* recorded) const {
  EmulatedDevice device(programs_, approximation, recorded);
  return run_plan(plan_, modules_of(programs_), inputs, kPoison, device);
}

}  // namespace assay::harness::worker
