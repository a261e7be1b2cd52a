// Machine code held against the PTX that it was made of.
#ifndef ASSAY_PTX_LINT_SASS_LINT_H_
#define ASSAY_PTX_LINT_SASS_LINT_H_

#include <optional>
#include <string_view>
#include <vector>

#include "ptx/lint/cubin.h"
#include "ptx/lint/finding.h"
#include "ptx/text/module.h"

namespace assay::ptx {

// PTX that the target cannot load. `target`: what was asked for, "sm_90a".
std::optional<Finding> lint_target(const Module& module,
                                   std::string_view target);

// Counts are compared, not data flow: what the assembler adds for an
// instruction of the PTX (a division is a reciprocal and four fused
// multiply-adds) is known, and what exceeds the sum was made of something
// else. An assembler that unrolls a loop or inlines a call repeats
// instructions, so such kernels are judged only where the PTX gives no reason
// at all for a kind of instruction.
std::vector<Finding> lint_machine_code(const Module& module, const Cubin& cubin,
                                       std::string_view target);

// Two compilations of the same text for the same target.
std::optional<Finding> compare_compilations(std::string_view first,
                                            std::string_view second);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_SASS_LINT_H_
