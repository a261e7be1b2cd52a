#include "ptx/decode/emitter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "ptx/decode/predicates.h"
#include "ptx/lanes/scalar_lanes.h"
#include "ptx/machine/memory.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

constexpr std::array<std::pair<std::string_view, Special>, 40> kSpecials = {{
    {"%tid.x", Special::tid_x},
    {"%tid.y", Special::tid_y},
    {"%tid.z", Special::tid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%clusterid.x", Special::clusterid_x},
    {"%clusterid.y", Special::clusterid_y},
    {"%clusterid.z", Special::clusterid_z},
    {"%nclusterid.x", Special::nclusterid_x},
    {"%nclusterid.y", Special::nclusterid_y},
    {"%nclusterid.z", Special::nclusterid_z},
    {"%cluster_ctaid.x", Special::cluster_ctaid_x},
    {"%cluster_ctaid.y", Special::cluster_ctaid_y},
    {"%cluster_ctaid.z", Special::cluster_ctaid_z},
    {"%cluster_nctaid.x", Special::cluster_nctaid_x},
    {"%cluster_nctaid.y", Special::cluster_nctaid_y},
    {"%cluster_nctaid.z", Special::cluster_nctaid_z},
    {"%cluster_ctarank", Special::cluster_ctarank},
    {"%cluster_nctarank", Special::cluster_nctarank},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%total_smem_size", Special::total_smem_size},
    {"%aggr_smem_size", Special::total_smem_size},
}};

std::uint32_t slot_bytes(unsigned bits) {
  std::uint32_t bytes = std::max(bits, 8U) / 8 * kLanes;
  if (bits == 1) bytes = 4;
  return (bytes + kSlotUnit - 1) / kSlotUnit * kSlotUnit;
}

// A register of 8 bits is kept in 16.
unsigned slot_width(Type t) {
  if (t == Type::pred) return 1;
  return std::max(bits_of(t), 16U);
}

}  // namespace

void Emitter::begin(const Instruction& i) {
  instruction_ = &i;
  kernel_.instructions.push_back(&i);
  source_ = static_cast<std::uint32_t>(kernel_.instructions.size() - 1);
  first_ = true;
  for (const auto& [bits, slot] : lent_) spare_.emplace(bits, slot);
  lent_.clear();
}

void Emitter::refuse(std::string_view why) const {
  std::string text = "unsupported: " + instruction_->full_opcode() +
                     " (PTX line " + std::to_string(instruction_->line) + ")";
  if (!why.empty()) text += ": " + std::string(why);
  throw Unsupported{text};
}

std::uint32_t Emitter::allocate(unsigned bits) {
  std::uint32_t slot = kernel_.frame_bytes;
  kernel_.frame_bytes += slot_bytes(bits);
  return slot;
}

std::uint32_t Emitter::temporary(unsigned bits) {
  auto known = spare_.find(bits);
  std::uint32_t slot = 0;
  if (known != spare_.end()) {
    slot = known->second;
    spare_.erase(known);
  } else {
    slot = allocate(bits);
  }
  lent_.emplace_back(bits, slot);
  return slot;
}

std::uint32_t Emitter::register_slot(std::uint32_t index) {
  std::uint32_t& slot = frame_->slots[index];
  if (slot == 0)
    slot = allocate(slot_width(frame_->function->registers[index].type));
  return slot;
}

std::uint32_t Emitter::carry_slot() {
  if (frame_->carry == 0) frame_->carry = allocate(1);
  return frame_->carry;
}

const Operand& Emitter::operand(std::size_t i) const {
  if (i >= instruction_->operands.size())
    refuse("expected at least " + std::to_string(i + 1) + " operands");
  return instruction_->operands[i];
}

unsigned Emitter::width_of(const Operand& o, unsigned otherwise) const {
  if (o.kind != Operand::Kind::reg) return otherwise;
  return slot_width(frame_->function->registers[o.index].type);
}

std::uint32_t Emitter::launch_constant(const Constant& c) {
  kernel_.constants.push_back(c);
  kernel_.constants.back().slot = allocate(c.width == 0 ? 1 : c.width * 8);
  return kernel_.constants.back().slot;
}

std::uint32_t Emitter::constant(std::uint64_t value, unsigned bits) {
  if (bits < 64 && bits > 1) value &= (std::uint64_t{1} << bits) - 1;
  auto [place, is_new] = constants_.try_emplace({value, bits}, 0);
  if (is_new) {
    Constant c;
    c.width = bits == 1 ? 0 : bits / 8;
    c.value = value;
    place->second = launch_constant(c);
  }
  return place->second;
}

