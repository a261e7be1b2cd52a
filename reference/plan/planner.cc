#include "reference/plan/planner.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "suite/language/bind/bind_program.h"
#include "suite/language/nest/compile_nest.h"

namespace assay::reference {
namespace {

GoldenError refusal(const language::OpSpec& spec,
                    const language::Requirement& r) {
  return {spec.name + "/" + r.id, r.raises, r.message, r.phase};
}

// Which NaN a call returns nobody says.
bool holds_nan(const Tensor& t) {
  if (!is_float(t.dtype())) return false;
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    if (std::isnan(t.number(i))) return true;
  }
  return false;
}

// The same bytes as elements of another type.
Tensor read_as(const Tensor& t, DType dtype, const Shape& sizes) {
  Tensor out;
  out.type = TensorType::contiguous(dtype, sizes);
  out.storage = t.contiguous().storage;
  return out;
}

bool fits(const Tensor& observed, const TensorType& type) {
  return observed.dtype() == type.dtype && observed.sizes() == type.sizes;
}

}  // namespace

Status plan_program(const Program& program, const std::vector<Tensor>& inputs,
                    const language::SpecSet& specs,
                    const std::map<int, Tensor>& observed,
                    const ExactElements& elements, PlannedProgram* out) {
  Versions& versions = out->versions.emplace(program);
  int reader = program.first_node_id();
  const auto read = [&](int value, const TensorType& type) -> const Tensor* {
    if (is_complex(type.dtype)) return nullptr;
    std::optional<Tensor> t =
        elements(versions.seen(value, reader, type.sizes), type);
    if (!t) return nullptr;
    out->read.push_back(std::make_unique<Tensor>(std::move(*t)));
    return out->read.back().get();
  };
  language::ProgramBinder binder(specs, program, inputs, read);
  out->plans.resize(program.nodes.size());
  while (!binder.done()) {
    reader = static_cast<int>(binder.types().size());
    Result<language::BoundNode> node = binder.next();
    if (!node) return node.error();
    if (node->broken != nullptr) {
      out->refused = refusal(*node->binding.spec, *node->broken);
      return success();
    }
    const int id = node->value;
    const auto n = static_cast<std::size_t>(id - program.first_node_id());
    Result<std::unique_ptr<Nest>> plan = language::compile_nest(
        std::move(node->binding), node->type, id, node->output, out->torch);
    if (!plan) {
      return Error{fmt::format("%{} = {}: {}", id, program.nodes[n].op,
                               plan.error().message)};
    }
    for (Access& a : (*plan)->accesses) {
      if (a.is_definition()) continue;
      const TensorType& type =
          binder.types()[static_cast<std::size_t>(a.source)];
      a.source = versions.seen(a.source, id, a.stored ? type.sizes : a.sizes);
      if (!a.stored) continue;
      const std::optional<Tensor> known = elements(a.source, type);
      if (!known || (program.is_node({a.source}) && holds_nan(*known))) {
        return Error{fmt::format("%{} = {}: the bits of '{}' are not known", id,
                                 program.nodes[n].op, a.text)};
      }
      a.source = versions.hold(a.source, read_as(*known, a.dtype, a.sizes));
    }
    const Status followed = versions.follow(**plan);
    if (!followed) return followed;
    out->plans[n] = std::move(*plan);
    const auto seen = observed.find(id);
    if (seen != observed.end() &&
        !fits(components(seen->second), components(node->type))) {
      return Error{fmt::format(
          "the observed value of %{} does not have the node's dtype and sizes",
          id)};
    }
  }
  for (const TensorType& t : binder.types()) {
    out->types.push_back(components(t));
    out->complex.push_back(is_complex(t.dtype));
  }
  return success();
}

}  // namespace assay::reference
