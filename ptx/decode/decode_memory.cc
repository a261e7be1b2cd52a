// ld, st, ldu and their vectors; fences.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ptx/decode/decode.h"
#include "ptx/decode/memory_operand.h"
#include "ptx/machine/access.h"
#include "ptx/machine/block.h"

namespace assay::ptx {
namespace {

bool synchronises(const Instruction& i) {
  return i.has("volatile") || i.has("relaxed") || i.has("acquire") ||
         i.has("release") || i.has("mmio");
}

// Loads of parameters whose place is known are constants of the launch.
bool load_parameter(Emitter& e, const Access& access) {
  const Operand& address = e.operand(1);
  const Operand& base = address.elements.at(0);
  if (base.kind != Operand::Kind::symbol) return false;
  auto variable = e.find_variable(base.name);
  if (!variable || variable->kind != Emitter::Binding::Kind::parameter)
    return false;
  for (std::size_t i = 0; i < access.slots.size(); ++i) {
    unsigned bits = access.widths[i] * 8;
    Constant c;
    c.kind = Constant::Kind::parameter;
    c.index = static_cast<std::uint32_t>(
        variable->offset + static_cast<std::uint64_t>(address.offset) +
        i * access.bytes);
    c.source_width = access.bytes;
    c.sign_extend = access.sign_extend;
    c.width = access.widths[i];
    e.emit(for_width(Lane::copy_16, bits), access.slots[i],
           e.launch_constant(c));
  }
  return true;
}

void transfer(Emitter& e, bool is_load) {
  const Instruction& i = e.instruction();
  Type t = type_of(e);
  if (bits_of(t) > 64) e.refuse("128-bit elements");
  Access access;
  access.space = space_of_access(i);
  access.bytes = bytes_of(t);
  access.sign_extend = is_signed(t);
  access.is_volatile = synchronises(i);
  const Operand& data = e.operand(is_load ? 0 : 1);
  std::vector<Operand> single;
  if (data.kind != Operand::Kind::vector) single = {data};
  const auto& elements = single.empty() ? data.elements : single;
  for (const Operand& o : elements) {
    unsigned asked = std::max(bits_of(t), 16U);
    unsigned width = e.width_of(o, asked);
    if (width < bits_of(t)) e.refuse("a register that is too narrow");
    access.slots.push_back(is_load ? e.destination(o, width)
                                   : e.source(o, width));
    access.widths.push_back(width / 8);
  }
  if (is_load && load_parameter(e, access)) return;
  e.note_grain(access.space, access.bytes);
  if (access.is_volatile && access.space != Space::shared)
    e.kernel().synchronises_globally = true;
  MemoryOperand where = memory_operand(e, e.operand(is_load ? 1 : 0), access);
  Operation& op = e.emit_warp(is_load ? run_load : run_store);
  op.a = where.base;
  op.imm = where.offset;
  op.list = e.add_access(std::move(access));
}

void ld(Emitter& e) { transfer(e, true); }
void st(Emitter& e) {
  if (e.instruction().has("async") || e.instruction().has("bulk"))
    e.refuse("asynchronous stores");
  transfer(e, false);
}

void run_fence(Warp& w, const Operation&, std::uint32_t) {
  BlockOrder* order = w.block().workspace().order;
  if (order == nullptr) return;
  order->release(w.block().index());
  order->acquire(w.block().index());
}

// Memory is always as every thread has left it; a fence only tells the search
// for races that blocks are ordered.
void fence(Emitter& e) {
  if (e.instruction().has("cta")) return;
  e.emit_warp(run_fence);
}

}  // namespace

std::span<const Decoder> memory_decoders() {
  static constexpr Decoder kTable[] = {
      {"fence", fence}, {"ld", ld}, {"ldu", ld}, {"membar", fence}, {"st", st},
  };
  return kTable;
}

}  // namespace assay::ptx
