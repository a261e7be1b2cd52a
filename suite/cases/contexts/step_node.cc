#include "suite/cases/contexts/step_node.h"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace assay::cases {
namespace {

// Integers alone or values alone; ATen has no other lists here.
Result<Arg> list_arg(const language::StepArgList& list,
                     const StepNames& names) {
  std::vector<ValueRef> refs;
  std::vector<std::int64_t> integers;
  for (const language::StepArg& member : list) {
    const Result<Arg> arg = step_arg(member, names);
    if (!arg) return arg.error();
    if (const auto* ref = std::get_if<ValueRef>(&*arg)) {
      refs.push_back(*ref);
    } else if (const auto* i = std::get_if<std::int64_t>(&*arg)) {
      integers.push_back(*i);
    } else {
      return Error{"a list holds tensors or integers, nothing else"};
    }
  }
  if (!refs.empty() && !integers.empty()) {
    return Error{"a list cannot hold both tensors and integers"};
  }
  if (!refs.empty()) return Arg(std::move(refs));
  return Arg(std::move(integers));
}

}  // namespace

Result<Arg> step_arg(const language::StepArg& arg, const StepNames& names) {
  if (const auto* literal = std::get_if<Arg>(&arg.value)) return *literal;
  if (const auto* list = std::get_if<language::StepArgList>(&arg.value)) {
    return list_arg(*list, names);
  }
  const std::string& name = std::get<std::string>(arg.value);
  const auto it = names.find(name);
  if (it == names.end()) {
    return Error{"'" + name + "' is no input, constant or earlier step"};
  }
  return it->second;
}

Result<Node> step_node(const language::Step& step, const StepNames& names) {
  Node node;
  node.op = step.op;
  for (const language::StepArg& a : step.args) {
    Result<Arg> arg = step_arg(a, names);
    if (!arg) return Error{step.name + ": " + arg.error().message};
    node.args.push_back(std::move(*arg));
  }
  for (const auto& [name, a] : step.kwargs) {
    Result<Arg> arg = step_arg(a, names);
    if (!arg) return Error{step.name + ": " + arg.error().message};
    node.kwargs.emplace_back(name, std::move(*arg));
  }
  return node;
}

}  // namespace assay::cases
