#include "ptx/text/module.h"

#include <algorithm>

namespace assay::ptx {

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) !=
         modifiers.end();
}

std::vector<Type> Instruction::types() const {
  std::vector<Type> types;
  for (const std::string& word : modifiers)
    if (auto type = parse_type(word)) types.push_back(*type);
  return types;
}

std::string Instruction::full_opcode() const {
  std::string text = opcode;
  for (const std::string& word : modifiers) text += "." + word;
  return text;
}

const Function* Module::find(std::string_view name) const {
  const Function* declared = nullptr;
  for (const Function& f : functions) {
    if (f.name != name) continue;
    if (f.is_defined) return &f;
    declared = &f;
  }
  return declared;
}

std::map<std::string, std::size_t> Module::count_opcodes() const {
  std::map<std::string, std::size_t> counts;
  for (const Function& f : functions)
    for (const Instruction& i : f.body) ++counts[i.full_opcode()];
  return counts;
}

}  // namespace assay::ptx
