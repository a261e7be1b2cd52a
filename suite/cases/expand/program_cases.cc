#include "suite/cases/expand/program_cases.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/writes.h"
#include "suite/cases/case_program.h"
#include "suite/cases/contexts/step_node.h"
#include "suite/cases/inputs/generate.h"
#include "suite/cases/path.h"
#include "suite/language/bind/bind_program.h"

namespace assay::cases {
namespace {

Result<Operand> operand_of(const language::TensorDecl& decl,
                           const std::string& path) {
  Operand operand;
  operand.dtype = decl.dtype;
  operand.sizes = decl.sizes;
  operand.layout = decl.layout;
  operand.data = std::make_shared<const language::Generator>(decl.data);
  operand.seed = seed_of(path, decl.name);
  const Status fault = check_operand(operand);
  if (!fault) return Error{decl.name + ": " + fault.error().message};
  return operand;
}

Result<CaseProgram> build(const language::ProgramSpec& spec,
                          const language::ProgramVariant& variant) {
  CaseProgram out;
  out.program.device = variant.device;
  StepNames names;
  int id = 0;
  for (const language::TensorDecl& decl : variant.inputs) {
    Result<Operand> operand = operand_of(decl, program_path(spec, variant));
    if (!operand) return operand.error();
    out.program.inputs.push_back(operand_type(*operand));
    out.inputs.push_back(std::move(*operand));
    names[decl.name] = ValueRef{id++};
  }
  for (const language::TensorDecl& decl : variant.consts) {
    // The same whatever the axes: what a program captures is part of it.
    Result<Operand> operand = operand_of(decl, spec.name);
    if (!operand) return operand.error();
    out.program.constants.push_back(generate(*operand).contiguous());
    names[decl.name] = ValueRef{id++};
  }
  for (const language::Step& step : variant.steps) {
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
Status check(const language::SpecSet& specs, const CaseProgram& made,
             const std::string& raises) {
  if (misused_value(made.program)) {
    return Error{
        "a step or a result reads a value after another step has written where "
        "it may lie (which of reshape, contiguous and their like nobody knows) "
        "or changed its sizes, or writes to a constant; name what that step "
        "returns"};
  }
  const std::vector<Tensor> inputs = generate_all(made.inputs);
  const Result<language::ProgramTypes> types =
      language::type_program(specs, made.program, inputs);
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
std::string control_of(const language::SpecSet& specs,
                       const language::ProgramSpec& spec,
                       const language::ProgramVariant& variant) {
  if (variant.raises.empty()) return "";
  std::string control;
  for (const language::ProgramSpec& other : specs.programs) {
    if (spec.source.empty() || other.source != spec.source) continue;
    for (const language::ProgramVariant& v : other.variants) {
      if (!v.raises.empty()) continue;
      if (control.empty()) control = program_path(other, v);
      if (v.axes == variant.axes) return program_path(other, v);
    }
  }
  return control;
}

}  // namespace

void add_program_cases(const language::SpecSet& specs,
                       const language::ProgramSpec& spec,
                       std::vector<Case>* cases,
                       std::vector<std::string>* errors) {
  for (const language::ProgramVariant& variant : spec.variants) {
    const std::string path = program_path(spec, variant);
    Result<CaseProgram> made = build(spec, variant);
    Status fault = success();
    if (!made) {
      fault = made.error();
    } else {
      fault = check(specs, *made, variant.raises);
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
    Case c = make_case(names, std::move(*made));
    // Neighbours in a pack may hide that a compiler loses the order.
    c.packable = c.packable && !is_read_before_a_write(c.program);
    c.profile = spec.standard ? Profile::standard : Profile::full;
    cases->push_back(std::move(c));
  }
}

}  // namespace assay::cases
