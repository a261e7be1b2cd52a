#include "reference/oracle/session.h"

#include <fmt/format.h>

#include "core/writes.h"
#include "reference/oracle/environment.h"

namespace assay::reference {

std::vector<Tensor> all_given(const Program& program,
                              const std::vector<Tensor>& inputs) {
  std::vector<Tensor> all = components(inputs);
  all.resize(program.inputs.size());  // check() says where there are others
  for (const Tensor& t : program.constants) all.push_back(components(t));
  return all;
}

std::map<int, Tensor> all_observed(const OracleOptions& options) {
  std::map<int, Tensor> all;
  for (const auto& [id, t] : options.observed) all.emplace(id, components(t));
  return all;
}

bool Session::stand_in_for_draws() {
  bool any = false;
  for (const ValueRef v : program.outputs) {
    if (!program.is_node(v)) continue;
    const auto n = static_cast<std::size_t>(v.id - program.first_node_id());
    const language::OpSpec* spec = specs.find_aten(program.call(v).op);
    if (planned.plans[n] == nullptr || spec == nullptr ||
        !spec->has_relations()) {
      continue;
    }
    const TensorType& type = planned.plans[n]->type;
    if (is_float(type.dtype)) continue;
    const Tensor zeros = Tensor::zeros(type.dtype, type.sizes);
    any = observed.emplace(v.id, zeros).second || any;
  }
  return any;
}

Status check(const Session& session) {
  const Status environment = check_environment();
  if (!environment) return environment;
  const std::vector<TensorType>& types = session.program.inputs;
  if (session.inputs.size() != types.size()) {
    return Error{fmt::format("the program takes {} inputs, {} were given",
                             types.size(), session.inputs.size())};
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Tensor& t = session.inputs[i];
    if (t.dtype() != types[i].dtype || t.sizes() != types[i].sizes) {
      return Error{fmt::format(
          "input {} does not have the program's dtype and sizes", i)};
    }
  }
  if (const auto v = misused_value(session.program)) {
    return Error{fmt::format(
        "%{} is used after a call has written where it may lie or changed its "
        "sizes, or is a constant that is written to",
        v->id)};
  }
  return success();
}

std::vector<int> precision_ladder(const OracleOptions& options) {
  std::vector<int> ladder = {options.first_precision};
  for (const int bits : {113, 256, 1024, 4096}) {
    if (bits > ladder.back() && bits <= options.last_precision) {
      ladder.push_back(bits);
    }
  }
  return ladder;
}

}  // namespace assay::reference
