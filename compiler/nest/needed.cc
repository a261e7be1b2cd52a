#include "compiler/nest/needed.h"

#include <utility>

namespace assay::compiler {

void mark_needed(const LoopKernel& k, int id, std::vector<bool>* needed) {
  const auto place = static_cast<std::size_t>(id);
  if ((*needed)[place]) return;
  (*needed)[place] = true;
  for (const int a : k.values[place].args) mark_needed(k, a, needed);
}

std::vector<bool> needed_by(const LoopKernel& k, const Stage& s) {
  std::vector<bool> needed(k.values.size(), false);
  mark_needed(k, s.value, &needed);
  return needed;
}

std::vector<bool> needed_by_any(const LoopKernel& k) {
  std::vector<bool> needed(k.values.size(), false);
  for (const Stage& s : k.stages) mark_needed(k, s.value, &needed);
  return needed;
}

void drop_unneeded(LoopKernel* k) {
  const std::vector<bool> needed = needed_by_any(*k);
  std::vector<int> renamed(k->values.size(), -1);
  std::vector<Value> kept;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    renamed[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(k->values[i]));
    for (int& a : kept.back().args) a = renamed[static_cast<std::size_t>(a)];
  }
  k->values = std::move(kept);
  for (Stage& s : k->stages) {
    s.value = renamed[static_cast<std::size_t>(s.value)];
  }
}

}  // namespace assay::compiler
