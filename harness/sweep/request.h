// What the command line asks to sweep: "exp", "gelu{approximate=tanh}".
#ifndef ASSAY_HARNESS_SWEEP_REQUEST_H_
#define ASSAY_HARNESS_SWEEP_REQUEST_H_

#include <string>

#include "core/result.h"
#include "reference/sweep/sweep.h"

namespace assay::harness {

// In braces stand values of the spec's parameters that are no tensors, where
// they differ from the defaults. An error says what is not understood; whether
// there is such an operation, Sweep::open says.
Result<reference::SweepRequest> parse_sweep(const language::SpecSet& specs,
                                            const std::string& text,
                                            DType dtype);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SWEEP_REQUEST_H_
