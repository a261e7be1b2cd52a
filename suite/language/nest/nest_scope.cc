#include "suite/language/nest/nest_scope.h"

#include <fmt/format.h>

#include <cmath>

#include "suite/language/bind/static_eval.h"

namespace assay::language {

void give_up(const Expr& e, const std::string& why) {
  throw CompileError{fmt::format("'{}': {}", to_string(e), why)};
}

void NestScope::restart(std::size_t n) {
  variables_.clear();
  slots_ = 0;
  visible_ = n;
}

const NestScope::Variable* NestScope::find(const std::string& name) const {
  for (std::size_t i = variables_.size(); i-- > 0;) {
    if (variables_[i].name == name) return &variables_[i];
  }
  return nullptr;
}

int NestScope::new_slot() {
  if (slots_ == kMaxSlots) {
    throw CompileError{fmt::format("more index variables than {}", kMaxSlots)};
  }
  return slots_++;
}

const Actual* NestScope::actual(const std::string& name) const {
  const auto it = nest_.binding.actuals.find(name);
  return it == nest_.binding.actuals.end() ? nullptr : &it->second;
}

const std::vector<TensorArg>* NestScope::list(const Expr& e) const {
  const Actual* a = e.kind == Expr::Kind::name ? actual(e.text) : nullptr;
  return a ? std::get_if<std::vector<TensorArg>>(a) : nullptr;
}

int NestScope::find_definition(const std::string& name) const {
  if (actual(name) != nullptr) return -1;
  for (std::size_t i = visible_; i-- > 0;) {
    if (nest_.definitions[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

bool NestScope::reads_elements(const Expr& base) const {
  if (base.kind == Expr::Kind::call) {
    return base.is(FunctionId::flat) || base.is(FunctionId::concat) ||
           base.is(FunctionId::stored);
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

bool NestScope::is_greatest_u64(const Expr& e) const {
  if (!e.is(FunctionId::greatest)) return false;
  const Result<StaticValue> t = evaluate_static(*e.args.at(0), nest_.binding);
  return t && *t == StaticValue(DType::u64);
}

bool NestScope::is_static(const Expr& e) const {
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
      if (e.is(FunctionId::inside) || e.is(FunctionId::round)) return false;
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

StaticValue NestScope::constant(const Expr& e) const {
  Result<StaticValue> v = evaluate_static(e, nest_.binding);
  if (!v) give_up(e, v.error().message);
  return *v;
}

std::int64_t NestScope::integer(const Expr& e) const {
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

bool NestScope::truth(const Expr& e) const {
  const StaticValue v = constant(e);
  if (const auto* b = std::get_if<bool>(&v)) return *b;
  give_up(e, "a truth value is needed here");
}

DType NestScope::dtype(const Expr& e) const {
  const StaticValue v = constant(e);
  if (const auto* t = std::get_if<DType>(&v)) return *t;
  give_up(e, "a dtype is needed here");
}

Shape NestScope::shape(const Expr& e) const {
  const StaticValue v = constant(e);
  if (const auto* s = std::get_if<Shape>(&v)) return *s;
  give_up(e, "a shape is needed here");
}

}  // namespace assay::language
