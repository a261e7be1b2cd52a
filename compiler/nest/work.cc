#include "compiler/nest/work.h"

namespace assay::compiler {

std::int64_t terms_of(const NodeKernel& k) {
  std::int64_t terms = 1;
  if (k.node.op == Op::formula) terms = work_of(*k.node.formula);
  if (k.node.op == Op::scatter) return element_count(k.operand_sizes[1]);
  if (k.node.op == Op::order) return 16 * element_count(k.operand_sizes[0]);
  if (k.node.op == Op::matmul) terms = k.operand_sizes[0][2];
  if (k.node.op == Op::convolve) {
    terms = element_count(k.operand_sizes[1]) / k.operand_sizes[1][0];
  }
  return element_count(k.node.type.sizes) * terms;
}

std::int64_t work_of(const Nest& nest) {
  std::int64_t sum = 0;
  for (const Kernel& k : nest.kernels) {
    if (const auto* loops = std::get_if<LoopKernel>(&k)) {
      sum += element_count(loops->extents()) *
             static_cast<std::int64_t>(loops->stages.size());
    } else {
      sum += terms_of(std::get<NodeKernel>(k));
    }
  }
  return sum;
}

}  // namespace assay::compiler
