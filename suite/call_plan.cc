#include "suite/call_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "core/program_text.h"

namespace assay {
namespace {

// Of a list's operand the member.
using Member = std::optional<std::size_t>;

std::string operand_name(const Param& param, Member member) {
  return member ? param.name + "." + std::to_string(*member) : param.name;
}

template <class Plan, class Visit>
void each_operand(Plan& plan, Visit visit) {
  for (std::size_t n = 0; n < plan.args.size(); ++n) {
    const Param& param = plan.spec->params[n];
    if (auto* one = std::get_if<OperandPlan>(&plan.args[n])) {
      visit(*one, param, std::nullopt);
    } else if (auto* list =
                   std::get_if<std::vector<OperandPlan>>(&plan.args[n])) {
      for (std::size_t k = 0; k < list->size(); ++k) {
        visit((*list)[k], param, k);
      }
    }
  }
}

std::string join(const std::vector<std::string>& parts,
                 const std::string& separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

// One entry if all are equal.
std::string collapse(const std::vector<std::string>& parts,
                     const std::string& separator) {
  if (parts.empty()) return "none";
  const bool same = std::all_of(parts.begin(), parts.end(),
                                [&](const auto& p) { return p == parts[0]; });
  return same ? parts[0] : join(parts, separator);
}

std::string shape_text(const Shape& sizes, const std::string& empty) {
  if (sizes.empty()) return empty;
  std::vector<std::string> parts;
  for (const std::int64_t s : sizes) parts.push_back(std::to_string(s));
  return join(parts, "x");
}

// A '/' would end the segment, ',' the attribute.
std::string path_safe(std::string text) {
  for (char& c : text) {
    if (c == '/' || c == ',' || c == ' ' || c == '"') c = '_';
  }
  return text.empty() ? "empty" : text;
}

std::string value_text(const Arg& arg) {
  struct Visitor {
    std::string operator()(None) const { return "none"; }
    std::string operator()(ValueRef) const { return "tensor"; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    // Always told apart from an integer: promotion depends on it.
    std::string operator()(double v) const {
      std::string text = fmt::format("{}", v);
      if (text.find_first_of(".en") == std::string::npos) text += ".0";
      return text;
    }
    std::string operator()(DType v) const { return std::string(dtype_name(v)); }
    std::string operator()(const std::string& v) const { return path_safe(v); }
    std::string operator()(const Shape& v) const {
      return shape_text(v, "empty");
    }
    std::string operator()(const std::vector<ValueRef>&) const {
      return "tensors";
    }
  };
  return std::visit(Visitor{}, arg);
}

}  // namespace

std::vector<const OperandPlan*> CallPlan::operands() const {
  std::vector<const OperandPlan*> out;
  each_operand(*this, [&](const OperandPlan& o, const Param&, Member) {
    out.push_back(&o);
  });
  return out;
}

std::vector<OperandPlan*> CallPlan::operands() {
  std::vector<OperandPlan*> out;
  each_operand(
      *this, [&](OperandPlan& o, const Param&, Member) { out.push_back(&o); });
  return out;
}

std::vector<std::string> CallPlan::operand_names() const {
  std::vector<std::string> out;
  each_operand(*this, [&](const OperandPlan&, const Param& p, Member member) {
    out.push_back(operand_name(p, member));
  });
  return out;
}

std::vector<const Param*> CallPlan::operand_params() const {
  std::vector<const Param*> out;
  each_operand(*this, [&](const OperandPlan&, const Param& p, Member) {
    out.push_back(&p);
  });
  return out;
}

const ArgPlan& CallPlan::arg(const std::string& param) const {
  const auto it = std::find_if(spec->params.begin(), spec->params.end(),
                               [&](const Param& p) { return p.name == param; });
  return args[static_cast<std::size_t>(it - spec->params.begin())];
}

ArgPlan& CallPlan::arg(const std::string& param) {
  return const_cast<ArgPlan&>(std::as_const(*this).arg(param));
}

std::int64_t CallPlan::numel() const {
  std::int64_t count = 0;
  for (const OperandPlan* o : operands()) count += element_count(o->sizes);
  return count;
}

Node call_node(const CallPlan& plan, const std::vector<Arg>& operands) {
  Node node;
  node.op = plan.spec->aten;
  std::size_t next = 0;
  std::size_t used = 0;  // positional arguments up to the last that is given
  for (std::size_t n = 0; n < plan.args.size(); ++n) {
    const Param& p = plan.spec->params[n];
    const ArgPlan& a = plan.args[n];
    Arg arg = p.default_value.value_or(Arg(None{}));
    bool given = true;
    if (const auto* plain = std::get_if<Arg>(&a)) {
      arg = *plain;
    } else if (std::holds_alternative<OperandPlan>(a)) {
      arg = operands[next++];
    } else if (const auto* list = std::get_if<std::vector<OperandPlan>>(&a)) {
      std::vector<ValueRef> refs;
      for (std::size_t k = 0; k < list->size(); ++k) {
        refs.push_back(std::get<ValueRef>(operands[next++]));
      }
      arg = std::move(refs);
    } else {
      given = false;
    }
    if (p.keyword) {
      if (given) node.kwargs.emplace_back(p.name, std::move(arg));
      continue;
    }
    node.args.push_back(std::move(arg));
    if (given) used = node.args.size();
  }
  node.args.resize(used);
  return node;
}

Program call_program(const CallPlan& plan) {
  Program program;
  std::vector<Arg> refs;
  for (const OperandPlan* o : plan.operands()) {
    refs.emplace_back(ValueRef{static_cast<int>(program.inputs.size())});
    program.inputs.push_back(plan_type(*o));
  }
  program.nodes.push_back(call_node(plan, refs));
  program.outputs.push_back({program.first_node_id()});
  for (const ValueRef v :
       add_further_outputs(plan.spec->output_count(), &program)) {
    program.outputs.push_back(v);
  }
  return program;
}

std::string dtype_segment(const CallPlan& plan) {
  std::vector<std::string> parts;
  for (const OperandPlan* o : plan.operands()) {
    parts.emplace_back(dtype_name(o->dtype));
  }
  return collapse(parts, "-");
}

std::string shape_segment(const CallPlan& plan) {
  std::vector<std::string> parts;
  for (const OperandPlan* o : plan.operands()) {
    parts.push_back(shape_text(o->sizes, "0d"));
  }
  return collapse(parts, "_");
}

std::string attr_segment(const CallPlan& plan) {
  std::vector<std::string> parts;
  for (std::size_t n = 0; n < plan.args.size(); ++n) {
    const auto* plain = std::get_if<Arg>(&plan.args[n]);
    const Param& p = plan.spec->params[n];
    if (plain == nullptr || p.default_value == *plain) continue;
    parts.push_back(p.name + "=" + value_text(*plain));
  }
  return join(parts, ",");
}

void seed_operands(const std::string& stem, CallPlan* plan) {
  each_operand(*plan, [&](OperandPlan& o, const Param& p, Member member) {
    o.seed = fnv1a(stem + "#" + operand_name(p, member));
  });
}

Result<BoundPlan> bind_plan(const CallPlan& plan) {
  BoundPlan bound;
  std::map<int, TensorArg> values;
  std::vector<Arg> refs;
  each_operand(plan, [&](const OperandPlan& o, const Param& p, Member) {
    TensorArg arg;
    arg.type = plan_type(o);
    if (p.elements_read) {
      bound.values.push_back(generate(o));
      arg.value = &bound.values.back();
    }
    const int id = static_cast<int>(refs.size());
    arg.ref = {id};
    refs.emplace_back(arg.ref);
    values.emplace(id, std::move(arg));
  });
  Result<Binding> binding =
      bind_call(*plan.spec, call_node(plan, refs), values);
  if (!binding) return binding.error();
  bound.binding = std::move(*binding);
  return bound;
}

Result<Violations> violations(const CallPlan& plan) {
  const Result<BoundPlan> bound = bind_plan(plan);
  if (!bound) return bound.error();
  Violations out;
  for (const Requirement& r : plan.spec->requires_) {
    const Result<StaticValue> holds = evaluate_static(*r.that, bound->binding);
    const bool* known = holds ? std::get_if<bool>(&*holds) : nullptr;
    if (known == nullptr) {
      if (out.failing.empty()) out.first_decides = false;
    } else if (!*known) {
      out.failing.push_back(&r);
    }
  }
  return out;
}

}  // namespace assay
