// cp.async: copies to shared memory that go on beside what follows. Here they
// are done as late as may be: when the thread waits for them, and until then
// what they bring is undefined.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ptx/decode/decode.h"
#include "ptx/decode/memory_operand.h"
#include "ptx/machine/access.h"
#include "ptx/machine/block.h"

namespace assay::ptx {
namespace {

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
    std::uint32_t size = std::min<std::uint32_t>(sizes[l], to.bytes);
    auto target =
        resolve(w, op, to, l, targets[l], to.bytes, AccessKind::write);
    if (!target) return;
    std::memset(target->defined, 0, to.bytes);
    Warp::Copy copy{&op, targets[l], l, w.copy_groups[l], {}, {}};
    copy.defined.fill(1);
    if (size != 0) {
      // No more is read than is copied.
      auto origin =
          resolve(w, op, from, l, sources[l], size, AccessKind::read, to.bytes);
      if (!origin) return;
      std::memcpy(copy.bytes.data(), origin->bytes, size);
      if (origin->defined != nullptr)
        std::memcpy(copy.defined.data(), origin->defined, size);
    }
    w.copies.push_back(copy);
  }
}

// imm: how many groups may still be on their way; kAll: none, nor what is in no
// group yet.
constexpr std::uint64_t kAll = ~std::uint64_t{0};

void run_wait(Warp& w, const Operation& op, std::uint32_t mask) {
  auto is_awaited = [&](const Warp::Copy& c) {
    if (((mask >> c.lane) & 1U) == 0) return false;
    return op.imm == kAll || c.group + op.imm < w.copy_groups[c.lane];
  };
  for (const Warp::Copy& c : w.copies) {
    if (!is_awaited(c)) continue;
    const Access& to = w.kernel().accesses[c.operation->list];
    auto target = resolve(w, *c.operation, to, c.lane, c.target, to.bytes,
                          AccessKind::write);
    if (!target) return;
    std::memcpy(target->bytes, c.bytes.data(), to.bytes);
    std::memcpy(target->defined, c.defined.data(), to.bytes);
  }
  std::erase_if(w.copies, is_awaited);
}

void run_commit(Warp& w, const Operation&, std::uint32_t mask) {
  for (unsigned l = 0; l < kLanes; ++l) w.copy_groups[l] += (mask >> l) & 1U;
}

// cp.async.ca.shared.global [dst], [src], 16{, size}; cp.async.commit_group;
// cp.async.wait_group n; cp.async.wait_all.
void cp(Emitter& e) {
  const Instruction& i = e.instruction();
  if (!i.has("async") || i.has("bulk") || i.has("reduce")) e.refuse();
  if (i.has("mbarrier")) e.refuse();
  if (i.has("commit_group")) {
    e.emit_warp(run_commit);
    return;
  }
  if (i.has("wait_all")) {
    e.emit_warp(run_wait).imm = kAll;
    return;
  }
  if (i.has("wait_group")) {
    const Operand& groups = e.operand(0);
    if (groups.kind != Operand::Kind::integer) e.refuse("groups in a register");
    e.emit_warp(run_wait).imm = groups.bits;
    return;
  }
  const Operand& bytes = e.operand(2);
  if (bytes.kind != Operand::Kind::integer) e.refuse("a size in a register");
  if (bytes.bits != 4 && bytes.bits != 8 && bytes.bits != 16)
    e.refuse("this size");
  Access to;
  to.space = Space::shared;
  to.bytes = static_cast<unsigned>(bytes.bits);
  Access from = to;
  from.space = Space::global;
  MemoryOperand target = memory_operand(e, e.operand(0), to);
  MemoryOperand origin = memory_operand(e, e.operand(1), from);
  std::uint32_t size = e.constant(bytes.bits, 32);
  bool any_size = false;
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
      any_size = true;
    }
  }
  e.note_grain(Space::shared, 4);
  e.note_grain(Space::global, any_size ? 2 : 4);
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

}  // namespace

std::span<const Decoder> copy_decoders() {
  static constexpr Decoder kTable[] = {{"cp", cp}};
  return kTable;
}

}  // namespace assay::ptx
