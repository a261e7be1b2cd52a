// Equal columns as one: what a compiler makes for sm_80 and sm_86 is often the
// same, and a matrix of twenty columns is no longer read.
#ifndef ASSAY_HARNESS_REPORT_FOLD_H_
#define ASSAY_HARNESS_REPORT_FOLD_H_

#include "harness/report/report.h"

namespace assay::harness {

// Columns of one subject for several targets of CUDA whose cells are all the
// same, evidence included, become one: "bundled/cuda-sm_75,80,86". Its results
// are those of the first. Other columns stay as they are.
Report folded(Report report);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REPORT_FOLD_H_
