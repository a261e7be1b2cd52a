#include "ptx/machine/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ptx/machine/program.h"

namespace assay::ptx {
namespace {

std::uint64_t address_of(std::size_t index) {
  return (index + kFirstBufferRegion) << kRegionShift;
}

}  // namespace

std::uint64_t Memory::add(Buffer buffer) {
  buffers_.push_back(std::move(buffer));
  return address_of(buffers_.size() - 1);
}

void Memory::clear() {
  buffers_.clear();
  races_.clear();
  instances_.clear();
}

const std::vector<std::uint64_t>& Memory::variables_of(
    const std::shared_ptr<const CompiledModule>& module) {
  auto [place, is_new] = instances_.try_emplace(module.get());
  Instance& instance = place->second;
  if (!is_new) return instance.addresses;
  instance.module = module;
  const auto& variables = module->module.variables;
  for (const Variable& v : variables) {
    if (v.space != Space::global && v.space != Space::constant) {
      instance.addresses.push_back(0);
      continue;
    }
    auto& bytes = instance.storage.emplace_back(new std::byte[v.bytes + 1]());
    std::copy(v.initial.begin(), v.initial.end(), bytes.get());
    Buffer buffer;
    buffer.name = v.name;
    buffer.data = bytes.get();
    buffer.bytes = v.bytes;
    buffer.writable = v.space == Space::global;
    instance.addresses.push_back(add(std::move(buffer)));
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    for (const Variable::Address& a : variables[i].addresses) {
      auto target = module->globals.find(a.symbol);
      if (target == module->globals.end()) continue;
      std::uint64_t value = instance.addresses[target->second] +
                            static_cast<std::uint64_t>(a.offset);
      std::memcpy(find(instance.addresses[i])->data + a.at, &value, a.width);
    }
  }
  return instance.addresses;
}

}  // namespace assay::ptx
