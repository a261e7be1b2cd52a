#include "harness/commands/cases/instruction_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/text/module.h"
#include "ptx/text/parser.h"

namespace assay::harness {
namespace {

bool moves_or_jumps(const ptx::Instruction& i) {
  constexpr std::array<std::string_view, 13> kOpcodes = {
      "ld",   "st",   "ldu", "mov", "cvta",    "bra",     "ret",
      "exit", "call", "bar", "nop", "barrier", "prefetch"};
  return std::find(kOpcodes.begin(), kOpcodes.end(), i.opcode) !=
         kOpcodes.end();
}

bool is_of_floats(const ptx::Instruction& i) {
  const std::vector<ptx::Type> types = i.types();
  return std::any_of(types.begin(), types.end(), ptx::is_floating);
}

// Each module begins with a line ".version".
std::vector<std::string> modules_of(const std::string& text) {
  constexpr std::string_view kBegin = ".version";
  std::vector<std::string> out;
  std::size_t at = text.find(kBegin);
  while (at != std::string::npos) {
    const std::size_t next = text.find(kBegin, at + kBegin.size());
    out.push_back(text.substr(at, next - at));
    at = next;
  }
  return out;
}

}  // namespace

Result<std::string> instruction_path(const std::string& text) {
  std::vector<std::pair<std::string, std::size_t>> floats;
  std::size_t others = 0;
  for (const std::string& part : modules_of(text)) {
    const Result<ptx::Module> module = ptx::parse_module(part);
    if (!module) return module.error();
    for (const ptx::Function& f : module->functions) {
      for (const ptx::Instruction& i : f.body) {
        if (moves_or_jumps(i)) continue;
        if (!is_of_floats(i)) {
          ++others;
          continue;
        }
        const std::string opcode = i.full_opcode();
        const auto seen = std::find_if(
            floats.begin(), floats.end(),
            [&](const auto& item) { return item.first == opcode; });
        if (seen == floats.end()) {
          floats.emplace_back(opcode, 1);
        } else {
          ++seen->second;
        }
      }
    }
  }
  std::vector<std::string> words;
  for (const auto& [opcode, count] : floats) {
    words.push_back(count == 1 ? opcode
                               : fmt::format("{} ({})", opcode, count));
  }
  return fmt::format("{}{}{} of integers and bits", fmt::join(words, ", "),
                     words.empty() ? "" : "; ", others);
}

}  // namespace assay::harness
