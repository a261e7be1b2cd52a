// Invalid inputs, derived from an operation's requirements.
#ifndef ASSAY_SUITE_CASES_INVALID_DERIVE_H_
#define ASSAY_SUITE_CASES_INVALID_DERIVE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "suite/cases/valid/base_cases.h"
#include "suite/cases/valid/call.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// A call that breaks one requirement and no other that can be evaluated.
struct Negative {
  std::string clause;  // "E4"
  std::string path;    // alone: "bmm/E4/f16-f32/2x3x5_2x5x4"
  // The valid case it was made from, by index: one of those that were given, or
  // behind them a control.
  std::size_t base = 0;
  std::string kind;  // of the change ("rank", "dtype", "size+dtype" ...)
  std::optional<std::size_t> operand;  // the one that was changed, by index
  Call call;
  bool beside = false;  // beyond the quota, and always tried
};

struct Derivation {
  // Varied, most telling first, at most kFullNegatives per requirement; then,
  // one of empty operands, one of 0-d ones and one of complex ones, where there
  // are such.
  std::vector<Negative> negatives;
  // Valid cases from which no other case is made.
  std::vector<BaseCase> controls;
  // "bmm/E2: why nothing was found".
  std::vector<std::string> uncovered;
};

// complex_elsewhere: another spec says what the overload does with complex
// operands.
Derivation derive_negatives(const language::OpSpec& spec,
                            const std::vector<BaseCase>& bases,
                            bool complex_elsewhere);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_INVALID_DERIVE_H_
