// mov in all its forms, addresses between windows (cvta, isspacep), and the
// registers that change while a kernel runs.
#include <cstdint>
#include <string>

#include "ptx/decode/decode.h"
#include "ptx/decode/predicates.h"
#include "ptx/lanes/scalar_lanes.h"
#include "ptx/machine/block.h"
#include "ptx/machine/memory.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

void run_clock(Warp& w, const Operation& op, std::uint32_t mask) {
  // Time is the number of operations that the block has executed.
  std::uint64_t now = w.block().steps() + w.clock();
  w.set_taint(op.d, mask, 0);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (((mask >> l) & 1U) == 0) continue;
    if (op.imm == 64)
      w.slot<std::uint64_t>(op.d)[l] = now;
    else
      w.slot<std::uint32_t>(op.d)[l] = static_cast<std::uint32_t>(now);
  }
}

void run_activemask(Warp& w, const Operation& op, std::uint32_t mask) {
  w.set_taint(op.d, mask, 0);
  for (unsigned l = 0; l < kLanes; ++l)
    if (((mask >> l) & 1U) != 0) w.slot<std::uint32_t>(op.d)[l] = mask;
}

// A vector into one register. The parts' size follows from their number.
void pack_vector(Emitter& e, unsigned bits) {
  const Operand& from = e.operand(1);
  auto count = static_cast<unsigned>(from.elements.size());
  if (count == 0 || bits % count != 0 || bits > 64) e.refuse("this vector");
  unsigned part = bits / count;
  std::uint32_t d = e.destination(0, bits);
  auto slot = [&](unsigned i) {
    return e.source(from.elements[i], part == 8 ? 16 : part);
  };
  if (part == 16 && count == 2) {
    e.emit(Lane::pack_16_32, d, slot(0), slot(1));
    return;
  }
  if (part == 32 && count == 2) {
    e.emit(Lane::pack_32_64, d, slot(0), slot(1));
    return;
  }
  if (part == 16 && count == 4) {
    std::uint32_t low = e.temporary(32);
    std::uint32_t high = e.temporary(32);
    e.emit(Lane::pack_16_32, low, slot(0), slot(1));
    e.emit(Lane::pack_16_32, high, slot(2), slot(3));
    e.emit(Lane::pack_32_64, d, low, high);
    return;
  }
  if (part == 8 && (bits == 16 || bits == 32)) {
    Lane lane = bits == 16 ? Lane::insert_8_16 : Lane::insert_8_32;
    std::uint32_t sum = e.constant(0, bits);
    for (unsigned i = 0; i < count; ++i) {
      std::uint32_t to = i + 1 == count ? d : e.temporary(bits);
      e.emit(lane, to, sum, slot(i), kZeroSlot, i);
      sum = to;
    }
    return;
  }
  e.refuse("this vector");
}

void unpack_vector(Emitter& e, unsigned bits) {
  const Operand& to = e.operand(0);
  auto count = static_cast<unsigned>(to.elements.size());
  if (count == 0 || bits % count != 0 || bits > 64) e.refuse("this vector");
  unsigned part = bits / count;
  std::uint32_t a = e.source(1, bits);
  Lane lane = Lane::count;
  if (part == 16 && bits == 32) lane = Lane::part_16_32;
  if (part == 16 && bits == 64) lane = Lane::part_16_64;
  if (part == 32 && bits == 64) lane = Lane::part_32_64;
  if (part == 8 && bits == 16) lane = Lane::part_8_16;
  if (part == 8 && bits == 32) lane = Lane::part_8_32;
  if (lane == Lane::count) e.refuse("this vector");
  unsigned width = part == 8 ? 16 : part;
  // The source may be among the destinations, so all parts come first.
  std::vector<std::uint32_t> parts;
  for (unsigned i = 0; i < count; ++i) {
    parts.push_back(e.temporary(width));
    e.emit(lane, parts.back(), a, kZeroSlot, kZeroSlot, i);
  }
  for (unsigned i = 0; i < count; ++i) {
    if (to.elements[i].kind == Operand::Kind::sink) continue;
    e.emit(for_width(Lane::copy_16, width),
           e.destination(to.elements[i], width), parts[i]);
  }
}

