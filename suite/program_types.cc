#include "suite/program_types.h"

#include <cstddef>
#include <map>
#include <utility>

#include "suite/bind.h"

namespace assay {
namespace {

TensorArg known(int id, const TensorType& type, const Tensor* value) {
  TensorArg arg;
  arg.type = type;
  arg.value = value;
  arg.ref = {id};
  return arg;
}

}  // namespace

Result<ProgramTypes> type_program(const SpecSet& specs, const Program& program,
                                  const std::vector<Tensor>& inputs) {
  ProgramTypes out;
  std::map<int, TensorArg> values;
  int id = 0;
  for (std::size_t n = 0; n < program.inputs.size(); ++n, ++id) {
    const Tensor* value = n < inputs.size() ? &inputs[n] : nullptr;
    values.emplace(id, known(id, program.inputs[n], value));
    out.types.push_back(program.inputs[n]);
  }
  for (const Tensor& constant : program.constants) {
    values.emplace(id, known(id, constant.type, &constant));
    out.types.push_back(constant.type);
    ++id;
  }
  std::map<int, Binding> calls;
  for (const Node& node : program.nodes) {
    if (const auto further = further_output(node)) {
      const auto call = calls.find(further->call.id);
      if (call == calls.end()) return Error{"getitem of no call"};
      const TensorArg first = values.at(further->call.id);
      Result<TensorType> type =
          bind_further(further->output, first, &call->second);
      if (!type) return type.error();
      values.emplace(id, known(id, *type, nullptr));
      out.types.push_back(std::move(*type));
      ++id;
      continue;
    }
    const OpSpec* spec = specs.find_aten(node.op);
    if (spec == nullptr) {
      return Error{"no spec for " + node.op +
                   ": write specs/ops/*.yaml for it"};
    }
    Result<Binding> binding = bind_call(*spec, node, values);
    if (!binding) return binding.error();
    const auto violated = first_violation(*binding);
    if (!violated) {
      out.undecided = true;
    } else if (*violated != nullptr) {
      out.refused = spec->name + "/" + (*violated)->id;
      return out;
    }
    const Status form = select_form(&*binding);
    if (!form) return form.error();
    Result<TensorType> type = infer_result(*binding);
    if (!type) return type.error();
    values.emplace(id, known(id, *type, nullptr));
    out.types.push_back(std::move(*type));
    calls.emplace(id, std::move(*binding));
    ++id;
  }
  return out;
}

}  // namespace assay
