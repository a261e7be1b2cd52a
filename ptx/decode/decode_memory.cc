// ld, st, ldu and their vectors; cp.async, done at once; fences.
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

// d: nothing; a: address in shared memory; b: address in global memory;
// c: how many bytes to copy, the rest become zero; list: two Accesses, the
// first of which is the write.
void run_copy(Warp& w, const Operation& op, std::uint32_t mask) {
  const Access& to = w.kernel().accesses[op.list];
  const Access& from = w.kernel().accesses[op.list + 1];
  w.check_defined(op, op.a, mask, "an address");
  w.check_defined(op, op.b, mask, "an address");
  w.check_defined(op, op.c, mask, "a size");
  std::uint64_t targets[kLanes];
  std::uint64_t sources[kLanes];
  lane_addresses(w, op, to, targets);
  Operation source = op;
  source.a = op.b;
  source.imm = op.e;  // set by the decoder: the second offset
  lane_addresses(w, source, from, sources);
  const auto* sizes = w.slot<std::uint32_t>(op.c);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (((mask >> l) & 1U) == 0) continue;
    std::uint32_t size = sizes[l] > to.bytes ? to.bytes : sizes[l];
    auto target =
        resolve(w, op, to, l, targets[l], to.bytes, AccessKind::write);
    if (!target) return;
    std::memset(target->bytes, 0, to.bytes);
    std::memset(target->defined, 1, to.bytes);
    if (size == 0) continue;
    auto origin =
        resolve(w, op, from, l, sources[l], to.bytes, AccessKind::read);
    if (!origin) return;
    std::memcpy(target->bytes, origin->bytes, size);
    if (origin->defined != nullptr)
      std::memcpy(target->defined, origin->defined, size);
  }
}

// cp.async.ca.shared.global [dst], [src], 16{, size}; the copy is done when
// it is asked for, so that groups have nothing to wait for.
void cp(Emitter& e) {
  const Instruction& i = e.instruction();
  if (!i.has("async") || i.has("bulk") || i.has("reduce")) e.refuse();
  if (i.has("commit_group") || i.has("wait_group") || i.has("wait_all")) return;
  if (i.has("mbarrier")) e.refuse();
  const Operand& bytes = e.operand(2);
  if (bytes.kind != Operand::Kind::integer) e.refuse("a size in a register");
  Access to;
  to.space = Space::shared;
  to.bytes = static_cast<unsigned>(bytes.bits);
  Access from = to;
  from.space = Space::global;
  MemoryOperand target = memory_operand(e, e.operand(0), to);
  MemoryOperand origin = memory_operand(e, e.operand(1), from);
  std::uint32_t size = e.constant(bytes.bits, 32);
  if (e.operands() > 3 && !i.has("L2::cache_hint")) {
    const Operand& last = e.operand(3);
    bool is_predicate =
        last.kind == Operand::Kind::reg && e.width_of(last, 32) == 1;
    if (is_predicate) {
      // ignore-src: true copies nothing.
      std::uint32_t chosen = e.temporary(32);
      e.emit_select(32, chosen, e.constant(0, 32), size, e.predicate(last));
      size = chosen;
    } else {
      size = e.source(last, 32);
    }
  }
  e.note_grain(Space::shared, 4);
  e.note_grain(Space::global, 4);
  std::uint32_t list = e.add_access(to);
  e.add_access(from);
  Operation& op = e.emit_warp(run_copy);
  op.a = target.base;
  op.imm = target.offset;
  op.b = origin.base;
  op.e = static_cast<std::uint32_t>(origin.offset);
  op.c = size;
  op.list = list;
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
      {"cp", cp},  {"fence", fence},  {"ld", ld},
      {"ldu", ld}, {"membar", fence}, {"st", st},
  };
  return kTable;
}

}  // namespace assay::ptx
