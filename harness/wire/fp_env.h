// The floating-point control register of the calling thread: rounding mode,
// flush-to-zero, denormals-are-zero and exception masks, without the sticky
// status bits. Zero where the machine has none that we know.
#ifndef ASSAY_HARNESS_WIRE_FP_ENV_H_
#define ASSAY_HARNESS_WIRE_FP_ENV_H_

#include <cstdint>
#include <string>

namespace assay::harness {

// x86: MXCSR & 0xffc0. AArch64: FPCR.
std::uint32_t fp_control();
void set_fp_control(std::uint32_t control);

// What differs, in words: "flush-to-zero set, rounding toward zero".
std::string describe_fp_change(std::uint32_t before, std::uint32_t after);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_WIRE_FP_ENV_H_
