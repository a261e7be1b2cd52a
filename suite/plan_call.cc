#include "suite/plan_call.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "suite/layouts.h"

namespace assay {
namespace {

Result<Shape> sizes_of(const CallRequest& request, const Param& p) {
  // A parameter without a declared shape is sized by its own name.
  const ShapePattern own = {{p.name, true, std::nullopt}};
  Shape sizes;
  for (const DimPattern& d : p.shape ? *p.shape : own) {
    if (d.fixed) {
      sizes.push_back(*d.fixed);
      continue;
    }
    const auto it = request.sizes.find(d.symbol);
    if (it == request.sizes.end()) {
      return Error{"no size is given for " + d.symbol + " (parameter " +
                   p.name + "): add it to `shapes`"};
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

Result<OperandPlan> plan_operand(const CallRequest& request, const Param& p,
                                 Shape sizes, std::size_t member) {
  OperandPlan o;
  const auto dtype = type_of(request, p.dtype_symbol, member);
  if (!dtype) {
    return Error{"no dtype is given for " + p.dtype_symbol + " (parameter " +
                 p.name + "): add it to `dtypes`"};
  }
  o.dtype = *dtype;
  o.sizes = std::move(sizes);
  const auto declared = request.inputs.find(p.name);
  o.data = declared != request.inputs.end()
               ? std::make_shared<const Generator>(declared->second)
               : default_generator(o.dtype);
  const Status fault = check_plan(o);
  if (!fault) return Error{"input " + p.name + ": " + fault.error().message};
  return o;
}

Result<ArgPlan> plan_tensors(const CallRequest& request, const Param& p) {
  std::vector<OperandPlan> list;
  for (std::size_t n = 0;; ++n) {
    const auto it = request.sizes.find(p.name + "." + std::to_string(n));
    if (it == request.sizes.end()) break;
    Result<OperandPlan> o = plan_operand(request, p, it->second, n);
    if (!o) return o.error();
    list.push_back(std::move(*o));
  }
  return ArgPlan(std::move(list));
}

Result<ArgPlan> plan_arg(const CallRequest& request, const Param& p) {
  const auto number = request.numbers.find(p.name);
  if (number != request.numbers.end()) return ArgPlan(number->second);
  const auto attr = request.attrs.find(p.name);
  if (attr != request.attrs.end()) return ArgPlan(attr->second);
  if (p.kind == Param::Kind::tensors) return plan_tensors(request, p);
  if (p.kind != Param::Kind::tensor) return ArgPlan();
  Result<Shape> sizes = sizes_of(request, p);
  if (!sizes) return sizes.error();
  Result<OperandPlan> o = plan_operand(request, p, std::move(*sizes), 0);
  if (!o) return o.error();
  return ArgPlan(std::move(*o));
}

// Members of list parameters that `sizes` declares, 1 for a single tensor.
std::size_t member_count(const Param& p, const SymbolSizes& sizes) {
  if (p.kind == Param::Kind::tensor) return 1;
  std::size_t n = 0;
  while (sizes.contains(p.name + "." + std::to_string(n))) ++n;
  return n;
}

}  // namespace

Result<CallPlan> plan_call(const CallRequest& request) {
  CallPlan plan;
  plan.spec = &request.spec;
  for (const Param& p : request.spec.params) {
    Result<ArgPlan> arg = plan_arg(request, p);
    if (!arg) return arg.error();
    plan.args.push_back(std::move(*arg));
  }
  return plan;
}

std::vector<TypeAxis> type_axes(
    const OpSpec& spec, const std::map<std::string, std::vector<DType>>& chosen,
    const SymbolSizes& sizes, const std::set<std::string>& replaced) {
  std::vector<TypeAxis> axes;
  const auto add = [&](const std::string& symbol,
                       const std::vector<DType>& types) {
    const bool known =
        std::any_of(axes.begin(), axes.end(),
                    [&](const TypeAxis& a) { return a.symbol == symbol; });
    if (!known) axes.push_back({symbol, types});
  };
  for (const Param& p : spec.params) {
    if (p.dtype_symbol.empty() || replaced.contains(p.name)) continue;
    std::string symbol = p.dtype_symbol;
    bool numbered = false;
    for (std::size_t n = 0; n < member_count(p, sizes); ++n) {
      const auto it = chosen.find(symbol + "." + std::to_string(n));
      if (it == chosen.end()) continue;
      add(it->first, it->second);
      numbered = true;
    }
    if (numbered && p.kind == Param::Kind::tensors) continue;
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

void finish_base_case(BaseCase* c) {
  std::string stem = c->plan.spec->name + "/" + c->clause + "/" +
                     dtype_segment(c->plan) + "/" + shape_segment(c->plan);
  const std::string attrs = attr_segment(c->plan);
  if (!attrs.empty()) stem += "/" + attrs;
  // A layout changes where elements lie, not which they are.
  seed_operands(stem, &c->plan);
  c->path = stem;
  if (c->layout != Layout::contiguous) {
    c->path += "/" + std::string(layout_name(c->layout));
  }
}

std::string base_case_fault(const BaseCase& c) {
  Result<BoundPlan> bound = bind_plan(c.plan);
  if (!bound) return bound.error().message;
  const auto violated = first_violation(bound->binding);
  if (!violated) return violated.error().message;
  if (*violated != nullptr) {
    return "is refused by the operation's own requirement " + (*violated)->id +
           "; a case must be a valid input";
  }
  const Status form = select_form(&bound->binding);
  if (!form) return form.error().message;
  for (std::size_t k = 0; k < c.plan.spec->output_count(); ++k) {
    const Result<TensorType> type = infer_result(bound->binding, k);
    if (!type) return type.error().message;
  }
  return "";
}

}  // namespace assay
