// What a program asks of the code that is compiled from it, for the lint.
#ifndef ASSAY_HARNESS_WORKERS_PLANS_LINT_EXPECTATION_H_
#define ASSAY_HARNESS_WORKERS_PLANS_LINT_EXPECTATION_H_

#include "core/program.h"
#include "ptx/lint/ptx_lint.h"

namespace assay::harness::worker {

// Casts count where the program names them, they can lose something, and what
// they lose can be seen in an output. That needs the dtype of the operand: it
// is known of inputs and casts, and through operations that keep it; other
// operands' casts are left out. Fused operations are known to be none where
// every operation is one that needs none.
ptx::Expectation expectation_of(const Program& program);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_LINT_EXPECTATION_H_
