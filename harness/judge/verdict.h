// The three-way verdict on a case: oracle, eager and compiled.
#ifndef ASSAY_HARNESS_JUDGE_VERDICT_H_
#define ASSAY_HARNESS_JUDGE_VERDICT_H_

#include <string>
#include <vector>

#include "harness/records/result.h"

namespace assay::harness {

// Columns that run eager LibTorch are called eager@VERSION/..., or
// torch-eager@VERSION/... where Python calls it, on a GPU for instance.
bool is_eager_column(const std::string& column);

// `results` are those of one case, one per column. A column that did not run
// the case, or that could not be judged, has no say.
Verdict verdict_of(const std::vector<const CaseResult*>& results);

// Gives every result the verdict of its case.
void set_verdicts(std::vector<CaseResult>* results);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_VERDICT_H_
