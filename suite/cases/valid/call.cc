#include "suite/cases/valid/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "suite/language/bind/places.h"

namespace assay::cases {
namespace {

// Which member, where the operand is in a list.
using Member = std::optional<std::size_t>;

std::string operand_name(const language::Param& param, Member member) {
  return member ? param.name + "." + std::to_string(*member) : param.name;
}

template <class AnyCall, class Visit>
void each_operand(AnyCall& call, Visit visit) {
  for (std::size_t n = 0; n < call.args.size(); ++n) {
    const language::Param& param = call.spec->params[n];
    if (auto* one = std::get_if<Operand>(&call.args[n])) {
      visit(*one, param, std::nullopt);
    } else if (auto* list = std::get_if<std::vector<Operand>>(&call.args[n])) {
      for (std::size_t k = 0; k < list->size(); ++k) {
        visit((*list)[k], param, k);
      }
    }
  }
}

Result<Shape> sizes_of(const CallRequest& request, const language::Param& p) {
  // A parameter without a declared shape is sized by its own name.
  const language::ShapePattern own = {{p.name, true, std::nullopt}};
  Shape sizes;
  for (const language::DimPattern& d : p.shape ? *p.shape : own) {
    if (d.fixed) {
      sizes.push_back(*d.fixed);
      continue;
    }
    const auto it = request.sizes.find(d.symbol);
    if (it == request.sizes.end()) {
      return Error{fmt::format(
          "no size is given for {} (parameter {}): add it to `shapes`",
          d.symbol, p.name)};
    }
    sizes.insert(sizes.end(), it->second.begin(), it->second.end());
  }
  return sizes;
}

std::optional<DType> type_of(const CallRequest& request, std::string symbol,
                             std::size_t member) {
  const auto numbered =
      request.types.find(symbol + "." + std::to_string(member));
  if (numbered != request.types.end()) return numbered->second;
  for (std::size_t n = 0; n <= request.spec.dtypes.size(); ++n) {
    const auto chosen = request.types.find(symbol);
    if (chosen != request.types.end()) return chosen->second;
    const auto declared = request.spec.dtypes.find(symbol);
    if (declared == request.spec.dtypes.end()) break;
    symbol = declared->second.follows;
  }
  return std::nullopt;
}

Result<Operand> operand_of(const CallRequest& request, const language::Param& p,
                           Shape sizes, std::size_t member) {
  Operand o;
  const auto dtype = type_of(request, p.dtype_symbol, member);
  if (!dtype) {
    return Error{fmt::format(
        "no dtype is given for {} (parameter {}): add it to `dtypes`",
        p.dtype_symbol, p.name)};
  }
  o.dtype = *dtype;
  o.sizes = std::move(sizes);
  const auto declared = request.inputs.find(p.name);
  o.data = declared != request.inputs.end()
               ? std::make_shared<const language::Generator>(declared->second)
               : default_generator(o.dtype);
  const Status fault = check_operand(o);
  if (!fault) return Error{"input " + p.name + ": " + fault.error().message};
  return o;
}

Result<CallArg> tensors_of(const CallRequest& request,
                           const language::Param& p) {
  std::vector<Operand> list;
  for (std::size_t n = 0;; ++n) {
    const auto it = request.sizes.find(p.name + "." + std::to_string(n));
    if (it == request.sizes.end()) break;
    Result<Operand> o = operand_of(request, p, it->second, n);
    if (!o) return o.error();
    list.push_back(std::move(*o));
  }
  return CallArg(std::move(list));
}

Result<CallArg> arg_of(const CallRequest& request, const language::Param& p) {
  const auto number = request.numbers.find(p.name);
  if (number != request.numbers.end()) return CallArg(number->second);
  const auto attr = request.attrs.find(p.name);
  if (attr != request.attrs.end()) return CallArg(attr->second);
  if (p.kind == language::Param::Kind::tensors) return tensors_of(request, p);
  if (p.kind != language::Param::Kind::tensor) return CallArg();
  if (request.spec.writes_out() && p.name == request.spec.writes) {
    Operand out;
    out.data = default_generator(out.dtype);
    return CallArg(std::move(out));  // fitted once the others are known
  }
  Result<Shape> sizes = sizes_of(request, p);
  if (!sizes) return sizes.error();
  Result<Operand> o = operand_of(request, p, std::move(*sizes), 0);
  if (!o) return o.error();
  return CallArg(std::move(*o));
}

// What operand number `n` holds.
Tensor elements_of(const Call& call, std::size_t n, const Operand& operand,
                   const TensorType& type) {
  if (!call.is_view(n)) return generate(operand);
  Tensor t = generate(call.shared->base);
  t.offset += call.shared->views.at(n).first;
  t.type = type;
  return t;
}

// Members of list parameters that `sizes` declares, 1 for a single tensor.
std::size_t member_count(const language::Param& p,
                         const language::SymbolSizes& sizes) {
  if (p.kind == language::Param::Kind::tensor) return 1;
  std::size_t n = 0;
  while (sizes.contains(p.name + "." + std::to_string(n))) ++n;
  return n;
}

// Nothing where it cannot be evaluated.
std::optional<bool> holds(const language::Requirement& requirement,
                          const language::Binding& binding) {
  const Result<language::StaticValue> value =
      language::evaluate_static(*requirement.that, binding);
  const bool* known = value ? std::get_if<bool>(&*value) : nullptr;
  return known != nullptr ? std::optional(*known) : std::nullopt;
}

}  // namespace

std::vector<const Operand*> Call::operands() const {
  std::vector<const Operand*> out;
  each_operand(*this, [&](const Operand& o, const language::Param&, Member) {
    out.push_back(&o);
  });
  return out;
}

std::vector<Operand*> Call::operands() {
  std::vector<Operand*> out;
  each_operand(*this, [&](Operand& o, const language::Param&, Member) {
    out.push_back(&o);
  });
  return out;
}

std::vector<std::string> Call::operand_names() const {
  std::vector<std::string> out;
  each_operand(*this,
               [&](const Operand&, const language::Param& p, Member member) {
                 out.push_back(operand_name(p, member));
               });
  return out;
}

std::vector<const language::Param*> Call::operand_params() const {
  std::vector<const language::Param*> out;
  each_operand(*this, [&](const Operand&, const language::Param& p, Member) {
    out.push_back(&p);
  });
  return out;
}

std::optional<std::size_t> Call::written_operand() const {
  const std::vector<std::string> names = operand_names();
  const auto at = std::find(names.begin(), names.end(), spec->writes);
  if (at == names.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

std::vector<const Operand*> Call::given() const {
  std::vector<const Operand*> out;
  std::size_t n = 0;
  for (const Operand* o : operands()) {
    if (!is_view(n)) out.push_back(o);
    if (shared && n == written_operand()) out.push_back(&shared->base);
    ++n;
  }
  return out;
}

const CallArg& Call::arg(const std::string& param) const {
  const auto it =
      std::find_if(spec->params.begin(), spec->params.end(),
                   [&](const language::Param& p) { return p.name == param; });
  return args[static_cast<std::size_t>(it - spec->params.begin())];
}

CallArg& Call::arg(const std::string& param) {
  return const_cast<CallArg&>(std::as_const(*this).arg(param));
}

std::int64_t Call::numel() const {
  std::int64_t count = 0;
  for (const Operand* o : operands()) count += element_count(o->sizes);
  return count;
}

Node call_node(const Call& call, const std::vector<Arg>& operands) {
  std::map<std::string, Arg> given;
  std::size_t next = 0;
  for (std::size_t n = 0; n < call.args.size(); ++n) {
    const std::string& name = call.spec->params[n].name;
    const CallArg& a = call.args[n];
    if (const auto* plain = std::get_if<Arg>(&a)) {
      given[name] = *plain;
    } else if (std::holds_alternative<Operand>(a)) {
      given[name] = operands[next++];
    } else if (const auto* list = std::get_if<std::vector<Operand>>(&a)) {
      std::vector<ValueRef> refs;
      for (std::size_t k = 0; k < list->size(); ++k) {
        refs.push_back(std::get<ValueRef>(operands[next++]));
      }
      given[name] = std::move(refs);
    }
  }
  return language::make_call(*call.spec, given);
}

void add_views(const Call& call, ValueRef base, Program* program,
               std::vector<Arg>* operands) {
  for (const auto& [operand, view] : call.shared->views) {
    ValueRef value = base;
    for (Node step : view.steps) {
      step.args.insert(step.args.begin(), value);
      value = {program->value_count()};
      program->nodes.push_back(std::move(step));
    }
    (*operands)[operand] = value;
  }
}

Program call_program(const Call& call) {
  Program program;
  const std::size_t count = call.operands().size();
  std::vector<Arg> refs(count);
  std::optional<ValueRef> base;
  for (const Operand* o : call.given()) {
    program.inputs.push_back(operand_type(*o));
  }
  int next = 0;
  for (std::size_t n = 0; n < count; ++n) {
    if (call.is_view(n) && n != call.written_operand()) continue;
    const ValueRef input{next++};
    refs[n] = input;
    if (call.is_view(n)) base = input;
  }
  if (base) add_views(call, *base, &program, &refs);
  const ValueRef result{program.value_count()};
  program.nodes.push_back(call_node(call, refs));
  program.outputs.push_back(result);
  for (const ValueRef v :
       add_further_outputs(returned_tensors(call), &program)) {
    program.outputs.push_back(v);
  }
  return program;
}

Result<BoundCall> bind(const Call& call) {
  BoundCall bound;
  std::map<int, language::TensorArg> values;
  std::vector<Arg> refs;
  each_operand(call, [&](const Operand& o, const language::Param& p, Member) {
    const int id = static_cast<int>(refs.size());
    const auto n = static_cast<std::size_t>(id);
    language::TensorArg arg;
    arg.ref = {id};
    arg.type = operand_type(o);
    arg.place = language::own_place(id, arg.type.sizes, arg.type.strides);
    if (call.is_view(n)) {
      const auto& views = call.shared->views;
      const View& view = views.at(n);
      arg.type.strides = view.strides;
      arg.place = {static_cast<int>(views.begin()->first), id, view.first,
                   view.strides};
    }
    if (p.elements_read) {
      bound.values.push_back(elements_of(call, n, o, arg.type));
      arg.value = &bound.values.back();
    }
    refs.emplace_back(arg.ref);
    values.emplace(id, std::move(arg));
  });
  Result<language::Binding> binding =
      language::bind_call(*call.spec, call_node(call, refs), values);
  if (!binding) return binding.error();
  bound.binding = std::move(*binding);
  return bound;
}

Result<Violations> violations(const Call& call) {
  const Result<BoundCall> bound = bind(call);
  if (!bound) return bound.error();
  Violations out;
  for (const language::Requirement& r : call.spec->requires_) {
    const std::optional<bool> known = holds(r, bound->binding);
    if (!known) {
      if (out.failing.empty()) out.first_decides = false;
    } else if (!*known) {
      out.failing.push_back(&r);
      if (out.failing.size() == 2) break;
    }
  }
  return out;
}

bool is_met(const Call& call, const language::Requirement& requirement) {
  const Result<BoundCall> bound = bind(call);
  return bound && holds(requirement, bound->binding).value_or(false);
}

std::string call_fault(const Call& call) {
  Result<BoundCall> bound = bind(call);
  if (!bound) return bound.error().message;
  const auto violated = language::first_violation(bound->binding);
  if (!violated) return violated.error().message;
  if (*violated != nullptr) {
    return "is refused by the operation's own requirement " + (*violated)->id +
           "; a case must be a valid input";
  }
  const Status form = language::select_form(&bound->binding);
  if (!form) return form.error().message;
  const Result<std::size_t> count = language::bound_outputs(bound->binding);
  if (!count) return count.error().message;
  if (*count == 0)
    return "returns an empty list, of which nothing can be asked";
  for (std::size_t k = 0; k < *count; ++k) {
    const Result<TensorType> type = language::infer_result(bound->binding, k);
    if (!type) return type.error().message;
  }
  return "";
}

std::size_t returned_tensors(const Call& call) {
  if (!call.spec->returns_list()) return call.spec->output_count();
  Result<BoundCall> bound = bind(call);
  if (!bound) return 1;
  const auto violated = language::first_violation(bound->binding);
  if (!violated || *violated != nullptr) return 1;
  if (!language::select_form(&bound->binding)) return 1;
  const Result<std::size_t> count = language::bound_outputs(bound->binding);
  return count ? *count : 1;
}

void fit_out(Call* call) {
  if (!call->spec->writes_out()) return;
  Operand& out = *call->operands()[*call->written_operand()];
  std::vector<DType> types(kAllDTypes.begin(), kAllDTypes.end());
  types.insert(types.end(), kComplexDTypes.begin(), kComplexDTypes.end());
  for (const DType t : types) {
    out.dtype = t;
    if (is_meant(*call)) break;
  }
  out.data = default_generator(out.dtype);
  Result<BoundCall> bound = bind(*call);
  if (!bound || !language::select_form(&bound->binding)) return;
  const Result<TensorType> type = language::infer_result(bound->binding);
  if (type) out.sizes = type->sizes;
}

bool is_meant(const Call& call) {
  const language::ExprPtr& only = call.spec->only;
  if (!only ||
      (only->kind == language::Expr::Kind::name && only->text == "true")) {
    return true;
  }
  const Result<BoundCall> bound = bind(call);
  if (!bound) return false;
  const Result<language::StaticValue> meant =
      language::evaluate_static(*only, bound->binding);
  const bool* known = meant ? std::get_if<bool>(&*meant) : nullptr;
  return known != nullptr && *known;
}

Result<Call> call_of(const CallRequest& request) {
  Call call;
  call.spec = &request.spec;
  for (const language::Param& p : request.spec.params) {
    Result<CallArg> arg = arg_of(request, p);
    if (!arg) return arg.error();
    call.args.push_back(std::move(*arg));
  }
  fit_out(&call);
  return call;
}

std::vector<TypeAxis> type_axes(
    const language::OpSpec& spec,
    const std::map<std::string, std::vector<DType>>& chosen,
    const language::SymbolSizes& sizes, const std::set<std::string>& replaced) {
  std::vector<TypeAxis> axes;
  const auto add = [&](const std::string& symbol,
                       const std::vector<DType>& types) {
    const bool known =
        std::any_of(axes.begin(), axes.end(),
                    [&](const TypeAxis& a) { return a.symbol == symbol; });
    if (!known) axes.push_back({symbol, types});
  };
  for (const language::Param& p : spec.params) {
    if (p.dtype_symbol.empty() || replaced.contains(p.name)) continue;
    std::string symbol = p.dtype_symbol;
    bool numbered = false;
    for (std::size_t n = 0; n < member_count(p, sizes); ++n) {
      const auto it = chosen.find(symbol + "." + std::to_string(n));
      if (it == chosen.end()) continue;
      add(it->first, it->second);
      numbered = true;
    }
    if (numbered && p.kind == language::Param::Kind::tensors) continue;
    for (std::size_t n = 0; n <= spec.dtypes.size(); ++n) {
      const auto own = chosen.find(symbol);
      if (own != chosen.end()) {
        add(symbol, own->second);
        break;
      }
      const auto declared = spec.dtypes.find(symbol);
      if (declared == spec.dtypes.end()) break;
      if (declared->second.follows.empty()) {
        add(symbol, declared->second.types);
        break;
      }
      symbol = declared->second.follows;
    }
  }
  return axes;
}

}  // namespace assay::cases
