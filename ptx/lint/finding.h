// What a lint says about compiled code. Nothing was executed: a finding is
// about the text, and no finding is no proof that the results are right.
#ifndef ASSAY_PTX_LINT_FINDING_H_
#define ASSAY_PTX_LINT_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ptx {

// In order of weight: what is certain and changes results comes first.
// docs/ptx-lint.md says what each of them proves.
enum class Rule : std::uint8_t {
  no_machine_code,  // the assembler refuses the PTX for the target
  wrong_target,     // machine code or PTX of another target
  lost_cast,        // a rounding that the program names is nowhere
  contracted,       // machine code fuses what the PTX rounds twice
  flushes,          // subnormals become zero
  approximates,     // results with a bound instead of a definition
  implicit_tf32,    // ten bits of significand where nobody asked for them
  unordered,        // sums whose order no program and no clause fixes
  packed_f32x2,     // a packed product and sum that ptxas fuses
  fused,            // more fused multiply-adds than the program has
  may_contract,     // a product and sum that the assembler may fuse
  varies,           // two compilations, two results
};

std::string_view rule_name(Rule rule);

struct Finding {
  Rule rule;
  int line = 0;             // of the PTX; 0: about machine code or the whole
  std::string instruction;  // "ex2.approx.ftz.f32", "FFMA2", "cvt to f16"
  std::string message;      // the rest of the sentence
};

// For reports: one line for a rule and instruction, the weightiest first, at
// most `limit`: "flushes: ex2.approx.ftz.f32 (PTX line 55, 3 times)".
std::vector<std::string> summary(const std::vector<Finding>& findings,
                                 std::size_t limit);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_FINDING_H_
