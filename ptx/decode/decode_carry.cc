// addc, subc, madc, and the .cc forms of add, sub and mad: arithmetic through
// the condition code. The code is a predicate of the function's own.
#include <cstdint>

#include "ptx/decode/decode.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

__extension__ typedef unsigned __int128 Wide;

enum : std::uint64_t { kSubtract = 1, kCarryIn = 2, kCarryOut = 4 };

// d = a +- b +- carry; c: slot of the condition code.
template <class T>
void run_carry(Warp& w, const Operation& op, std::uint32_t mask) {
  const T* a = w.slot<T>(op.a);
  const T* b = w.slot<T>(op.b);
  T* d = w.slot<T>(op.d);
  std::uint32_t& code = w.predicate(op.c);
  std::uint32_t undefined = w.taint(op.a) | w.taint(op.b);
  if ((op.imm & kCarryIn) != 0) undefined |= w.taint(op.c);
  std::uint32_t out = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (((mask >> l) & 1U) == 0) continue;
    Wide carry = (op.imm & kCarryIn) != 0 ? (code >> l) & 1U : 0U;
    Wide sum = (op.imm & kSubtract) != 0 ? Wide{a[l]} - b[l] - carry
                                         : Wide{a[l]} + b[l] + carry;
    d[l] = static_cast<T>(sum);
    // Of a difference this is the borrow.
    if (((sum >> (8 * sizeof(T))) & 1U) != 0) out |= std::uint32_t{1} << l;
  }
  w.set_taint(op.d, mask, undefined);
  if ((op.imm & kCarryOut) == 0) return;
  code = (code & ~mask) | out;
  w.set_taint(op.c, mask, undefined);
}

void emit_carry(Emitter& e, std::uint32_t d, std::uint32_t a, std::uint32_t b,
                std::uint64_t mode) {
  unsigned bits = bits_of(type_of(e));
  if (bits != 32 && bits != 64) e.refuse("this type");
  std::uint32_t code = e.carry_slot();
  Operation& op = e.emit_warp(bits == 32 ? run_carry<std::uint32_t>
                                         : run_carry<std::uint64_t>);
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = code;
  op.imm = mode;
}

std::uint64_t carry_out(const Emitter& e) {
  return e.instruction().has("cc") ? std::uint64_t{kCarryOut} : 0;
}

void sum(Emitter& e, std::uint64_t mode) {
  unsigned bits = bits_of(type_of(e));
  emit_carry(e, e.destination(0, bits), e.source(1, bits), e.source(2, bits),
             mode | carry_out(e));
}

void addc(Emitter& e) { sum(e, kCarryIn); }
void subc(Emitter& e) { sum(e, kCarryIn | kSubtract); }

void mad_with(Emitter& e, std::uint64_t mode) {
  Type t = type_of(e);
  unsigned bits = bits_of(t);
  std::uint32_t product = e.temporary(bits);
  Lane family = Lane::mul_16;
  if (e.instruction().has("hi"))
    family = is_signed(t) ? Lane::mul_hi_s_16 : Lane::mul_hi_u_16;
  e.emit(for_width(family, bits), product, e.source(1, bits),
         e.source(2, bits));
  emit_carry(e, e.destination(0, bits), product, e.source(3, bits),
             mode | carry_out(e));
}

void madc(Emitter& e) { mad_with(e, kCarryIn); }

}  // namespace

bool decode_carry_out(Emitter& e) {
  const Instruction& i = e.instruction();
  if (!i.has("cc")) return false;
  if (i.opcode == "add") sum(e, 0);
  if (i.opcode == "sub") sum(e, kSubtract);
  if (i.opcode == "mad") mad_with(e, 0);
  return true;
}

std::span<const Decoder> carry_decoders() {
  static constexpr Decoder kTable[] = {
      {"addc", addc}, {"madc", madc}, {"subc", subc}};
  return kTable;
}

}  // namespace assay::ptx
