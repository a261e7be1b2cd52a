// The valid cases of an operation, alone: its case groups and boundaries
// written out over shapes, types, attributes, numbers and layouts.
#ifndef ASSAY_SUITE_CASES_VALID_BASE_CASES_H_
#define ASSAY_SUITE_CASES_VALID_BASE_CASES_H_

#include <string>
#include <vector>

#include "suite/cases/valid/call.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// Which operands a layout is given to: to all, or to the first alone, or to all
// but the first, where the others are contiguous.
enum class Laid { all, first, others };

struct BaseCase {
  std::string path;    // without a context
  std::string clause;  // "C1", "B2"
  Call call;           // operands seeded
  language::Layout layout = language::Layout::contiguous;
  Laid laid = Laid::all;
  bool standard = true;  // its group's profile
  double vacuous = language::kVacuousShare;
  bool unbiased = false;
  bool boundary = false;
  bool solved = false;  // a boundary of stored values
  // Contexts that its group asks for; `all_contexts` overrides.
  bool all_contexts = false;
  std::vector<std::string> contexts;
};

// "", "transposed", "transposed_first".
std::string laid_segment(const BaseCase& c);

// Fills in path and seeds from clause, call and layout. A `part` is one of
// several cases of the same form.
void name_case(BaseCase* c, const std::string& part = "");

struct BaseCases {
  std::vector<BaseCase> cases;  // paths unique
  std::vector<std::string> errors;
};

BaseCases base_cases(const language::OpSpec& spec);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_VALID_BASE_CASES_H_
