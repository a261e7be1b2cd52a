#include "compiler/lowering.h"

#include <unordered_map>

namespace assay::compiler {

const LoweringRow* find_lowering(std::string_view aten) {
  static const auto* const table = [] {
    auto* all = new std::unordered_map<std::string_view, const LoweringRow*>;
    for (const auto rows :
         {pointwise_rows(), activation_rows(), comparison_rows(), reduce_rows(),
          matmul_rows(), layout_rows(), network_rows()}) {
      for (const LoweringRow& row : rows) all->emplace(row.aten, &row);
    }
    return all;
  }();
  const auto found = table->find(aten);
  return found == table->end() ? nullptr : found->second;
}

NodeId operand(const Call& c, Builder& b, std::size_t i, DType t) {
  if (c.is_tensor(i)) return b.convert(c.node(i), t);
  if (c.number_kind(i) == DType::i64) return b.integer_scalar(t, c.integer(i));
  return b.scalar(t, c.number(i));
}

NodeId pointwise(const Call& c, Builder& b, ScalarOp op, DType t,
                 std::initializer_list<std::size_t> operands) {
  std::vector<NodeId> args;
  for (const std::size_t i : operands) {
    args.push_back(b.widened(operand(c, b, i, t)));
  }
  const NodeId out = b.map(op, std::move(args));
  return info(op).gives_bool ? out : b.convert(out, t);
}

}  // namespace assay::compiler
