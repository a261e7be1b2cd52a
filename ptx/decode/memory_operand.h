// Operands of the form [base + offset], of all instructions with one.
#ifndef ASSAY_PTX_DECODE_MEMORY_OPERAND_H_
#define ASSAY_PTX_DECODE_MEMORY_OPERAND_H_

#include <cstdint>

#include "ptx/decode/emitter.h"

namespace assay::ptx {

struct MemoryOperand {
  std::uint32_t base = kZeroSlot;
  std::uint64_t offset = 0;
};

// The state space among the modifiers; generic if there is none.
Space space_of_access(const Instruction& i);

// Sets access.address_is_32, and access.space where the base is a variable
// whose space says more than the instruction does.
MemoryOperand memory_operand(Emitter& e, const Operand& o, Access& access);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_DECODE_MEMORY_OPERAND_H_
