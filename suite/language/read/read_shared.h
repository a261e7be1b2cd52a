// What specs share: the files of specs/shared. Most of it is kept as it
// stands in the file and read where a spec uses it.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_SHARED_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_SHARED_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suite/language/lets/lets.h"
#include "suite/language/read/read_fields.h"

namespace assay::language {

using NamedNodes = std::map<std::string, YamlNode>;

// `name(a, b): {that: ...}`.
struct SharedClause {
  std::vector<std::string> params;
  YamlNode body;  // a mapping
};

struct Shared {
  Lets lets;  // lets.yaml
  // clauses.yaml, by section ("requires") and name.
  std::map<std::pair<std::string, std::string>, SharedClause> clauses;
  NamedNodes dtypes;    // dtypes.yaml: lists of element types
  NamedNodes shapes;    // shapes.yaml: lists of bindings and of sizes
  NamedNodes inputs;    // inputs.yaml: generators, or generators by type
  NamedNodes families;  // cases.yaml: case families
  SolvedSet solved;     // boundaries.yaml
};

void read_shared_clauses(const YamlNode& root, Shared* shared, Faults* faults);
void read_shared_dtypes(const YamlNode& root, Shared* shared, Faults* faults);
void read_shared_shapes(const YamlNode& root, Shared* shared, Faults* faults);
void read_shared_inputs(const YamlNode& root, Shared* shared, Faults* faults);
void read_shared_cases(const YamlNode& root, Shared* shared, Faults* faults);

// Names of a map's entries, for messages.
std::vector<std::string> names_of(const NamedNodes& nodes);

// Generators by element type and category: {f32: ..., float: ...}.
bool is_by_type(const YamlNode& n);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_SHARED_H_
