// How much of PyTorch the specs speak of: its core overloads, and the calls of
// its OpInfo entries, which `assay schemas` records as data in specs/schemas.
#ifndef ASSAY_SUITE_LANGUAGE_SCHEMA_COVERAGE_H_
#define ASSAY_SUITE_LANGUAGE_SCHEMA_COVERAGE_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/torch_version.h"
#include "suite/language/model/spec.h"
#include "suite/language/schema/schema.h"

namespace assay::language {

struct OpInfoEntry {
  std::vector<std::string> dtypes;  // that it takes on the CPU; c64 among them
  std::vector<std::string> calls;   // overloads, where its samples run
};
using OpInfoSet = std::map<std::string, OpInfoEntry>;

// specs/schemas/opinfo-2.11.yaml in a folder of specs.
std::filesystem::path opinfo_file(const std::filesystem::path& specs_dir,
                                  TorchVersion torch = kDefaultTorch);
OpInfoSet load_opinfo(const std::filesystem::path& file,
                      std::vector<Diagnostic>* faults);

// specs/unspecified.yaml: why a core overload has no spec.
using Unspecified = std::map<std::string, LocatedText>;
Unspecified load_unspecified(const std::filesystem::path& file,
                             std::vector<Diagnostic>* faults);

// What an entry of OpInfo calls or takes and no spec speaks of.
struct Uncovered {
  std::string entry;
  std::vector<std::string> overloads;  // without a spec
  // Where each has one: dtypes, and overloads whose specs take none of these.
  std::map<std::string, std::vector<std::string>> dtypes;
};

struct Coverage {
  int overloads = 0;  // with a spec
  int core = 0;       // overloads that PyTorch tags so
  int core_specified = 0;
  int core_explained = 0;     // without a spec, but with a reason
  int entries = 0;            // of OpInfo
  int entries_specified = 0;  // that call something, and only what has a spec
  int entries_in_part = 0;    // that call something that has one
  // Pairs of an entry of the first kind and a dtype that it takes, and those
  // whose overloads all have an operand of that dtype in their specs.
  struct Dtypes {
    int taken = 0;
    int specified = 0;
  };
  Dtypes real, complex;
  std::vector<Uncovered> uncovered;  // by name of the entry
};

Coverage coverage_of(const SpecSet& specs, const SchemaSet& schemas,
                     const Unspecified& unspecified, const OpInfoSet& opinfo);

// Core overloads with neither spec nor reason; reasons of what has a spec, or
// is no core overload.
std::vector<Diagnostic> check_unspecified(const SpecSet& specs,
                                          const SchemaSet& schemas,
                                          const Unspecified& unspecified,
                                          const std::string& file);

// A table in Markdown, as README.md shows it.
std::string coverage_table(const Coverage& c, TorchVersion torch);

// One line for each entry that is not covered: what to write next.
std::string uncovered_list(const Coverage& c);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SCHEMA_COVERAGE_H_
