// Which expressions are static, and their values.
#include <cmath>
#include <set>

#include "reference/compile_scope.h"

namespace assay::reference {

const PlanCompiler::Entry* PlanCompiler::find(const std::string& name) const {
  for (std::size_t i = scope_.size(); i-- > 0;) {
    if (scope_[i].name == name) return &scope_[i];
  }
  return nullptr;
}

int PlanCompiler::new_slot() {
  if (slots_ == kMaxSlots) {
    throw CompileError{"more index variables than " +
                       std::to_string(kMaxSlots)};
  }
  return slots_++;
}

const Actual* PlanCompiler::actual(const std::string& name) const {
  const auto it = plan_.binding.actuals.find(name);
  return it == plan_.binding.actuals.end() ? nullptr : &it->second;
}

int PlanCompiler::find_definition(const std::string& name) const {
  if (actual(name) != nullptr) return -1;
  for (int i = visible_definitions_; i-- > 0;) {
    if (plan_.definitions[static_cast<std::size_t>(i)].name == name) return i;
  }
  return -1;
}

// Does indexing `base` read an element of a tensor or of a definition?
bool PlanCompiler::reads_elements(const Expr& base) const {
  if (base.kind == Expr::Kind::call) {
    return base.text == "flat" || base.text == "concat";
  }
  if (base.kind == Expr::Kind::access) return reads_elements(*base.args[0]);
  if (base.kind != Expr::Kind::name) return false;
  if (const Actual* a = actual(base.text)) {
    // A Python number may stand in a tensor's place.
    return std::holds_alternative<TensorArg>(*a) ||
           std::holds_alternative<std::vector<TensorArg>>(*a) ||
           std::holds_alternative<bool>(*a) ||
           std::holds_alternative<std::int64_t>(*a) ||
           std::holds_alternative<double>(*a);
  }
  return find_definition(base.text) >= 0;
}

bool PlanCompiler::is_greatest_u64(const Expr& e) const {
  if (e.kind != Expr::Kind::call || e.text != "greatest") return false;
  const Result<StaticValue> t = evaluate_static(*e.args.at(0), plan_.binding);
  return t && *t == StaticValue(DType::u64);
}

bool PlanCompiler::is_static(const Expr& e) const {
  switch (e.kind) {
    case Expr::Kind::name:
      return find(e.text) == nullptr && find_definition(e.text) < 0;
    case Expr::Kind::pack:
      if (e.args.empty() && find(e.text) != nullptr) return false;
      break;
    case Expr::Kind::access:
      if (reads_elements(*e.args[0])) return false;
      break;
    case Expr::Kind::call:
      if (e.text == "inside" || e.text == "round") return false;
      // Static values are integers of 64 bits with a sign.
      if (is_greatest_u64(e)) return false;
      break;
    default:
      break;
  }
  for (const ExprPtr& a : e.args) {
    if (!is_static(*a)) return false;
  }
  for (const Binder& b : e.binders) {
    if (b.from && !is_static(*b.from)) return false;
    if (b.to && !is_static(*b.to)) return false;
  }
  return true;
}

StaticValue PlanCompiler::constant(const Expr& e) const {
  Result<StaticValue> v = evaluate_static(e, plan_.binding);
  if (!v) give_up(e, v.error().message);
  return *v;
}

std::int64_t PlanCompiler::constant_integer(const Expr& e) const {
  const StaticValue v = constant(e);
  if (const auto* i = std::get_if<std::int64_t>(&v)) return *i;
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  if (const auto* d = std::get_if<double>(&v)) {
    if (std::trunc(*d) == *d && std::fabs(*d) < 0x1p62) {
      return static_cast<std::int64_t>(*d);
    }
  }
  give_up(e, "an integer is needed here");
}

bool PlanCompiler::constant_truth(const Expr& e) const {
  const StaticValue v = constant(e);
  if (const auto* b = std::get_if<bool>(&v)) return *b;
  give_up(e, "a truth value is needed here");
}

DType PlanCompiler::constant_dtype(const Expr& e) const {
  const StaticValue v = constant(e);
  if (const auto* t = std::get_if<DType>(&v)) return *t;
  give_up(e, "a dtype is needed here");
}

Shape PlanCompiler::constant_shape(const Expr& e) const {
  const StaticValue v = constant(e);
  if (const auto* s = std::get_if<Shape>(&v)) return *s;
  give_up(e, "a shape is needed here");
}

}  // namespace assay::reference
