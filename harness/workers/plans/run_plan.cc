#include "harness/workers/plans/run_plan.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>

namespace assay::harness::worker {
namespace {

constexpr std::size_t kAddressBytes = 8;

ptx::Dim3 dim3(const std::array<std::uint32_t, 3>& counts) {
  return {counts[0], counts[1], counts[2]};
}

// One execution: the buffers and the machine that sees them.
class Execution {
 public:
  Execution(const LaunchPlan& plan, const std::vector<ptx::Program>& programs,
            ptx::Approximation approximation)
      : plan_(plan), programs_(programs) {
    options_.approximation = approximation;
    // Compilers convert in pairs of which they store one, so an undefined half
    // says nothing. Memory that nobody wrote to is NaN, which results show.
    options_.find_uninitialised = false;
  }

  Result<PlanRun> run(const std::vector<std::span<std::byte>>& inputs) {
    if (const Status placed = add_buffers(inputs); !placed) {
      return placed.error();
    }
    for (const PlanStep& step : plan_.steps) {
      const Status taken =
          std::visit([this](const auto& s) { return take(s); }, step);
      if (!taken) return taken.error();
      if (!out_.assertion.empty() || !out_.faults.empty()) return out_;
    }
    for (const PlanCheck& check : plan_.checks) {
      const std::byte* at = host(check.at, sizeof(std::uint32_t));
      if (at == nullptr) return outside("a check", check.at);
      std::uint32_t word = 0;
      std::memcpy(&word, at, sizeof word);
      if (word == 0) continue;
      out_.refusal = check;
      return out_;
    }
    return give();
  }

 private:
  Status add_buffers(const std::vector<std::span<std::byte>>& inputs) {
    storages_.resize(plan_.buffers.size());
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer& buffer = plan_.buffers[i];
      std::span<std::byte> bytes;
      auto contents = ptx::Contents::defined;
      if (buffer.kind == PlanBuffer::Kind::input) {
        if (buffer.index >= inputs.size()) {
          return Error{
              fmt::format("launch plan: there is no input {}", buffer.index)};
        }
        bytes = inputs[buffer.index];
      } else {
        storages_[i] = buffer.kind == PlanBuffer::Kind::constant
                           ? buffer.content
                           : std::vector<std::byte>(
                                 buffer.bytes, buffer.fill.value_or(kPoison));
        bytes = storages_[i];
        if (buffer.kind != PlanBuffer::Kind::constant && !buffer.fill) {
          contents = ptx::Contents::undefined;
        }
      }
      sizes_.push_back(bytes.size());
      addresses_.push_back(
          machine_.add_buffer(fmt::format("buffer {}", i), bytes, contents));
    }
    return success();
  }

  std::uint64_t address(const PlanPlace& place) const {
    return addresses_[place.buffer] + static_cast<std::uint64_t>(place.offset);
  }

  // Null where the bytes are not all in the buffer.
  std::byte* host(const PlanPlace& place, std::size_t bytes) {
    if (place.offset < 0 ||
        static_cast<std::size_t>(place.offset) > sizes_[place.buffer] ||
        bytes > sizes_[place.buffer] - static_cast<std::size_t>(place.offset)) {
      return nullptr;
    }
    return machine_.host(address(place), bytes);
  }

  static Error outside(const char* what, const PlanPlace& place) {
    return Error{
        fmt::format("launch plan: {} lies outside of buffer {}, at byte {}",
                    what, place.buffer, place.offset)};
  }

  Status take(const PlanCopy& copy) {
    if (copy.bytes == 0) return success();
    const std::byte* from = host(copy.from, copy.bytes);
    if (from == nullptr) return outside("a copy's source", copy.from);
    std::byte* to = host(copy.to, copy.bytes);
    if (to == nullptr) return outside("a copy's place", copy.to);
    std::memmove(to, from, copy.bytes);
    machine_.mark(address(copy.to), copy.bytes, ptx::Contents::defined);
    return success();
  }

  Status take(const PlanFill& fill) {
    if (fill.bytes == 0) return success();
    std::byte* to = host(fill.at, fill.bytes);
    if (to == nullptr) return outside("a fill", fill.at);
    for (std::size_t i = 0; i < fill.bytes; i += fill.value.size()) {
      std::memcpy(to + i, fill.value.data(), fill.value.size());
    }
    machine_.mark(address(fill.at), fill.bytes, ptx::Contents::defined);
    return success();
  }

