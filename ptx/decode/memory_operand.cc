#include "ptx/decode/memory_operand.h"

#include <string>

namespace assay::ptx {

Space space_of_access(const Instruction& i) {
  for (const std::string& m : i.modifiers) {
    if (m == "global") return Space::global;
    if (m == "shared" || m == "shared::cta") return Space::shared;
    if (m == "local") return Space::local;
    if (m == "const") return Space::constant;
    if (m.starts_with("param")) return Space::param;
  }
  return Space::generic;
}

MemoryOperand memory_operand(Emitter& e, const Operand& o, Access& access) {
  if (o.kind != Operand::Kind::address || o.elements.size() != 1)
    e.refuse("an address in brackets is needed");
  const Operand& base = o.elements[0];
  MemoryOperand result;
  result.offset = static_cast<std::uint64_t>(o.offset);
  if (base.kind == Operand::Kind::symbol) {
    result.base = e.symbol(base, 64, 0);
    auto variable = e.find_variable(base.name);
    // Kernel parameters lie in a buffer of their own, the others in the
    // thread's local memory.
    if (access.space == Space::param)
      access.space =
          variable && variable->kind == Emitter::Binding::Kind::parameter
              ? Space::global
              : Space::local;
    return result;
  }
  unsigned bits = e.width_of(base, 64);
  if (bits != 32 && bits != 64) e.refuse("an address of 32 or 64 bits");
  if (bits == 32 && access.space == Space::generic)
    e.refuse("a generic address of 32 bits");
  access.address_is_32 = bits == 32;
  result.base = e.source(base, bits);
  // A register can only hold the address of a kernel's parameter.
  if (access.space == Space::param) access.space = Space::global;
  if (access.space == Space::constant) access.space = Space::global;
  return result;
}

}  // namespace assay::ptx
