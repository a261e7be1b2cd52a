// Checks of what was read: names and kinds in expressions, promises that
// could never matter, references between files.
#ifndef ASSAY_SUITE_CHECK_H_
#define ASSAY_SUITE_CHECK_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suite/load.h"
#include "suite/read_fields.h"

namespace assay {

// Where the fields stand that the model does not hold positions of.
struct Places {
  std::map<std::pair<std::string, std::string>, SourcePos> field;
  std::map<std::string, std::pair<std::string, SourcePos>> context;
};

// One operation by itself.
void check_op(const OpSpec& op, Faults* faults);

// Specs against each other.
void check_set(const SpecSet& specs, const Places& places,
               std::vector<Diagnostic>* errors);

}  // namespace assay

#endif  // ASSAY_SUITE_CHECK_H_
