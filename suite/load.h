// Strict loading of a directory of specs.
#ifndef ASSAY_SUITE_LOAD_H_
#define ASSAY_SUITE_LOAD_H_

#include <filesystem>
#include <string>
#include <vector>

#include "suite/spec.h"

namespace assay {

struct Diagnostic {
  std::string file;
  SourcePos pos;
  std::string message;  // what was found, what was expected
};

// "file:line:column: message"
std::string to_string(const Diagnostic& d);

struct LoadResult {
  SpecSet specs;
  std::vector<Diagnostic> errors;  // all of all files; empty means usable
};

// A spec as it was read; `name` is what diagnostics print.
struct SourceFile {
  enum class Role { sweeps, boundaries, contexts, operation, program };
  std::string name;
  std::string text;
  Role role = Role::operation;
};

// Reads and checks all of them against each other.
LoadResult load_sources(std::vector<SourceFile> files);

// What a file of that name is, the content deciding between operations and
// programs.
SourceFile::Role role_of(const std::filesystem::path& file,
                         const std::string& text);

// Reads dir/ops/*.yaml, dir/programs/*.yaml, dir/contexts.yaml,
// dir/sweeps.yaml and dir/boundaries.yaml, then checks them against each other.
LoadResult load_specs(const std::filesystem::path& dir);

// One file alone (tests, `assay lint FILE`). `specs_dir` provides sweeps,
// boundaries, contexts and the operations that they or a program call (all are
// then in the result too); empty: none. Only this file's errors are reported.
LoadResult load_spec_file(const std::filesystem::path& file,
                          const std::filesystem::path& specs_dir);

}  // namespace assay

#endif  // ASSAY_SUITE_LOAD_H_
