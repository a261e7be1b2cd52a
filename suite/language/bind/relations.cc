#include "suite/language/bind/relations.h"

#include <algorithm>
#include <string>

#include "core/operands.h"
#include "core/writes.h"
#include "suite/language/bind/bind_program.h"

namespace assay::language {
namespace {

bool is_returned(const Program& program, ValueRef v) {
  const auto& all = program.outputs;
  return std::find(all.begin(), all.end(), v) != all.end();
}

// Does everything that the relations read keep what the call saw and gave?
bool is_askable(const Program& program, const Storages& storages,
                const Form& form, ValueRef call) {
  for (std::size_t k = 0; k < form.output_count(); ++k) {
    const auto v = output_value(program, call, k);
    if (!v || !is_returned(program, *v) || storages.written(v->id) != v->id) {
      return false;
    }
  }
  const std::vector<ValueRef> read = operands(program.node(call));
  return std::all_of(read.begin(), read.end(), [&](ValueRef v) {
    return storages.written(v.id, call.id) == storages.written(v.id);
  });
}

}  // namespace

std::optional<Program> related_program(const SpecSet& specs,
                                       const Program& program) {
  const bool any = std::any_of(
      program.nodes.begin(), program.nodes.end(), [&](const Node& node) {
        const OpSpec* spec = specs.find_aten(node.op);
        return spec != nullptr && spec->has_relations();
      });
  if (!any) return std::nullopt;
  const Storages storages(program);
  const std::vector<Tensor> unknown;
  ProgramBinder binder(specs, program, unknown);
  Program out = program;
  out.outputs.clear();
  while (!binder.done()) {
    const Result<BoundNode> node = binder.next();
    if (!node || node->broken != nullptr) return std::nullopt;
    const Form& form = *node->binding.form;
    const ValueRef call{node->value};
    if (node->output > 0 || form.relations.empty() ||
        !is_askable(program, storages, form, call)) {
      continue;
    }
    for (std::size_t r = 0; r < form.relations.size(); ++r) {
      out.outputs.push_back({out.value_count()});
      out.nodes.push_back(
          {std::string(kGetitem),
           {call, static_cast<std::int64_t>(form.output_count() + r)},
           {}});
    }
  }
  if (out.outputs.empty()) return std::nullopt;
  return out;
}

}  // namespace assay::language
