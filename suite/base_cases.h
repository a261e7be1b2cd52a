// The valid cases of an operation, alone: its case groups and boundaries
// written out over shapes, types, attributes, numbers and layouts.
#ifndef ASSAY_SUITE_BASE_CASES_H_
#define ASSAY_SUITE_BASE_CASES_H_

#include <string>
#include <vector>

#include "suite/call_plan.h"
#include "suite/spec.h"

namespace assay {

struct BaseCase {
  std::string path;    // without a context
  std::string clause;  // "C1", "B2"
  CallPlan plan;       // operands seeded
  Layout layout = Layout::contiguous;
  bool quick = true;  // its group's profile
  double vacuous = kVacuousShare;
  bool unbiased = false;
  bool boundary = false;
  bool solved = false;  // a boundary of stored values
  // Contexts that its group asks for; `all_contexts` overrides.
  bool all_contexts = false;
  std::vector<std::string> contexts;
};

struct BaseCases {
  std::vector<BaseCase> cases;  // paths unique
  std::vector<std::string> errors;
};

BaseCases base_cases(const OpSpec& spec);

// Is every element of the result a function of the elements at its own place
// (after broadcasting) and of nothing else? Such operations may be given any
// shape, and a vector of special values shows all that a matrix shows.
bool is_pointwise(const OpSpec& spec);
// Does the value combine several elements of an operand?
bool has_reduction(const OpSpec& spec);

}  // namespace assay

#endif  // ASSAY_SUITE_BASE_CASES_H_
