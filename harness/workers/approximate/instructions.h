// The approximate instructions whose results can be recorded: those of one
// operand of 32 or 16 bits. All pairs of a division are 2^64, and a double's
// inputs as many: their bits stay open.
#ifndef ASSAY_HARNESS_WORKERS_APPROXIMATE_INSTRUCTIONS_H_
#define ASSAY_HARNESS_WORKERS_APPROXIMATE_INSTRUCTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ptx/numbers/approximate.h"

namespace assay::harness::worker {

// What a device gives with .ftz is recorded apart: without it, compilers of
// machine code surround the same unit with scaling.
struct ApproximateInstruction {
  const char* name;  // "ex2.approx.ftz.f32"
  ptx::Approximate function;
  bool ftz;
  unsigned bits;       // of the operand and the result
  const char* target;  // the oldest that has it, with the PTX version
  const char* version;

  std::uint64_t inputs() const { return std::uint64_t{1} << bits; }
};

std::span<const ApproximateInstruction> approximate_instructions();

// Null where there is none of that name.
const ApproximateInstruction* find_approximate(std::string_view name);

// PTX whose entry "record" writes the results of the inputs first ... first +
// count - 1 to consecutive elements. Parameters: the address (u64), first and
// count (u32); a thread for each input, in one dimension.
std::string recording_kernel(const ApproximateInstruction& instruction);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_APPROXIMATE_INSTRUCTIONS_H_
