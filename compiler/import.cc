#include "compiler/import.h"

#include <fmt/format.h>

#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

// What a program sees of defect wrong-error-class.
void change_class(Refusal* refusal) {
  refusal->exception =
      refusal->exception == "RuntimeError" ? "ValueError" : "KeyError";
}

}  // namespace

Result<Imported> import_program(const Program& program,
                                std::optional<Defect> defect) {
  Imported out;
  Builder builder;
  std::vector<NodeId> values;
  for (const TensorType& t : program.inputs) {
    values.push_back(builder.input(t));
  }
  for (const Tensor& t : program.constants) {
    values.push_back(builder.constant(t));
  }
  for (const Node& node : program.nodes) {
    const LoweringRow* row = find_lowering(node.op);
    if (row == nullptr) {
      out.unsupported = node.op;
      return out;
    }
    Result<Call> call = Call::bind(node, row->schema, values, builder);
    if (!call.ok()) return call.error();
    call->flat_promotion = defect == Defect::wrong_promotion;
    if (row->unsupported != nullptr && row->unsupported(*call) != nullptr) {
      out.unsupported = row->unsupported(*call);
      return out;
    }
    Guards guards(row->spec, defect == Defect::skip_guard);
    row->guard(*call, guards);
    out.refusal = guards.refusal();
    if (out.refusal) break;
    for (RangeGuard& g : guards.range_guards()) out.guards.push_back(g);
    builder.origin = fmt::format("%{} {}", values.size(), node.op);
    values.push_back(row->lower(*call, builder));
  }
  if (!out.refusal) {
    for (const ValueRef v : program.outputs) {
      const NodeId o = values[static_cast<std::size_t>(v.id)];
      builder.body.outputs.push_back(o);
      out.outputs.push_back(builder.type(o));
    }
  }
  for (const RangeGuard& g : out.guards) {
    builder.body.outputs.push_back(g.index);
  }
  if (defect == Defect::wrong_error_class) {
    if (out.refusal) change_class(&*out.refusal);
    for (RangeGuard& g : out.guards) change_class(&g.refusal);
  }
  out.body = std::move(builder.body);
  out.ledger = std::move(builder.ledger);
  return out;
}

}  // namespace assay::compiler
