#include "harness/faults/catalogue.h"

#include <algorithm>

namespace assay::harness::faults {
namespace {

language::SpecSet only(const language::OpSpec& op) {
  language::SpecSet specs;
  specs.ops.push_back(op);
  return specs;
}

// The name of the parameter that each operand of a call stands for, in the
// order of the operands.
std::vector<std::string> operand_names(const Node& node,
                                       const language::OpSpec& op) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < node.args.size(); ++k) {
    const std::string name = k < op.params.size() ? op.params[k].name : "";
    names.resize(names.size() + operands(node.args[k]).size(), name);
  }
  for (const auto& [name, arg] : node.kwargs) {
    names.resize(names.size() + operands(arg).size(), name);
  }
  return names;
}

}  // namespace

Definition::Definition(const language::OpSpec& op)
    : specs_(only(op)), answers_(specs_) {}

Tensor Definition::applied(const Tensor& x) {
  const std::vector<DType>& known = specs_.ops[0].dtypes.at("T").types;
  if (std::find(known.begin(), known.end(), x.dtype()) == known.end()) return x;
  answers_.forget();
  const Result<RightAnswers::Answer> answer =
      answers_.of({specs_.ops[0].aten, {ValueRef{0}}, {}}, {x}, 1);
  return answer && !answer->error ? answer->outputs[0] : x;
}

WrongImplementation::WrongImplementation(const language::FaultSpec& spec,
                                         const language::OpSpec& op)
    : spec_(spec), op_(op) {
  fault_.name = spec.name;
  fault_.spec = spec.row;
  fault_.op = spec.aten;
  const auto define = [this](const language::OpSpec* o) {
    auto& slot = definitions_[o];
    if (slot == nullptr) slot = std::make_unique<Definition>(*o);
    return slot.get();
  };
  if (spec.definition) {
    fault_.definition = &define(spec.definition.get())->answers();
  }
  if (spec.results) {
    Definition* f = define(spec.results.get());
    fault_.outputs = [f](const Call&, Outputs* outputs) {
      for (Tensor& t : *outputs) t = f->applied(t);
    };
  }
  for (const auto& [name, o] : spec.operands) define(o.get());
  if (!spec.operands.empty()) {
    fault_.operands = [this](const Node& node, std::vector<Tensor>* all) {
      change_operands(node, all);
    };
  }
  fault_.writes = spec.writes;
  fault_.memory = spec.memory;
  fault_.strides = spec.strides;
  if (spec.storage_order) {
    fault_.operands = [](const Node&, std::vector<Tensor>* all) {
      read_in_storage_order(all);
    };
  }
}

void WrongImplementation::change_operands(const Node& node,
                                          std::vector<Tensor>* operands) {
  const std::vector<std::string> names = operand_names(node, op_);
  for (std::size_t k = 0; k < operands->size(); ++k) {
    auto own = spec_.operands.find(k < names.size() ? names[k] : "");
    if (own == spec_.operands.end()) own = spec_.operands.find("");
    if (own == spec_.operands.end()) continue;
    (*operands)[k] =
        definitions_.at(own->second.get())->applied((*operands)[k]);
  }
}

}  // namespace assay::harness::faults
