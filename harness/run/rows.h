// Clause D2: a row has the same bits whether it is alone or beside others. Of
// subjects that promise it (docs/subject-protocol.md), the call of a case is
// asked for once more, with one row of its operands.
#ifndef ASSAY_HARNESS_RUN_ROWS_H_
#define ASSAY_HARNESS_RUN_ROWS_H_

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "harness/subject/executor.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// `seen` is what the program returned: a row with other bits becomes a breach
// of it, and where no answer comes for a row alone, that is what was seen.
// `needs_types` as in ColumnPlan.
void ask_rows(const language::SpecSet& specs, const Program& program,
              const std::vector<Tensor>& inputs, bool needs_types,
              std::chrono::milliseconds deadline, Executor& executor,
              Observation* seen);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_ROWS_H_
