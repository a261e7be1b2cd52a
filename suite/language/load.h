// Strict loading of a directory of specs.
#ifndef ASSAY_SUITE_LANGUAGE_LOAD_H_
#define ASSAY_SUITE_LANGUAGE_LOAD_H_

#include <filesystem>
#include <string>
#include <vector>

#include "suite/language/model/fault_spec.h"
#include "suite/language/model/spec.h"
#include "suite/language/syntax/located_text.h"

namespace assay::language {

struct LoadResult {
  SpecSet specs;
  std::vector<FaultSpec> faults;   // where they were asked for
  std::vector<Diagnostic> errors;  // all of all files; empty means usable
};

// A spec as it was read; `name` is what diagnostics print.
struct SourceFile {
  enum class Role {
    lets,
    clauses,
    dtypes,
    inputs,
    shapes,
    cases,
    kernels,
    boundaries,
    contexts,
    profile,
    operation,
    program,
    faults
  };
  std::string name;
  std::string text;
  Role role = Role::operation;
  // Read after all others, so that what clashes with one of them is its fault.
  bool last = false;
};

// Reads and checks all of them against each other.
LoadResult load_sources(std::vector<SourceFile> files);

// The role of a file of that name; its text decides between operations and
// programs.
SourceFile::Role role_of(const std::filesystem::path& file,
                         const std::string& text);

// Reads dir/ops/**/*.yaml, dir/programs/*.yaml, dir/shared/*.yaml,
// dir/contexts.yaml, dir/profile.yaml and dir/boundaries.yaml, then checks them
// against each other.
LoadResult load_specs(const std::filesystem::path& dir);

// The same, and the wrong implementations of dir/faults/**/*.yaml, which do not
// change what specs mean: the hash of the specs does not cover them.
LoadResult load_specs_and_faults(const std::filesystem::path& dir);

// One file alone (tests, `assay lint FILE`). `specs_dir` provides what specs
// share and the operations that contexts or a program call (all are then in the
// result too); empty: none. A draft outside of `specs_dir` stands for the spec
// of the same file name there. Only errors of this file and of shared ones are
// reported; operations of other files that have errors are left out.
LoadResult load_spec_file(const std::filesystem::path& file,
                          const std::filesystem::path& specs_dir);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_LOAD_H_
