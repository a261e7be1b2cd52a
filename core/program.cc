#include "core/program.h"

#include <algorithm>

#include "core/operands.h"

namespace assay {
namespace {

// Values of one packed program are renumbered because all inputs come first,
// then all constants, then all nodes.
struct Renumber {
  const Program* program;
  int input_base;
  int constant_base;
  int node_base;

  ValueRef operator()(ValueRef v) const {
    const int inputs = static_cast<int>(program->inputs.size());
    if (program->is_input(v)) return {v.id + input_base};
    if (program->is_constant(v)) return {v.id - inputs + constant_base};
    return {v.id - program->first_node_id() + node_base};
  }
};

}  // namespace

std::vector<ValueRef> operands(const Arg& arg) {
  if (const auto* one = std::get_if<ValueRef>(&arg)) return {*one};
  if (const auto* list = std::get_if<std::vector<ValueRef>>(&arg)) {
    return *list;
  }
  return {};
}

std::optional<FurtherOutput> further_output(const Node& node) {
  if (node.op != kGetitem || node.args.size() != 2) return std::nullopt;
  const auto* call = std::get_if<ValueRef>(&node.args[0]);
  const auto* output = std::get_if<std::int64_t>(&node.args[1]);
  if (call == nullptr || output == nullptr || *output < 1) return std::nullopt;
  return FurtherOutput{*call, static_cast<std::size_t>(*output)};
}

const Node& Program::call(ValueRef v) const {
  const Node& own = node(v);
  const auto further = further_output(own);
  const bool known =
      further && is_node(further->call) && further->call.id < v.id;
  return known ? node(further->call) : own;
}

std::size_t output_count(const Program& program, ValueRef call) {
  std::size_t count = 1;
  for (const Node& node : program.nodes) {
    const auto further = further_output(node);
    if (further && further->call == call) {
      count = std::max(count, further->output + 1);
    }
  }
  return count;
}

std::optional<ValueRef> output_value(const Program& program, ValueRef call,
                                     std::size_t output) {
  if (output == 0) return call;
  for (int id = call.id + 1; id < program.value_count(); ++id) {
    const auto further = further_output(program.node({id}));
    if (further && further->call == call && further->output == output) {
      return ValueRef{id};
    }
  }
  return std::nullopt;
}

std::vector<ValueRef> add_further_outputs(std::size_t count, Program* program) {
  std::vector<ValueRef> added;
  const ValueRef call{program->value_count() - 1};
  for (std::size_t k = 1; k < count; ++k) {
    added.push_back({program->value_count()});
    program->nodes.push_back(
        {std::string(kGetitem), {call, static_cast<std::int64_t>(k)}, {}});
  }
  return added;
}

Program pack(const std::vector<const Program*>& programs) {
  Program out;
  if (!programs.empty()) out.device = programs.front()->device;
  for (const Program* p : programs) {
    out.inputs.insert(out.inputs.end(), p->inputs.begin(), p->inputs.end());
    out.constants.insert(out.constants.end(), p->constants.begin(),
                         p->constants.end());
  }
  Renumber renumber{nullptr, 0, static_cast<int>(out.inputs.size()),
                    out.first_node_id()};
  for (const Program* p : programs) {
    renumber.program = p;
    for (const Node& node : p->nodes) {
      Node copy = node;
      for_each_operand(&copy, [&](ValueRef& v) { v = renumber(v); });
      out.nodes.push_back(std::move(copy));
    }
    for (const ValueRef v : p->outputs) out.outputs.push_back(renumber(v));
    renumber.input_base += static_cast<int>(p->inputs.size());
    renumber.constant_base += static_cast<int>(p->constants.size());
    renumber.node_base += static_cast<int>(p->nodes.size());
  }
  return out;
}

}  // namespace assay
