#include "suite/program_cases.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/program_text.h"
#include "suite/generate.h"
#include "suite/make_case.h"
#include "suite/program_types.h"
#include "suite/step_node.h"

namespace assay {
namespace {

// Axis values are part of a path: no separators in them.
std::string axis_segment(const std::string& value) {
  std::string out;
  for (const char c : value) {
    if (c == ' ') continue;
    const bool bad = c == '/' || c == '"' || c == '*' || c == '?';
    out += c == ',' ? 'x' : (bad ? '_' : c);
  }
  return out.empty() ? "empty" : out;
}

std::string variant_path(const ProgramSpec& spec,
                         const ProgramVariant& variant) {
  std::string path = spec.name;
  for (const auto& [axis, value] : variant.axes) {
    path += "/" + axis_segment(value);
  }
  return path;
}

Result<OperandPlan> plan_of(const TensorDecl& decl, const std::string& stem) {
  OperandPlan plan;
  plan.dtype = decl.dtype;
  plan.sizes = decl.sizes;
  plan.layout = decl.layout;
  plan.data = std::make_shared<const Generator>(decl.data);
  plan.seed = fnv1a(stem + "#" + decl.name);
  const Status fault = check_plan(plan);
  if (!fault) return Error{decl.name + ": " + fault.error().message};
  return plan;
}

Result<PlannedProgram> build(const ProgramSpec& spec,
                             const ProgramVariant& variant) {
  PlannedProgram out;
  StepNames names;
  int id = 0;
  for (const TensorDecl& decl : variant.inputs) {
    Result<OperandPlan> plan = plan_of(decl, variant_path(spec, variant));
    if (!plan) return plan.error();
    out.program.inputs.push_back(plan_type(*plan));
    out.inputs.push_back(std::move(*plan));
    names[decl.name] = ValueRef{id++};
  }
  for (const TensorDecl& decl : variant.consts) {
    // The same whatever the axes: what a program captures is part of it.
    Result<OperandPlan> plan = plan_of(decl, spec.name);
    if (!plan) return plan.error();
    out.program.constants.push_back(generate(*plan).contiguous());
    names[decl.name] = ValueRef{id++};
  }
  for (const Step& step : variant.steps) {
    Result<Node> node = step_node(step, names);
    if (!node) return node.error();
    out.program.nodes.push_back(std::move(*node));
    names[step.name] = ValueRef{id++};
  }
  for (const std::string& name : variant.returns) {
    const auto it = names.find(name);
    const auto* ref =
        it == names.end() ? nullptr : std::get_if<ValueRef>(&it->second);
    if (ref == nullptr) return Error{"nothing is called '" + name + "'"};
    out.program.outputs.push_back(*ref);
  }
  return out;
}

// Types work out, and exactly the promise that the spec names refuses it.
Status check(const SpecSet& specs, const PlannedProgram& planned,
             const std::string& raises) {
  std::vector<Tensor> inputs;
  for (const OperandPlan& plan : planned.inputs) {
    inputs.push_back(generate(plan));
  }
  const Result<ProgramTypes> types =
      type_program(specs, planned.program, inputs);
  if (!types) return types.error();
  if (types->refused == raises) return success();
  if (types->undecided) return success();  // the oracle evaluates elements
  if (types->refused.empty()) {
    return Error{"should be refused by " + raises + ", but nothing refuses it"};
  }
  return Error{
      "is refused by " + types->refused +
      (raises.empty() ? ", but names no `raises`" : ", not by " + raises)};
}

// The same program done right, for one that must be refused: from the same
// source, with the same axes where there is such a one.
std::string control_of(const SpecSet& specs, const ProgramSpec& spec,
                       const ProgramVariant& variant) {
  if (variant.raises.empty()) return "";
  std::string control;
  for (const ProgramSpec& other : specs.programs) {
    if (spec.source.empty() || other.source != spec.source) continue;
    for (const ProgramVariant& v : other.variants) {
      if (!v.raises.empty()) continue;
      if (control.empty()) control = variant_path(other, v);
      if (v.axes == variant.axes) return variant_path(other, v);
    }
  }
  return control;
}

}  // namespace

void add_program_cases(const SpecSet& specs, const ProgramSpec& spec,
                       std::vector<Case>* cases,
                       std::vector<std::string>* errors) {
  for (const ProgramVariant& variant : spec.variants) {
    const std::string path = variant_path(spec, variant);
    Result<PlannedProgram> planned = build(spec, variant);
    Status fault = success();
    if (!planned) {
      fault = planned.error();
    } else {
      fault = check(specs, *planned, variant.raises);
    }
    if (!fault) {
      errors->push_back(spec.file + ": " + path + ": " + fault.error().message);
      continue;
    }
    CaseNames names;
    names.path = path;
    names.spec = spec.name;
    names.clause =
        variant.axes.empty() ? "" : axis_segment(variant.axes[0].second);
    names.must_raise = variant.raises;
    names.control = control_of(specs, spec, variant);
    Case c = make_case(names, std::move(*planned));
    c.quick = spec.quick;
    cases->push_back(std::move(c));
  }
}

}  // namespace assay
