#include "harness/workers/plans/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <variant>

namespace assay::harness::worker {
namespace {

constexpr std::size_t kAddressBytes = 8;

class Execution {
 public:
  Execution(const LaunchPlan& plan,
            const std::vector<const ptx::Module*>& modules,
            const std::vector<std::span<std::byte>>& inputs, std::byte poison,
            PlanDevice& device)
      : plan_(plan),
        modules_(modules),
        inputs_(inputs),
        poison_(poison),
        device_(device) {}

  Result<PlanRun> run() {
    if (const Status placed = add_buffers(); !placed) return placed.error();
    for (const PlanStep& step : plan_.steps) {
      const Status taken =
          std::visit([this](const auto& s) { return take(s); }, step);
      if (!taken) return taken.error();
      if (!out_.assertion.empty() || !out_.faults.empty()) return out_;
    }
    for (const auto& [input, buffer] : buffer_of_input_) {
      const Status back = device_.read(inputs_[input].data(),
                                       addresses_[buffer], sizes_[buffer]);
      if (!back) return back.error();
    }
    for (const PlanCheck& check : plan_.checks) {
      std::uint32_t word = 0;
      if (!inside(check.at, sizeof word)) return outside("a check", check.at);
      const Status back = device_.read(reinterpret_cast<std::byte*>(&word),
                                       address(check.at), sizeof word);
      if (!back) return back.error();
      if (word == 0) continue;
      out_.refusal = check;
      return out_;
    }
    return give();
  }

 private:
  Status add_buffers() {
    storages_.resize(plan_.buffers.size());
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer& buffer = plan_.buffers[i];
      bool defined = true;
      std::span<std::byte> bytes;
      if (buffer.kind == PlanBuffer::Kind::input) {
        if (buffer.index >= inputs_.size()) {
          return Error{
              fmt::format("launch plan: there is no input {}", buffer.index)};
        }
        bytes = inputs_[buffer.index];
        // An input that is named twice is one piece of memory.
        const auto [first, fresh] = buffer_of_input_.emplace(buffer.index, i);
        if (!fresh) {
          sizes_.push_back(bytes.size());
          addresses_.push_back(addresses_[first->second]);
          continue;
        }
      } else {
        const bool constant = buffer.kind == PlanBuffer::Kind::constant;
        defined = constant || buffer.fill;
        storages_[i] = constant
                           ? buffer.content
                           : std::vector<std::byte>(
                                 buffer.bytes, buffer.fill.value_or(poison_));
        bytes = storages_[i];
      }
      const auto added = device_.add_buffer(i, bytes, defined);
      if (!added) return added.error();
      sizes_.push_back(bytes.size());
      addresses_.push_back(*added);
    }
    return success();
  }

  std::uint64_t address(const PlanPlace& place) const {
    return addresses_[place.buffer] + static_cast<std::uint64_t>(place.offset);
  }

  bool inside(const PlanPlace& place, std::size_t bytes) const {
    return place.offset >= 0 &&
           static_cast<std::size_t>(place.offset) <= sizes_[place.buffer] &&
           bytes <=
               sizes_[place.buffer] - static_cast<std::size_t>(place.offset);
  }

  static Error outside(const char* what, const PlanPlace& place) {
    return Error{
        fmt::format("launch plan: {} lies outside of buffer {}, at byte {}",
                    what, place.buffer, place.offset)};
  }

  Status take(const PlanCopy& copy) {
    if (copy.bytes == 0) return success();
    if (!inside(copy.from, copy.bytes)) {
      return outside("a copy's source", copy.from);
    }
    if (!inside(copy.to, copy.bytes)) return outside("a copy's place", copy.to);
    return device_.copy(address(copy.to), address(copy.from), copy.bytes);
  }

  Status take(const PlanFill& fill) {
    if (fill.bytes == 0) return success();
    if (!inside(fill.at, fill.bytes)) return outside("a fill", fill.at);
    return device_.fill(address(fill.at), fill.bytes, fill.value);
  }

  Status take(const PlanLaunch& launch) {
    // Launchers pass over an empty grid, which a driver would refuse.
    if (std::count(launch.grid.begin(), launch.grid.end(), 0u) > 0) {
      return success();
    }
    const ptx::Function& entry = *modules_[launch.module]->find(launch.entry);
    auto arguments = arguments_of(launch, entry);
    if (!arguments) return arguments.error();
    return device_.launch(launch, entry, *arguments, &out_);
  }

  Result<std::vector<std::vector<std::byte>>> arguments_of(
      const PlanLaunch& launch, const ptx::Function& entry) const {
    if (launch.arguments.size() != entry.parameters.size()) {
      return Error{fmt::format(
          "launch plan: {} has {} parameters, {} are given", launch.entry,
          entry.parameters.size(), launch.arguments.size())};
    }
    std::vector<std::vector<std::byte>> out;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      std::vector<std::byte> bytes;
      if (const auto* place = std::get_if<PlanPlace>(&launch.arguments[i])) {
        const std::uint64_t where = address(*place);
        bytes.resize(kAddressBytes);
        std::memcpy(bytes.data(), &where, kAddressBytes);
      } else {
        bytes = std::get<std::vector<std::byte>>(launch.arguments[i]);
      }
      if (bytes.size() != entry.parameters[i].bytes) {
        return Error{fmt::format(
            "launch plan: parameter {} of {} has {} bytes, {} are given", i,
            launch.entry, entry.parameters[i].bytes, bytes.size())};
      }
      out.push_back(std::move(bytes));
    }
    return out;
  }

  Result<PlanRun> give() {
    for (const PlanOutput& o : plan_.outputs) {
      const auto bytes =
          static_cast<std::size_t>(o.type.span() * size_bytes(o.type.dtype));
      Tensor tensor = Tensor::strided(o.type);
      if (bytes > 0) {
        if (!inside(o.at, bytes)) {
          // Memory of others, on a device.
          out_.faults.push_back(outside("an output", o.at).message);
          return out_;
        }
        const Status back =
            device_.read(tensor.storage->data(), address(o.at), bytes);
        if (!back) return back.error();
      }
      out_.outputs.push_back(std::move(tensor));
    }
    return out_;
  }

  const LaunchPlan& plan_;
  const std::vector<const ptx::Module*>& modules_;
  const std::vector<std::span<std::byte>>& inputs_;
  std::byte poison_;
  PlanDevice& device_;
  std::vector<std::vector<std::byte>> storages_;  // of what is no input
  std::map<std::size_t, std::size_t> buffer_of_input_;
  std::vector<std::size_t> sizes_;
  std::vector<std::uint64_t> addresses_;
  PlanRun out_;
};

}  // namespace

Result<PlanRun> run_plan(const LaunchPlan& plan,
                         const std::vector<const ptx::Module*>& modules,
                         const std::vector<std::span<std::byte>>& inputs,
                         std::byte poison, PlanDevice& device) {
  return Execution(plan, modules, inputs, poison, device).run();
}

Status check_entries(const LaunchPlan& plan,
                     const std::vector<const ptx::Module*>& modules) {
  for (const PlanStep& step : plan.steps) {
    const auto* launch = std::get_if<PlanLaunch>(&step);
    if (launch == nullptr) continue;
    const ptx::Function* entry = modules[launch->module]->find(launch->entry);
    if (entry == nullptr || !entry->is_entry) {
      return Error{fmt::format("launch plan: module {} has no entry {}",
                               launch->module, launch->entry)};
    }
  }
  return success();
}

}  // namespace assay::harness::worker
