#include "compiler/testing/shipped_clauses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "compiler/ops/operation.h"
#include "core/program_text.h"
#include "suite/language/load.h"

namespace assay::compiler {
namespace {

// What the compiler never sees, and its test does.
const language::SpecSet& specs() {
  static const language::LoadResult loaded =
      language::load_specs(ASSAY_SOURCE_DIR "/specs");
  for (const auto& d : loaded.errors) ADD_FAILURE() << language::to_string(d);
  return loaded.specs;
}

}  // namespace

std::string text_of_call(const std::string& inputs, const std::string& call) {
  std::string text = "assay-program 1\n";
  int id = 0;
  std::string left = inputs;
  for (std::size_t at; !left.empty(); left.erase(0, at)) {
    at = std::min(left.find("; "), left.size());
    text +=
        "%" + std::to_string(id++) + " = input " + left.substr(0, at) + "\n";
    at = std::min(at + 2, left.size());
  }
  const std::string result = "%" + std::to_string(id);
  return text + result + " = aten." + call + "\nreturn " + result + "\n";
}

Imported import_text(const std::string& text) {
  const Result<Program> program = parse_program(text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  Result<Imported> imported = import_program(*program);
  EXPECT_TRUE(imported.ok()) << imported.error().message << "\n" << text;
  return *std::move(imported);
}

std::map<std::string, std::map<std::string, std::set<std::string>>>
spec_clauses() {
  std::map<std::string, std::map<std::string, std::set<std::string>>> out;
  for (const language::OpSpec& op : specs().ops) {
    auto& clauses = out[op.name];
    for (const language::Requirement& r : op.requires_) {
      clauses[r.id] = {r.raises.begin(), r.raises.end()};
    }
  }
  return out;
}

std::map<std::string, std::string> spec_overloads() {
  std::map<std::string, std::string> out;
  for (const language::OpSpec& op : specs().ops) {
    // No lowering by hand knows of complex numbers.
    if (!op.is_of_complex()) out[op.name] = op.aten;
  }
  return out;
}

std::set<std::string> lowered_specs() {
  std::set<std::string> out;
  for (const auto& [spec, aten] : spec_overloads()) {
    if (find_operation(aten) != nullptr) out.insert(spec);
  }
  return out;
}

}  // namespace assay::compiler
