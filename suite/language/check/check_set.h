// Specs against each other: names that must be unique, steps that call known
// operations on known values, clauses and contexts that must exist.
#ifndef ASSAY_SUITE_LANGUAGE_CHECK_CHECK_SET_H_
#define ASSAY_SUITE_LANGUAGE_CHECK_CHECK_SET_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suite/language/model/spec.h"
#include "suite/language/read/read_fields.h"

namespace assay::language {

// Where the fields stand for which the model holds no positions.
struct Places {
  std::map<std::pair<std::string, std::string>, SourcePos> field;
  std::map<std::string, std::pair<std::string, SourcePos>> context;
};

void check_set(const SpecSet& specs, const Places& places,
               std::vector<Diagnostic>* errors);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_CHECK_CHECK_SET_H_