std::optional<Emitter::Binding> Emitter::find_variable(
    std::string_view name) const {
  auto known = frame_->variables.find(name);
  if (known == frame_->variables.end()) return std::nullopt;
  return known->second;
}

std::uint32_t Emitter::symbol(const Operand& o, unsigned bits,
                              std::int64_t offset) {
  auto distance = static_cast<std::uint64_t>(offset + o.offset);
  if (auto variable = find_variable(o.name)) {
    if (variable->kind != Binding::Kind::parameter)
      return constant(variable->offset + distance, bits);
    Constant c;
    c.kind = Constant::Kind::parameter_address;
    c.width = bits / 8;
    c.value = variable->offset + distance;
    return launch_constant(c);
  }
  auto global = module_.globals.find(o.name);
  if (global == module_.globals.end())
    refuse("no variable is called " + o.name);
  Constant c;
  c.kind = Constant::Kind::variable;
  c.width = bits / 8;
  c.index = global->second;
  c.value = distance;
  return launch_constant(c);
}

std::uint32_t Emitter::special(const Operand& o, unsigned bits) {
  auto known = specials_.find({o.name, bits});
  if (known != specials_.end()) return known->second;
  for (const auto& [name, which] : kSpecials) {
    if (name != o.name) continue;
    std::uint32_t slot = allocate(bits);
    kernel_.specials.push_back({which, slot, bits / 8});
    specials_[{o.name, bits}] = slot;
    return slot;
  }
  refuse("the special register " + o.name);
}

std::uint32_t Emitter::source(const Operand& o, unsigned bits) {
  switch (o.kind) {
    case Operand::Kind::reg: {
      unsigned width = width_of(o, bits);
      std::uint32_t slot = register_slot(o.index);
      if (width == bits) return slot;
      // A wider register may be used: its lower part counts.
      if (width < bits || width == 1 || bits == 1)
        refuse("the register " + frame_->function->registers[o.index].name +
               " has " + std::to_string(width) + " bits and not " +
               std::to_string(bits));
      std::uint32_t part = temporary(bits);
      Lane lane = bits == 32    ? Lane::part_32_64
                  : width == 32 ? Lane::part_16_32
                                : Lane::part_16_64;
      emit(lane, part, slot);
      return part;
    }
    case Operand::Kind::integer:
      return constant(o.bits, bits);
    case Operand::Kind::real32:
      if (bits != 32)
        refuse("a 32-bit number where " + std::to_string(bits) +
               " bits are needed");
      return constant(o.bits, bits);
    case Operand::Kind::real64:
      if (bits == 32)
        return constant(std::bit_cast<std::uint32_t>(
                            static_cast<float>(std::bit_cast<double>(o.bits))),
                        32);
      return constant(o.bits, bits);
    case Operand::Kind::symbol:
      if (o.name == "WARP_SZ") return constant(kLanes, bits);
      return symbol(o, bits, 0);
    case Operand::Kind::special:
      return special(o, bits);
    default:
      refuse("an operand of this kind");
  }
}

std::uint32_t Emitter::source(std::size_t i, unsigned bits) {
  return source(operand(i), bits);
}

std::uint32_t Emitter::destination(const Operand& o, unsigned bits) {
  if (o.kind == Operand::Kind::sink) return kSinkSlot;
  if (o.kind != Operand::Kind::reg) refuse("a destination must be a register");
  unsigned width = width_of(o, bits);
  if (width != bits)
    refuse("the register " + frame_->function->registers[o.index].name +
           " has " + std::to_string(width) + " bits and not " +
           std::to_string(bits));
  return register_slot(o.index);
}

std::uint32_t Emitter::destination(std::size_t i, unsigned bits) {
  return destination(operand(i), bits);
}

Operation& Emitter::emit(LanesRun run, std::uint32_t d, std::uint32_t a,
                         std::uint32_t b, std::uint32_t c, std::uint64_t imm) {
  Operation op;
  op.kind = OperationKind::lanes;
  op.lanes = run;
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = c;
  op.imm = imm;
  op.source = source_;
  op.first = first_;
  first_ = false;
  if (instruction_->guard) {
    op.guard = held_guard_ != 0 ? held_guard_
                                : register_slot(instruction_->guard->reg);
    op.guard_negated = instruction_->guard->negated;
  }
  kernel_.code.push_back(op);
  return kernel_.code.back();
}

