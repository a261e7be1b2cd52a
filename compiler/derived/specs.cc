#include "compiler/derived/specs.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "suite/language/load.h"

namespace assay::compiler {
namespace {

std::filesystem::path folder() {
  if (const char* named = std::getenv("ASSAY_SPECS")) return named;
  const char* home = std::getenv("ASSAY_HOME");
  return std::filesystem::path(home != nullptr ? home : ASSAY_SOURCE_DIR) /
         "specs";
}

Result<language::SpecSet> load() {
  const std::filesystem::path from = folder();
  std::error_code failed;
  if (!std::filesystem::is_directory(from, failed)) {
    return Error{
        fmt::format("there are no specs in {}; set ASSAY_HOME", from.string())};
  }
  language::LoadResult loaded = language::load_specs(from);
  if (!loaded.errors.empty()) {
    return Error{fmt::format("the specs in {} have errors", from.string())};
  }
  return std::move(loaded.specs);
}

}  // namespace

const Result<language::SpecSet>& specs() {
  static const auto* const loaded = new Result<language::SpecSet>(load());
  return *loaded;
}

}  // namespace assay::compiler
