// The values that a whole call names, its keyword arguments included.
#ifndef ASSAY_CORE_OPERANDS_H_
#define ASSAY_CORE_OPERANDS_H_

#include <variant>
#include <vector>

#include "core/program.h"

namespace assay {

// Calls visit(ValueRef&) for each of them, in order, keyword arguments last.
template <class Visit>
void for_each_operand(Node* node, Visit visit) {
  const auto of = [&visit](Arg* arg) {
    if (auto* one = std::get_if<ValueRef>(arg)) visit(*one);
    if (auto* list = std::get_if<std::vector<ValueRef>>(arg)) {
      for (ValueRef& v : *list) visit(v);
    }
  };
  for (Arg& arg : node->args) of(&arg);
  for (auto& [name, arg] : node->kwargs) of(&arg);
}

// The same values, in the same order.
inline std::vector<ValueRef> operands(const Node& node) {
  std::vector<ValueRef> out;
  const auto add = [&out](const Arg& arg) {
    for (const ValueRef v : operands(arg)) out.push_back(v);
  };
  for (const Arg& arg : node.args) add(arg);
  for (const auto& [name, arg] : node.kwargs) add(arg);
  return out;
}

}  // namespace assay

#endif  // ASSAY_CORE_OPERANDS_H_
