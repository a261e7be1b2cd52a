#include "compiler/nest/needed.h"

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

}  // namespace assay::compiler
