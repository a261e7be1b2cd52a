// How much machine code the floating-point instructions of a PTX function give
// reason for.
#ifndef ASSAY_PTX_LINT_BUDGET_H_
#define ASSAY_PTX_LINT_BUDGET_H_

#include <array>
#include <cstddef>
#include <map>

#include "ptx/lint/sass.h"
#include "ptx/text/module.h"

namespace assay::ptx {

struct Budget {
  // Fused multiply-adds by the bits of their format: 16, 32, 64.
  std::map<unsigned, std::size_t> fused;
  std::array<std::size_t, kMufuFunctions> functions{};
  bool may_flush = false;  // f32 arithmetic of machine code may say .FTZ
  // Nothing is repeated: no loop, no call, and the cost of every instruction
  // is known.
  bool exact = true;
};

Budget budget_of(const Function& f);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_BUDGET_H_
