#include "suite/language/model/value_shape.h"

#include <algorithm>

namespace assay::language {
namespace {

bool reduces(const Expr& e) {
  return any_part(
      e, [](const Expr& part) { return part.kind == Expr::Kind::reduce; });
}

// Every access is `name[pack...]`.
bool whole_pack_accesses(const ExprPtr& e, const std::string& pack) {
  if (e->kind == Expr::Kind::access) {
    return e->args.size() == 2 && e->args[0]->kind == Expr::Kind::name &&
           e->args[1]->kind == Expr::Kind::pack && e->args[1]->text == pack;
  }
  if (e->is(FunctionId::flat)) return false;
  return std::all_of(e->args.begin(), e->args.end(), [&](const ExprPtr& arg) {
    return whole_pack_accesses(arg, pack);
  });
}

bool one_pack(const std::optional<ShapePattern>& shape) {
  return !shape || (shape->size() == 1 && shape->front().pack);
}

}  // namespace

bool has_reduction(const OpSpec& spec) {
  for (const Form& form : spec.forms) {
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      for (const Definition& d : form.output(k).value) {
        if (reduces(*d.body)) return true;
      }
    }
  }
  return false;
}

bool is_pointwise(const OpSpec& spec) {
  for (const Param& p : spec.params) {
    if (p.kind == Param::Kind::tensors) return false;
    if (p.kind == Param::Kind::tensor && !one_pack(p.shape)) return false;
  }
  if (has_reduction(spec) || spec.output_count() > 1 || spec.returns_list()) {
    return false;
  }
  if (spec.has_relations()) return false;
  for (const Form& form : spec.forms) {
    for (const Definition& d : form.value) {
      if (d.indices.size() != 1 || !d.indices[0].pack) return false;
      if (!whole_pack_accesses(d.body, d.indices[0].name)) return false;
    }
  }
  return true;
}

}  // namespace assay::language
