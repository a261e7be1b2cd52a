#include "suite/language/bind/bind.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/operands.h"
#include "suite/language/bind/operand.h"

namespace assay::language {
namespace {

const char* kind_text(Param::Kind kind) {
  switch (kind) {
    case Param::Kind::tensor:
      return "a tensor";
    case Param::Kind::tensors:
      return "a list of tensors";
    case Param::Kind::number:
      return "a number";
    case Param::Kind::integer:
      return "an int";
    case Param::Kind::integers:
      return "a list of ints";
    case Param::Kind::numbers:
      return "a list of numbers";
    case Param::Kind::boolean:
      return "a bool";
    case Param::Kind::dtype:
      return "a dtype";
    case Param::Kind::string:
      return "a string";
  }
  return "?";
}

std::string arg_text(const Arg& arg) {
  struct Visitor {
    std::string operator()(None) const { return "none"; }
    std::string operator()(ValueRef) const { return "a tensor"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double) const { return "a float"; }
    std::string operator()(DType t) const {
      return "the dtype " + std::string(dtype_name(t));
    }
    std::string operator()(const std::string& s) const {
      return "the string '" + s + "'";
    }
    std::string operator()(const Shape&) const { return "a list of ints"; }
    std::string operator()(const Numbers&) const { return "a list of floats"; }
    std::string operator()(const std::vector<ValueRef>&) const {
      return "a list of tensors";
    }
  };
  return std::visit(Visitor{}, arg);
}

using Values = std::map<int, TensorArg>;

Result<TensorArg> look_up(ValueRef ref, const Values& values) {
  const auto it = values.find(ref.id);
  if (it == values.end()) {
    return Error{"value %" + std::to_string(ref.id) + " is not defined"};
  }
  TensorArg t = it->second;
  t.ref = ref;
  return t;
}

Result<std::vector<TensorArg>> look_up_all(const std::vector<ValueRef>& refs,
                                           const Values& values) {
  std::vector<TensorArg> list;
  for (const ValueRef ref : refs) {
    Result<TensorArg> t = look_up(ref, values);
    if (!t) return t.error();
    list.push_back(std::move(*t));
  }
  return list;
}

bool is_python_number(const Arg& arg) {
  return std::holds_alternative<bool>(arg) ||
         std::holds_alternative<std::int64_t>(arg) ||
         std::holds_alternative<double>(arg);
}

Actual plain_actual(const Arg& arg) {
  return std::visit(
      [](const auto& v) -> Actual {
        if constexpr (std::is_constructible_v<Actual, decltype(v)>) {
          return v;
        } else {
          return None{};  // references, which the callers have looked up
        }
      },
      arg);
}

// The argument as `p` takes it; an error is what ATen's schema refuses.
Result<Actual> convert(const Param& p, const Arg& arg, const Values& values) {
  const Error refused{"parameter '" + p.name + "' must be " +
                      kind_text(p.kind) + ", found " + arg_text(arg)};
  if (std::holds_alternative<None>(arg)) {
    if (p.optional) return Actual(None{});
    return Error{"parameter '" + p.name + "' may not be none"};
  }
  switch (p.kind) {
    case Param::Kind::tensor: {
      if (const auto* ref = std::get_if<ValueRef>(&arg)) {
        Result<TensorArg> t = look_up(*ref, values);
        if (!t) return t.error();
        return Actual(std::move(*t));
      }
      if (p.scalar && is_python_number(arg)) return plain_actual(arg);
      return refused;
    }
    case Param::Kind::tensors: {
      if (const auto* refs = std::get_if<std::vector<ValueRef>>(&arg)) {
        Result<std::vector<TensorArg>> list = look_up_all(*refs, values);
        if (!list) return list.error();
        return Actual(std::move(*list));
      }
      // An empty list has no element that tells its kind.
      const auto* ints = std::get_if<Shape>(&arg);
      if (ints != nullptr && ints->empty()) {
        return Actual(std::vector<TensorArg>());
      }
      return refused;
    }
    case Param::Kind::number:
      if (is_python_number(arg)) return plain_actual(arg);
      return refused;
    case Param::Kind::integer:
      if (const auto* b = std::get_if<bool>(&arg)) {
        return Actual(std::int64_t{*b});
      }
      if (std::holds_alternative<std::int64_t>(arg)) return plain_actual(arg);
      return refused;
    case Param::Kind::integers:
      // ATen takes one int for a list.
      if (const auto* i = std::get_if<std::int64_t>(&arg)) {
        return Actual(Shape{*i});
      }
      if (const auto* refs = std::get_if<std::vector<ValueRef>>(&arg)) {
        if (refs->empty()) return Actual(Shape{});
      }
      if (std::holds_alternative<Shape>(arg)) return plain_actual(arg);
      return refused;
    case Param::Kind::numbers:
      if (const auto* ints = std::get_if<Shape>(&arg)) {
        return Actual(Numbers(ints->begin(), ints->end()));
      }
      if (std::holds_alternative<Numbers>(arg)) return plain_actual(arg);
      return refused;
    case Param::Kind::boolean:
      if (std::holds_alternative<bool>(arg)) return plain_actual(arg);
      return refused;
    case Param::Kind::dtype:
      if (std::holds_alternative<DType>(arg)) return plain_actual(arg);
      return refused;
    case Param::Kind::string:
      if (std::holds_alternative<std::string>(arg)) return plain_actual(arg);
      return refused;
  }
  return refused;
}

std::string root_symbol(const OpSpec& spec, std::string symbol) {
  for (std::size_t n = 0; n <= spec.dtypes.size(); ++n) {
    const auto it = spec.dtypes.find(symbol);
    if (it == spec.dtypes.end() || it->second.follows.empty()) break;
    symbol = it->second.follows;
  }
  return symbol;
}

std::optional<DType> dtype_of_actual(const Actual& a) {
  if (const auto* t = std::get_if<TensorArg>(&a)) return t->type.dtype;
  if (const auto* l = std::get_if<std::vector<TensorArg>>(&a)) {
    if (!l->empty()) return l->front().type.dtype;
  }
  if (std::holds_alternative<bool>(a)) return DType::boolean;
  if (std::holds_alternative<std::int64_t>(a)) return DType::i64;
  if (std::holds_alternative<double>(a)) return DType::f32;
  return std::nullopt;
}

// A symbol is the dtype of the first tensor that has it; a Python number or
// the symbol that it follows stand in where there is none.
void bind_dtypes(Binding* b) {
  for (const bool numbers : {false, true}) {
    for (const Param& p : b->spec->params) {
      if (p.dtype_symbol.empty() || b->symbols.contains(p.dtype_symbol)) {
        continue;
      }
      const Actual& a = b->actuals.at(p.name);
      const bool is_tensor = std::holds_alternative<TensorArg>(a) ||
                             std::holds_alternative<std::vector<TensorArg>>(a);
      if (is_tensor == numbers) continue;
      if (const auto t = dtype_of_actual(a)) b->symbols[p.dtype_symbol] = *t;
    }
  }
  for (const auto& [symbol, d] : b->spec->dtypes) {
    if (b->symbols.contains(symbol) || d.follows.empty()) continue;
    const auto root = b->symbols.find(root_symbol(*b->spec, symbol));
    if (root != b->symbols.end()) b->symbols[symbol] = root->second;
  }
}

}  // namespace

const TensorArg* Binding::tensor(const std::string& param) const {
  const auto it = actuals.find(param);
  return it == actuals.end() ? nullptr : std::get_if<TensorArg>(&it->second);
}

const OpSpec* spec_of_call(
    const SpecSet& specs, const Node& call,
    const std::function<bool(ValueRef)>& is_complex_value) {
  const std::vector<ValueRef> read = assay::operands(call);
  return specs.find_aten(
      call.op, std::any_of(read.begin(), read.end(), is_complex_value));
}

Result<Binding> bind_call(const OpSpec& spec, const Node& call,
                          const Values& values) {
  const auto fail = [&spec](const std::string& what) {
    return Error{spec.aten + ": " + what};
  };
  Binding b;
  b.spec = &spec;
  std::size_t next = 0;
  for (const Arg& arg : call.args) {
    while (next < spec.params.size() && spec.params[next].keyword) ++next;
    if (next == spec.params.size()) {
      return fail("too many positional arguments (" +
                  std::to_string(call.args.size()) + ")");
    }
    const Param& p = spec.params[next++];
    Result<Actual> a = convert(p, arg, values);
    if (!a) return fail(a.error().message);
    b.actuals[p.name] = std::move(*a);
  }
  for (const auto& [name, arg] : call.kwargs) {
    const Param* p = spec.param(name);
    if (p == nullptr) return fail("no parameter '" + name + "'");
    if (b.actuals.contains(name)) {
      return fail("parameter '" + name + "' is given twice");
    }
    Result<Actual> a = convert(*p, arg, values);
    if (!a) return fail(a.error().message);
    b.actuals[name] = std::move(*a);
  }
  for (const Param& p : spec.params) {
    if (b.actuals.contains(p.name)) continue;
    if (p.default_value) {
      b.actuals[p.name] = plain_actual(*p.default_value);
    } else if (p.optional) {
      b.actuals[p.name] = None{};
    } else {
      return fail("parameter '" + p.name + "' is missing");
    }
  }
  bind_dtypes(&b);
  return b;
}

Node make_call(const OpSpec& spec, const std::map<std::string, Arg>& given) {
  Node node;
  node.op = spec.aten;
  std::size_t used = 0;  // positional arguments up to the last that is given
  for (const Param& p : spec.params) {
    const auto it = given.find(p.name);
    if (!p.keyword) {
      node.args.push_back(it != given.end()
                              ? it->second
                              : p.default_value.value_or(Arg(None{})));
      if (it != given.end()) used = node.args.size();
    } else if (it != given.end()) {
      node.kwargs.emplace_back(p.name, it->second);
    }
  }
  node.args.resize(used);
  return node;
}

Result<const Requirement*> first_violation(const Binding& b) {
  for (const Requirement& r : b.spec->requires_) {
    const Result<StaticValue> v = evaluate_static(*r.that, b);
    if (!v) {
      return Error{b.spec->name + "/" + r.id +
                   " cannot be evaluated: " + v.error().message};
    }
    const bool* holds = std::get_if<bool>(&*v);
    if (holds == nullptr) {
      return Error{b.spec->name + "/" + r.id + " is neither true nor false"};
    }
    if (!*holds) return &r;
  }
  return static_cast<const Requirement*>(nullptr);
}

}  // namespace assay::language
