#include "harness/judge/sharing.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "core/writes.h"

namespace assay::harness {
namespace {

// Whether two values lie in one storage; nothing where that is left open.
std::optional<bool> is_shared(const Storages& storages, ValueRef a,
                              ValueRef b) {
  if (a == b) return true;
  if (storages.root(a.id) != storages.root(b.id)) return false;
  const bool sure = storages.is_sure(a.id) && storages.is_sure(b.id);
  return sure ? std::optional<bool>(true) : std::nullopt;
}

// A value that a result may share storage with.
struct Holder {
  std::string name;
  ValueRef value;
  std::int64_t storage = 0;  // as ReturnedLayout counts them
};

}  // namespace

std::optional<SharingFault> sharing_fault(const Program& program,
                                          const Observation& observation) {
  const auto& layouts = observation.layouts;
  if (layouts.size() != program.outputs.size()) return std::nullopt;
  const Storages storages(program);
  std::vector<Holder> holders;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    if (element_count(program.inputs[i].sizes) == 0) continue;
    holders.push_back({fmt::format("input {}", i),
                       {static_cast<int>(i)},
                       static_cast<std::int64_t>(i)});
  }
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    const std::int64_t storage = layouts[k].storage;
    if (storage == kStorageUntold) return std::nullopt;
    if (observation.outputs[k].numel() == 0) continue;
    const ValueRef value = program.outputs[k];
    for (const Holder& h : holders) {
      const std::optional<bool> due = is_shared(storages, value, h.value);
      const bool is = storage == h.storage;
      if (!due || *due == is) continue;
      const std::string in = "in the storage of " + h.name;
      const std::string apart = "apart from " + h.name;
      return SharingFault{static_cast<int>(k), is ? in : apart,
                          is ? apart : in};
    }
    holders.push_back({fmt::format("out{}", k), value, storage});
  }
  return std::nullopt;
}

}  // namespace assay::harness