Operation& Emitter::emit(Lane lane, std::uint32_t d, std::uint32_t a,
                         std::uint32_t b, std::uint32_t c, std::uint64_t imm) {
  return emit(lanes_run(lane), d, a, b, c, imm);
}

Operation& Emitter::emit_warp(WarpRun run, OperationKind kind) {
  Operation& op = emit(LanesRun{nullptr}, kSinkSlot, kZeroSlot);
  op.kind = kind;
  op.warp = run;
  op.taint = Taint::none;
  return op;
}

namespace {

// selp and its kin: where a or b is undefined counts only if it is chosen.
template <class T>
void run_select(Warp& w, const Operation& op, std::uint32_t mask) {
  std::uint32_t chosen = w.predicate(op.c);
  static const LanesRun run =
      lanes_run(for_width(Lane::select_16, sizeof(T) * 8));
  std::uint32_t undefined =
      (w.taint(op.a) & chosen) | (w.taint(op.b) & ~chosen) | w.taint(op.c);
  run(w.frame(), op, mask);
  w.set_taint(op.d, mask, undefined);
}

}  // namespace

Operation& Emitter::emit_select(unsigned bits, std::uint32_t d, std::uint32_t a,
                                std::uint32_t b, std::uint32_t c) {
  Operation& op = emit(LanesRun{nullptr}, d, a, b, c);
  op.kind = OperationKind::warp;
  op.warp = bits == 16   ? run_select<std::uint16_t>
            : bits == 32 ? run_select<std::uint32_t>
                         : run_select<std::uint64_t>;
  op.taint = Taint::none;
  return op;
}

std::uint32_t Emitter::hold_guard() {
  if (!instruction_->guard) return 0;
  std::uint32_t held = temporary(1);
  // Unguarded: the copy is whole.
  emit(predicates<predicate_copy>, held,
       register_slot(instruction_->guard->reg))
      .guard = 0;
  held_guard_ = held;
  return held;
}

void Emitter::drop_guard(std::uint32_t) { held_guard_ = 0; }

std::uint32_t Emitter::predicate(const Operand& o) {
  std::uint32_t p = kZeroSlot;
  if (o.kind == Operand::Kind::integer) {
    p = constant(o.bits != 0 ? 1 : 0, 1);
  } else if (o.kind == Operand::Kind::reg && width_of(o, 1) == 1) {
    p = register_slot(o.index);
  } else {
    refuse("a predicate is needed");
  }
  if (!o.negated) return p;
  std::uint32_t inverse = temporary(1);
  emit(predicates<predicate_not>, inverse, p);
  return inverse;
}

std::uint32_t Emitter::predicate_destination(const Operand& o) {
  if (o.kind == Operand::Kind::sink) return kSinkSlot;
  if (o.kind != Operand::Kind::reg || width_of(o, 1) != 1)
    refuse("a predicate is needed");
  return register_slot(o.index);
}

std::uint32_t Emitter::add_access(Access access) {
  kernel_.accesses.push_back(std::move(access));
  return static_cast<std::uint32_t>(kernel_.accesses.size() - 1);
}

std::uint32_t Emitter::add_approximate() {
  std::string name = instruction_->full_opcode();
  auto& all = kernel_.approximate;
  auto known = std::find(all.begin(), all.end(), name);
  auto index = static_cast<std::uint32_t>(known - all.begin());
  if (known == all.end()) all.push_back(std::move(name));
  return index;
}

void Emitter::note_grain(Space space, unsigned bytes) {
  if (space == Space::shared || space == Space::generic)
    kernel_.shared_grain = std::min(kernel_.shared_grain, bytes);
  if (space == Space::global || space == Space::generic)
    kernel_.global_grain = std::min(kernel_.global_grain, bytes);
}

void Emitter::require_target(unsigned least, bool specific) const {
  if (target_number() >= least && (!specific || target_suffix() != 0)) return;
  refuse("it requires " +
         std::string(specific ? "an architecture-specific target from sm_"
                              : "sm_") +
         std::to_string(least) + (specific ? "a on" : " or later") +
         ", and this is " + module_.module.target);
}

unsigned Emitter::target_number() const {
  const std::string& target = module_.module.target;
  return target.starts_with("sm_")
             ? static_cast<unsigned>(std::atoi(target.c_str() + 3))
             : 0;
}

char Emitter::target_suffix() const {
  char last =
      module_.module.target.empty() ? '0' : module_.module.target.back();
  return last == 'a' || last == 'f' ? last : 0;
}

}  // namespace assay::ptx
