// What GPU code computes with, in a line.
#ifndef ASSAY_HARNESS_COMMANDS_CASES_INSTRUCTION_PATH_H_
#define ASSAY_HARNESS_COMMANDS_CASES_INSTRUCTION_PATH_H_

#include <string>

#include "core/result.h"

namespace assay::harness {

// "lg2.approx.f32, fma.rn.f32 (24), cvt.rp.satfinite.ue8m0x2.f32; 7 of integers
// and bits": the instructions on floating-point formats in the order in which
// they first stand in `ptx`, with how often they stand there, and a count of
// those that compute with integers, addresses among them. What only moves,
// compares addresses or jumps is left out. `ptx` may be several modules, one
// after the other.
Result<std::string> instruction_path(const std::string& ptx);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_CASES_INSTRUCTION_PATH_H_
