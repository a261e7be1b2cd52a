// Program (ptx/machine/machine.h): text becomes kernels that can be launched.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ptx/decode/decode.h"
#include "ptx/machine/machine.h"
#include "ptx/machine/program.h"
#include "ptx/text/parser.h"

namespace assay::ptx {

Result<Program> Program::load(std::string_view ptx) {
  auto module = parse_module(ptx);
  if (!module) return module.error();
  auto compiled = std::make_shared<CompiledModule>();
  compiled->module = std::move(module).value();
  const auto& variables = compiled->module.variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i)
    if (variables[i].space == Space::global ||
        variables[i].space == Space::constant)
      compiled->globals.emplace(variables[i].name, i);
  for (const Function& f : compiled->module.functions)
    if (f.is_entry && f.is_defined)
      compiled->kernels.emplace(f.name, compile_kernel(*compiled, f));
  Program program;
  program.compiled_ = std::move(compiled);
  return program;
}

const Module& Program::module() const { return compiled_->module; }

std::vector<std::string> Program::entries() const {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : compiled_->kernels) names.push_back(name);
  return names;
}

Status Program::check(std::string_view entry) const {
  auto known = compiled_->kernels.find(entry);
  if (known == compiled_->kernels.end())
    return Error{"the module has no entry " + std::string(entry)};
  if (!known->second) return known->second.error();
  return success();
}

}  // namespace assay::ptx
