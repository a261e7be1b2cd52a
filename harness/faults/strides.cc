#include "harness/faults/strides.h"

#include <cstddef>

#include "core/operands.h"
#include "suite/language/bind/bind_program.h"
#include "suite/language/bind/layout.h"
#include "suite/language/bind/strides.h"

namespace assay::harness::faults {
namespace {

using language::WrongStrides;

// Nothing of what another call made: how that lies is the subject's affair.
const TensorType* given(const Program& program, ValueRef v) {
  if (program.is_input(v)) {
    return &program.inputs[static_cast<std::size_t>(v.id)];
  }
  if (!program.is_constant(v)) return nullptr;
  const std::size_t k = static_cast<std::size_t>(v.id) - program.inputs.size();
  return &program.constants[k].type;
}

const TensorType* operand_of_rank(const Program& program, const Node& call,
                                  std::size_t rank) {
  for (const ValueRef v : operands(call)) {
    const TensorType* t = given(program, v);
    if (t != nullptr && t->sizes.size() == rank) return t;
  }
  return nullptr;
}

// Strides of a result of these sizes, for which `promised` are due.
Shape spoilt(const Shape& sizes, const Shape& promised,
             const TensorType* operand, WrongStrides wrong) {
  if (wrong == WrongStrides::lost) return contiguous_strides(sizes);
  if (operand == nullptr ||
      language::is_row_major({operand->sizes, operand->strides})) {
    return promised;
  }
  return language::elementwise_strides({{sizes, operand->strides}}, sizes);
}

}  // namespace

void spoil_strides(const Program& program, const std::string& aten,
                   WrongStrides wrong, const std::vector<Shape>& sizes,
                   std::vector<ReturnedLayout>* layouts) {
  if (wrong == WrongStrides::none) return;
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    if (!program.is_node(program.outputs[k])) continue;
    const Node& call = program.call(program.outputs[k]);
    if (call.op != aten) continue;
    Shape& strides = (*layouts)[k].strides;
    strides = spoilt(sizes[k], strides,
                     operand_of_rank(program, call, sizes[k].size()), wrong);
  }
}

bool shows_strides(const language::SpecSet& specs, const Program& program,
                   const std::string& aten, WrongStrides wrong) {
  const auto types = language::type_program(specs, program);
  const auto promised = language::promised_strides(specs, program);
  if (!types || !promised || !types->refused.empty()) return false;
  std::vector<Shape> sizes;
  std::vector<ReturnedLayout> layouts;
  for (std::size_t k = 0; k < promised->size(); ++k) {
    const auto id = static_cast<std::size_t>(program.outputs[k].id);
    sizes.push_back(types->types[id].sizes);
    layouts.push_back({(*promised)[k].value_or(Shape(sizes[k].size()))});
  }
  spoil_strides(program, aten, wrong, sizes, &layouts);
  for (std::size_t k = 0; k < promised->size(); ++k) {
    const language::Strides& due = (*promised)[k];
    if (due && !language::same_strides(sizes[k], *due, layouts[k].strides)) {
      return true;
    }
  }
  return false;
}

}  // namespace assay::harness::faults