bool is_clock(const Operand& o) {
  return o.kind == Operand::Kind::special &&
         (o.name == "%clock" || o.name == "%clock64" || o.name == "%clock_hi" ||
          o.name.starts_with("%globaltimer"));
}

void mov(Emitter& e) {
  Type t = type_of(e);
  const Operand& to = e.operand(0);
  const Operand& from = e.operand(1);
  if (t == Type::pred) {
    e.emit(predicates<predicate_copy>, e.predicate_destination(to),
           e.predicate(from));
    return;
  }
  unsigned bits = bits_of(t);
  if (from.kind == Operand::Kind::vector) return pack_vector(e, bits);
  if (to.kind == Operand::Kind::vector) return unpack_vector(e, bits);
  if (is_clock(from)) {
    Operation& op = e.emit_warp(run_clock);
    op.imm = bits;
    op.d = e.destination(0, bits);
    return;
  }
  // mov.b64 of a 32-bit special register and the like: the register decides.
  e.emit(for_width(Lane::copy_16, bits), e.destination(0, bits),
         e.source(1, bits));
}

void activemask(Emitter& e) {
  std::uint32_t d = e.destination(0, 32);
  e.emit_warp(run_activemask).d = d;
}

Space space_of(const Instruction& i) {
  for (const std::string& m : i.modifiers) {
    if (m == "global") return Space::global;
    if (m.starts_with("shared")) return Space::shared;
    if (m == "local") return Space::local;
    if (m == "const") return Space::constant;
    if (m.starts_with("param")) return Space::param;
  }
  return Space::generic;
}

std::uint64_t window(Space space) {
  if (space == Space::shared) return kSharedRegion << kRegionShift;
  if (space == Space::local) return kLocalRegion << kRegionShift;
  return 0;  // these addresses are generic ones already
}

void cvta(Emitter& e) {
  const Instruction& i = e.instruction();
  unsigned bits = bits_of(type_of(e));
  if (bits != 64) e.refuse("32-bit addresses");
  std::uint64_t base = window(space_of(i));
  std::uint32_t d = e.destination(0, 64);
  std::uint32_t a = e.source(1, 64);
  if (base == 0) {
    e.emit(Lane::copy_64, d, a);
  } else if (i.has("to")) {
    e.emit(Lane::sub_64, d, a, e.constant(base, 64));
  } else {
    e.emit(Lane::add_64, d, a, e.constant(base, 64));
  }
}

bool in_space(std::uint64_t space, std::uint64_t address) {
  std::uint64_t region = address >> kRegionShift;
  switch (static_cast<Space>(space)) {
    case Space::shared:
      return region == kSharedRegion;
    case Space::local:
      return region == kLocalRegion;
    case Space::global:
      return region >= kFirstBufferRegion;
    default:
      return false;
  }
}

void isspacep(Emitter& e) {
  Space space = space_of(e.instruction());
  if (space == Space::constant || space == Space::param)
    e.refuse("this state space");
  e.emit(predicate1<in_space, std::uint64_t>,
         e.predicate_destination(e.operand(0)), e.source(1, 64), kZeroSlot,
         kZeroSlot, static_cast<std::uint64_t>(space));
}

void nothing(Emitter&) {}

// A cache policy is a hint: any value will do.
void createpolicy(Emitter& e) {
  e.emit(Lane::copy_64, e.destination(0, 64), e.constant(0, 64));
}

}  // namespace

std::span<const Decoder> move_decoders() {
  static constexpr Decoder kTable[] = {
      {"activemask", activemask},     {"applypriority", nothing},
      {"createpolicy", createpolicy}, {"cvta", cvta},
      {"discard", nothing},           {"griddepcontrol", nothing},
      {"isspacep", isspacep},         {"mov", mov},
      {"nanosleep", nothing},         {"pmevent", nothing},
      {"prefetch", nothing},          {"prefetchu", nothing},
      {"setmaxnreg", nothing},
  };
  return kTable;
}

}  // namespace assay::ptx
