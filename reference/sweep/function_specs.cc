#include "reference/sweep/function_specs.h"

#include <cstdlib>

#include "reference/numbers/elementary.h"
#include "suite/language/load.h"

namespace assay::reference {
namespace {

std::string spec_text(const std::string& name) {
  return "op: " + name + "\naten: aten.function_" + name +
         ".default\n"
         "doc: The function by itself.\n"
         "params:\n  x: {tensor: T, shape: [S...]}\n"
         "dtypes: {T: [f32, f16, bf16]}\n"
         "result: {dtype: T, shape: shape(x)}\n"
         "value: {V1: \"out[i...] = " +
         name +
         "(x[i...])\"}\n"
         "accuracy: {A1: {bound: correctly_rounded}}\n"
         "cases: {C1: {shapes: [{S: [64]}], inputs: {x: special}}}\n";
}

}  // namespace

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i < kElementaryFunctions; ++i) {
      all.emplace_back(elementary_name(static_cast<Elementary>(i)));
    }
    all.emplace_back("rsqrt");
    return all;
  }();
  return names;
}

const language::SpecSet& function_specs() {
  static const language::SpecSet specs = [] {
    std::vector<language::SourceFile> files;
    for (const std::string& name : function_names()) {
      files.push_back({name + ".yaml", spec_text(name),
                       language::SourceFile::Role::operation});
    }
    language::LoadResult loaded = language::load_sources(std::move(files));
    // The text above is part of the program.
    if (!loaded.errors.empty()) std::abort();
    return std::move(loaded.specs);
  }();
  return specs;
}

}  // namespace assay::reference