  Status take(const PlanLaunch& launch) {
    const ptx::Program& program = programs_[launch.module];
    auto arguments = arguments_of(launch, *program.module().find(launch.entry));
    if (!arguments) return arguments.error();
    const ptx::LaunchShape shape = {dim3(launch.grid), dim3(launch.block),
                                    launch.shared, dim3(launch.cluster)};
    auto report =
        machine_.launch(program, launch.entry, shape, *arguments, options_);
    if (!report) return report.error();
    for (const auto& [opcode, count] : report->approximate) {
      out_.approximate.insert(opcode);
    }
    for (const ptx::Fault& fault : report->faults) {
      if (fault.kind == ptx::FaultKind::assertion) {
        out_.assertion = fault.text();
      } else {
        out_.faults.push_back(fault.text());
      }
    }
    return success();
  }

  // Laid out as the entry's parameters are declared.
  Result<std::vector<std::byte>> arguments_of(const PlanLaunch& launch,
                                              const ptx::Function& entry) {
    if (launch.arguments.size() != entry.parameters.size()) {
      return Error{fmt::format(
          "launch plan: {} has {} parameters, {} are given", launch.entry,
          entry.parameters.size(), launch.arguments.size())};
    }
    std::vector<std::byte> out;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const ptx::Variable& parameter = entry.parameters[i];
      while (out.size() % parameter.align != 0) out.push_back({});
      std::vector<std::byte> bytes;
      if (const auto* place = std::get_if<PlanPlace>(&launch.arguments[i])) {
        const std::uint64_t where = address(*place);
        bytes.resize(kAddressBytes);
        std::memcpy(bytes.data(), &where, kAddressBytes);
      } else {
        bytes = std::get<std::vector<std::byte>>(launch.arguments[i]);
      }
      if (bytes.size() != parameter.bytes) {
        return Error{fmt::format(
            "launch plan: parameter {} of {} has {} bytes, {} are given", i,
            launch.entry, parameter.bytes, bytes.size())};
      }
      out.insert(out.end(), bytes.begin(), bytes.end());
    }
    return out;
  }

  Result<PlanRun> give() {
    for (const PlanOutput& o : plan_.outputs) {
      const auto bytes =
          static_cast<std::size_t>(o.type.span() * size_bytes(o.type.dtype));
      Tensor tensor = Tensor::strided(o.type);
      if (bytes > 0) {
        const std::byte* from = host(o.at, bytes);
        if (from == nullptr) {
          // Memory of others, on a device.
          out_.faults.push_back(outside("an output", o.at).message);
          return out_;
        }
        std::memcpy(tensor.storage->data(), from, bytes);
      }
      out_.outputs.push_back(std::move(tensor));
    }
    return out_;
  }

  // Memory that nobody wrote to: NaN in every float format.
  static constexpr std::byte kPoison{0xff};

  const LaunchPlan& plan_;
  const std::vector<ptx::Program>& programs_;
  ptx::LaunchOptions options_;
  ptx::Machine machine_;
  std::vector<std::vector<std::byte>> storages_;  // of what is no input
  std::vector<std::size_t> sizes_;
  std::vector<std::uint64_t> addresses_;
  PlanRun out_;
};

}  // namespace

Result<ExecutablePlan> ExecutablePlan::make(LaunchPlan plan) {
  ExecutablePlan out;
  for (const std::string& text : plan.modules) {
    auto program = ptx::Program::load(text);
    if (!program) return program.error();
    out.programs_.push_back(std::move(*program));
  }
  for (const PlanStep& step : plan.steps) {
    const auto* launch = std::get_if<PlanLaunch>(&step);
    if (launch == nullptr) continue;
    const ptx::Program& program = out.programs_[launch->module];
    const ptx::Function* entry = program.module().find(launch->entry);
    if (entry == nullptr || !entry->is_entry) {
      return Error{fmt::format("launch plan: module {} has no entry {}",
                               launch->module, launch->entry)};
    }
    const Status runs = program.check(launch->entry);
    if (!runs) return runs.error();
  }
  out.plan_ = std::move(plan);
  return out;
}

Result<PlanRun> ExecutablePlan::run(
    const std::vector<std::span<std::byte>>& inputs,
    ptx::Approximation approximation) const {
  return Execution(plan_, programs_, approximation).run(inputs);
}

}  // namespace assay::harness::worker
