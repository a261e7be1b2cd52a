#include "reference/planner.h"

#include <algorithm>
#include <set>

#include "reference/compile.h"

namespace assay::reference {
namespace {

std::vector<ValueRef> operands_of(const Node& node) {
  std::vector<ValueRef> all;
  const auto take = [&all](const Arg& a) {
    const std::vector<ValueRef> refs = operands(a);
    all.insert(all.end(), refs.begin(), refs.end());
  };
  for (const Arg& a : node.args) take(a);
  for (const auto& [name, a] : node.kwargs) take(a);
  return all;
}

// The operands of which a requirement reads elements.
std::set<int> read_operands(const OpSpec& spec, const Node& call) {
  std::set<int> ids;
  const auto take = [&](const Param& param, const Arg& a) {
    if (!param.elements_read) return;
    for (const ValueRef ref : operands(a)) ids.insert(ref.id);
  };
  const std::size_t positional = std::min(call.args.size(), spec.params.size());
  for (std::size_t n = 0; n < positional; ++n) {
    take(spec.params[n], call.args[n]);
  }
  for (const auto& [name, a] : call.kwargs) {
    if (const Param* p = spec.param(name)) take(*p, a);
  }
  return ids;
}

GoldenError refusal(const OpSpec& spec, const Requirement& r) {
  return {spec.name + "/" + r.id, r.raises, r.message, r.phase};
}

class Planner {
 public:
  Planner(const Program& program, const std::vector<Tensor>& inputs,
          const SpecSet& specs, const ElementReader& reader,
          PlannedProgram* out)
      : program_(program),
        inputs_(inputs),
        specs_(specs),
        reader_(reader),
        out_(*out) {}

  Status run(const std::map<int, Tensor>& observed) {
    const auto total = static_cast<std::size_t>(program_.value_count());
    out_.plans.resize(program_.nodes.size());
    out_.types.resize(total);
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      out_.types[i] = program_.inputs[i];
    }
    for (std::size_t i = 0; i < program_.constants.size(); ++i) {
      out_.types[program_.inputs.size() + i] = program_.constants[i].type;
    }
    for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
      const int id = program_.first_node_id() + static_cast<int>(n);
      const Status s = node(program_.nodes[n], id, n);
      if (!s) {
        return Error{"%" + std::to_string(id) + " = " + program_.nodes[n].op +
                     ": " + s.error().message};
      }
      if (out_.refused) return success();
      const auto seen = observed.find(id);
      if (seen == observed.end()) continue;
      const TensorType& type = out_.types[static_cast<std::size_t>(id)];
      if (seen->second.dtype() != type.dtype ||
          seen->second.sizes() != type.sizes) {
        return Error{"the observed value of %" + std::to_string(id) +
                     " does not have the node's dtype and sizes"};
      }
    }
    return success();
  }

 private:
  const Tensor* elements_of(int id, bool needed) {
    const ValueRef ref{id};
    const auto n = static_cast<std::size_t>(id);
    if (program_.is_input(ref)) return &inputs_[n];
    if (program_.is_constant(ref)) {
      return &program_.constants[n - program_.inputs.size()];
    }
    if (!needed) return nullptr;
    std::optional<Tensor> t = reader_(id, out_.types[n]);
    if (!t) return nullptr;
    out_.read.push_back(std::make_unique<Tensor>(std::move(*t)));
    return out_.read.back().get();
  }

  // A further output: the call's own binding, with its first output in scope.
  Status output(const FurtherOutput& further, int id, std::size_t n) {
    const auto call =
        static_cast<std::size_t>(further.call.id - program_.first_node_id());
    if (!program_.is_node(further.call) || call >= n ||
        out_.plans[call] == nullptr) {
      return Error{"getitem of no call before it"};
    }
    Binding bound = out_.plans[call]->binding;
    TensorArg first;
    first.type = out_.types[static_cast<std::size_t>(further.call.id)];
    first.ref = further.call;
    Result<TensorType> type =
        bind_further(further.output, std::move(first), &bound);
    if (!type) return type.error();
    return plan(std::move(bound), std::move(*type), id, n, further.output);
  }

  Status plan(Binding bound, TensorType type, int id, std::size_t n,
              std::size_t output) {
    out_.types[static_cast<std::size_t>(id)] = type;
    Result<std::unique_ptr<NodePlan>> plan =
        compile_plan(std::move(bound), std::move(type), id, output, out_.torch);
    if (!plan) return plan.error();
    out_.plans[n] = std::move(*plan);
    return success();
  }

  Status node(const Node& call, int id, std::size_t n) {
    if (const auto further = further_output(call)) {
      return output(*further, id, n);
    }
    const OpSpec* spec = specs_.find_aten(call.op);
    if (spec == nullptr) {
      return Error{"no spec describes this operation; add one to specs/ops"};
    }
    const std::set<int> read = read_operands(*spec, call);
    std::map<int, TensorArg> values;
    for (const ValueRef ref : operands_of(call)) {
      if (ref.id < 0 || ref.id >= id) return Error{"an operand is not defined"};
      values[ref.id] = {out_.types[static_cast<std::size_t>(ref.id)],
                        elements_of(ref.id, read.contains(ref.id)), ref};
    }
    Result<Binding> bound = bind_call(*spec, call, values);
    if (!bound) return bound.error();
    Result<const Requirement*> broken = first_violation(*bound);
    if (!broken) return broken.error();
    if (*broken != nullptr) {
      out_.refused = refusal(*spec, **broken);
      return success();
    }
    const Status formed = select_form(&*bound);
    if (!formed) return formed;
    Result<TensorType> type = infer_result(*bound);
    if (!type) return type.error();
    if ((spec->output_count() > 1) != (output_count(program_, {id}) > 1)) {
      return Error{"it has " + std::to_string(spec->output_count()) +
                   " outputs, which the program does not name"};
    }
    return plan(std::move(*bound), std::move(*type), id, n, 0);
  }

  const Program& program_;
  const std::vector<Tensor>& inputs_;
  const SpecSet& specs_;
  const ElementReader& reader_;
  PlannedProgram& out_;
};

}  // namespace

Status plan_program(const Program& program, const std::vector<Tensor>& inputs,
                    const SpecSet& specs, const std::map<int, Tensor>& observed,
                    const ElementReader& reader, PlannedProgram* out) {
  return Planner(program, inputs, specs, reader, out).run(observed);
}

}  // namespace assay::reference
