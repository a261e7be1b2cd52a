// cvt between all types, cvt.pack.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "ptx/decode/decode.h"
#include "ptx/decode/narrow_formats.h"
#include "ptx/lanes/scalar_lanes.h"
#include "ptx/numbers/format.h"

namespace assay::ptx {
namespace {

bool is_half(Type t) { return t == Type::f16 || t == Type::bf16; }

// Where the number of bits of an integer's own type lies in ext_*: the part
// of a register of `from` bits, extended to `to`.
Lane extension(Type part, unsigned from, unsigned to) {
  static constexpr Lane kFrom16[] = {Lane::ext_u8_16_16, Lane::ext_s8_16_16,
                                     Lane::ext_u16_16_16, Lane::ext_s16_16_16};
  static constexpr Lane kFrom32[] = {Lane::ext_u8_32_16,  Lane::ext_s8_32_16,
                                     Lane::ext_u16_32_16, Lane::ext_s16_32_16,
                                     Lane::ext_u32_32_16, Lane::ext_s32_32_16};
  static constexpr Lane kFrom64[] = {Lane::ext_u8_64_16,  Lane::ext_s8_64_16,
                                     Lane::ext_u16_64_16, Lane::ext_s16_64_16,
                                     Lane::ext_u32_64_16, Lane::ext_s32_64_16,
                                     Lane::ext_u64_64_16};
  unsigned bits = bits_of(part);
  unsigned row = bits == 8 ? 0 : bits == 16 ? 2 : bits == 32 ? 4 : 6;
  if (is_signed(part) && bits < 64) ++row;
  Lane first = from == 16   ? kFrom16[row]
               : from == 32 ? kFrom32[row]
                            : kFrom64[row];
  return for_width(first, to);
}

// The register's value as a number of type `t`, extended to `bits`.
std::uint32_t integer_source(Emitter& e, std::size_t operand, Type t,
                             unsigned bits) {
  unsigned from = e.width_of(e.operand(operand), std::max(bits_of(t), 16U));
  if (from < bits_of(t)) e.refuse("a register that is too narrow");
  std::uint32_t slot = e.source(operand, from);
  if (from == bits && bits_of(t) == bits) return slot;
  std::uint32_t to = e.temporary(bits);
  e.emit(extension(t, from, bits), to, slot);
  return to;
}

// Bits of type `t` in a slot of `from` bits, into the destination, which may
// be wider than the type: then it is extended.
void integer_result(Emitter& e, Type t, std::uint32_t slot, unsigned from) {
  unsigned to = e.width_of(e.operand(0), std::max(bits_of(t), 16U));
  if (to < bits_of(t)) e.refuse("a register that is too narrow");
  e.emit(extension(t, from, to), e.destination(0, to), slot);
}

// imm: lowest in the operation's b, highest in its c, both constants.
std::int64_t clamp_signed(std::uint64_t, std::int64_t x, std::int64_t least,
                          std::int64_t most) {
  return std::clamp(x, least, most);
}
// Of an unsigned number: into [0, most].
std::uint64_t clamp_unsigned(std::uint64_t, std::uint64_t x, std::uint64_t,
                             std::uint64_t most) {
  return std::min(x, most);
}

std::uint64_t largest_of(Type t) {
  return ~std::uint64_t{0} >> (64 - bits_of(t) + (is_signed(t) ? 1 : 0));
}

void integer_to_integer(Emitter& e, Type d, Type s) {
  if (e.instruction().has("sat")) {
    std::uint32_t wide = integer_source(e, 1, s, 64);
    std::uint32_t r = e.temporary(64);
    std::uint32_t most = e.constant(largest_of(d), 64);
    if (is_signed(s)) {
      // The largest u64 is no s64, and no s64 is larger.
      if (d == Type::u64) most = e.constant(INT64_MAX, 64);
      std::uint64_t least = is_signed(d) ? ~largest_of(d) : 0;
      e.emit(lanes3<clamp_signed, std::int64_t, std::int64_t, std::int64_t,
                    std::int64_t>,
             r, wide, e.constant(least, 64), most);
    } else {
      e.emit(lanes3<clamp_unsigned, std::uint64_t, std::uint64_t, std::uint64_t,
                    std::uint64_t>,
             r, wide, kZeroSlot, most);
    }
    return integer_result(e, d, r, 64);
  }
  // To a narrower type the upper part is dropped; to a wider one the source's
  // own type says how it is extended.
  if (bits_of(d) <= bits_of(s)) {
    unsigned from = e.width_of(e.operand(1), std::max(bits_of(s), 16U));
    return integer_result(e, d, e.source(1, from), from);
  }
  unsigned bits = std::max(bits_of(d), 16U);
  integer_result(e, d, integer_source(e, 1, s, bits), bits);
}

Rounding cpu_rounding(const Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.has("rz")) return Rounding::zero;
  if (i.has("rm")) return Rounding::down;
  if (i.has("rp")) return Rounding::up;
  return Rounding::nearest;
}

RoundTo round_to(const Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.has("rna")) return RoundTo::nearest_away;
  if (i.has("rz") || i.has("rzi")) return RoundTo::zero;
  if (i.has("rm") || i.has("rmi")) return RoundTo::down;
  if (i.has("rp") || i.has("rpi")) return RoundTo::up;
  return RoundTo::nearest_even;
}

bool rounds_to_integer(const Instruction& i) {
  return i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi");
}

std::uint32_t flush_if(Emitter& e, Type t, std::uint32_t slot) {
  if (t != Type::f32 || !e.instruction().has("ftz")) return slot;
  std::uint32_t to = e.temporary(32);
  e.emit(Lane::flush_f32, to, slot);
  return to;
}

// A number of type `t` as f64, exactly.
std::uint32_t as_f64(Emitter& e, Type t, std::uint32_t slot) {
  if (t == Type::f64) return slot;
  if (is_half(t)) {
    std::uint32_t single = e.temporary(32);
    e.emit(t == Type::f16 ? Lane::f32_f16 : Lane::f32_bf16, single, slot);
    slot = single;
  }
  std::uint32_t to = e.temporary(64);
  e.emit(Lane::f64_f32, to, slot);
  return to;
}

std::uint64_t double_to_integer(std::uint64_t imm, double x) {
  return to_integer(x, integer_from_immediate(imm));
}

void float_to_integer(Emitter& e, Type d, Type s) {
  unsigned width = bits_of(s);
  std::uint32_t a = flush_if(e, s, e.source(1, width));
  std::uint32_t x = as_f64(e, s, a);
  std::uint32_t r = e.temporary(64);
  IntegerTarget target{bits_of(d), is_signed(d), round_to(e), s == Type::f64};
  e.emit(lanes1<double_to_integer, std::uint64_t, double>, r, x, kZeroSlot,
         kZeroSlot, to_immediate(target));
  integer_result(e, d, r, 64);
}

std::uint32_t signed_to_half(std::uint64_t imm, std::int64_t x) {
  auto bits = static_cast<std::uint64_t>(x);
  return narrow(odd_double(x < 0 ? 0 - bits : bits, x < 0),
                from_immediate(imm));
}
std::uint32_t unsigned_to_half(std::uint64_t imm, std::uint64_t x) {
  return narrow(odd_double(x, false), from_immediate(imm));
}

void saturate_into(Emitter& e, Type t, std::uint32_t d, std::uint32_t slot) {
  Lane lane = t == Type::f32   ? Lane::saturate_f32
              : t == Type::f64 ? Lane::saturate_f64
              : t == Type::f16 ? Lane::saturate_f16
                               : Lane::saturate_bf16;
  e.emit(lane, d, slot);
}

// The result, possibly into a wider register and after .sat.
template <class F>
void float_result(Emitter& e, Type t, F operation) {
  bool sat = e.instruction().has("sat");
  unsigned bits = bits_of(t);
  unsigned to = e.width_of(e.operand(0), bits);
  if (to < bits) e.refuse("a register that is too narrow");
  bool direct = !sat && to == bits;
  std::uint32_t r = direct ? e.destination(0, bits) : e.temporary(bits);
  operation(r);
  if (direct) return;
  std::uint32_t last = r;
  if (sat) {
    last = to == bits ? e.destination(0, bits) : e.temporary(bits);
    saturate_into(e, t, last, r);
  }
  if (to != bits)
    e.emit(extension(bits == 16 ? Type::u16 : Type::u32, bits, to),
           e.destination(0, to), last);
}

void integer_to_float(Emitter& e, Type d, Type s) {
  if (is_half(d)) {
    std::uint32_t wide = integer_source(e, 1, s, 64);
    NarrowOptions o{d == Type::f16 ? Format::f16 : Format::bf16, round_to(e)};
    LanesRun run = is_signed(s)
                       ? lanes1<signed_to_half, std::uint16_t, std::int64_t>
                       : lanes1<unsigned_to_half, std::uint16_t, std::uint64_t>;
    return float_result(e, d, [&](std::uint32_t r) {
      e.emit(run, r, wide, kZeroSlot, kZeroSlot, to_immediate(o));
    });
  }
  unsigned bits = bits_of(s) > 32 ? 64 : 32;
  std::uint32_t a = integer_source(e, 1, s, bits);
  Lane lane = d == Type::f32 ? Lane::f32_s32 : Lane::f64_s32;
  lane = lane + (bits == 64 ? 2U : 0U) + (is_signed(s) ? 0U : 1U);
  float_result(e, d, [&](std::uint32_t r) {
    e.emit(lane, r, a).rounding = cpu_rounding(e);
  });
}

std::uint32_t narrow_double(std::uint64_t imm, double x) {
  return narrow(x, from_immediate(imm));
}

// Rounds to an integral value of the same type.
void round_in_place(Emitter& e, Type t, std::uint32_t a) {
  unsigned step = 0;  // rint, trunc, floor, ceil
  switch (round_to(e)) {
    case RoundTo::zero:
      step = 1;
      break;
    case RoundTo::down:
      step = 2;
      break;
    case RoundTo::up:
      step = 3;
      break;
    default:
      break;
  }
  float_result(e, t, [&](std::uint32_t r) {
    if (t == Type::f64) {
      e.emit(Lane::rint_f64 + step, r, a);
      return;
    }
    if (t == Type::f32) {
      e.emit(Lane::rint_f32 + step, r, flush_if(e, t, a));
      return;
    }
    std::uint32_t wide = e.temporary(32);
    std::uint32_t whole = e.temporary(32);
    e.emit(t == Type::f16 ? Lane::f32_f16 : Lane::f32_bf16, wide, a);
    e.emit(Lane::rint_f32 + step, whole, wide);
    e.emit(t == Type::f16 ? Lane::f16_f32 : Lane::bf16_f32, r, whole);
  });
}

// One number of type `s` in a slot, to the type `d`.
void convert_float(Emitter& e, Type d, Type s, std::uint32_t a,
                   std::uint32_t r) {
  const Instruction& i = e.instruction();
  bool plain = !i.has("satfinite") && !i.has("relu") &&
               round_to(e) == RoundTo::nearest_even;
  if (d == Type::f64) {
    if (s == Type::f64) {
      e.emit(Lane::copy_64, r, a);
      return;
    }
    e.emit(Lane::copy_64, r, as_f64(e, s, a));
    return;
  }
  if (d == Type::f32) {
    std::uint32_t single = i.has("ftz") ? e.temporary(32) : r;
    if (is_half(s))
      e.emit(s == Type::f16 ? Lane::f32_f16 : Lane::f32_bf16, single, a);
    else if (s == Type::f64)
      e.emit(Lane::f32_f64, single, a).rounding = cpu_rounding(e);
    else
      e.emit(Lane::copy_32, single, a);
    if (i.has("ftz")) e.emit(Lane::flush_f32, r, single);
    return;
  }
  if (is_half(d) && plain) {
    if (s == Type::f64) {
      e.emit(d == Type::f16 ? Lane::f16_f64 : Lane::bf16_f64, r, a);
      return;
    }
    std::uint32_t single = a;
    if (is_half(s)) {
      single = e.temporary(32);
      e.emit(s == Type::f16 ? Lane::f32_f16 : Lane::f32_bf16, single, a);
    }
    e.emit(d == Type::f16 ? Lane::f16_f32 : Lane::bf16_f32, r, single);
    return;
  }
  NarrowOptions o{d == Type::tf32  ? Format::tf32
                  : d == Type::f16 ? Format::f16
                                   : Format::bf16,
                  round_to(e), i.has("satfinite"), i.has("relu")};
  LanesRun run = d == Type::tf32 ? lanes1<narrow_double, std::uint32_t, double>
                                 : lanes1<narrow_double, std::uint16_t, double>;
  e.emit(run, r, as_f64(e, s, a), kZeroSlot, kZeroSlot, to_immediate(o));
}

void float_to_float(Emitter& e, Type d, Type s) {
  std::uint32_t a = flush_if(e, s, e.source(1, bits_of(s)));
  if (rounds_to_integer(e.instruction())) {
    if (d != s) e.refuse("integral values of another type");
    return round_in_place(e, d, a);
  }
  float_result(e, d, [&](std::uint32_t r) { convert_float(e, d, s, a, r); });
}

// cvt.rn.f16x2.f32 d, a, b: a above, b below.
void pair_of_halves(Emitter& e, Type d) {
  Type half = parts_of(d).element;
  std::uint32_t parts[2];
  for (std::size_t k = 0; k < 2; ++k) {
    parts[k] = e.temporary(16);
    convert_float(e, half, Type::f32, e.source(2 - k, 32), parts[k]);
  }
  pack(e, e.destination(0, 32), {half, 2}, parts);
}

// cvt.pack.sat.u8.s32.b32 d, a, b, c
std::uint32_t pack_saturated(std::uint64_t imm, std::int32_t a, std::int32_t b,
                             std::uint32_t c) {
  auto bits = static_cast<unsigned>(imm & 0xffU);
  bool is_s = (imm >> 8) != 0;
  std::int64_t most = (std::int64_t{1} << (is_s ? bits - 1 : bits)) - 1;
  std::int64_t least = is_s ? -most - 1 : 0;
  std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
  auto field = [&](std::int64_t x) {
    return static_cast<std::uint32_t>(std::clamp(x, least, most)) & mask;
  };
  std::uint32_t low = field(b) | field(a) << bits;
  return bits == 16 ? low : low | c << (2 * bits);
}

void cvt_pack(Emitter& e) {
  static constexpr std::pair<std::string_view, unsigned> kTypes[] = {
      {"u16", 16}, {"s16", 16}, {"u8", 8}, {"s8", 8},
      {"u4", 4},   {"s4", 4},   {"u2", 2}, {"s2", 2}};
  for (const auto& [name, bits] : kTypes) {
    if (!e.instruction().has(name)) continue;
    std::uint32_t c = e.operands() > 3 ? e.source(3, 32) : kZeroSlot;
    e.emit(lanes3<pack_saturated, std::uint32_t, std::int32_t, std::int32_t,
                  std::uint32_t>,
           e.destination(0, 32), e.source(1, 32), e.source(2, 32), c,
           bits | (name[0] == 's' ? 256U : 0U));
    return;
  }
  e.refuse("this type");
}

void cvt(Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.has("pack")) return cvt_pack(e);
  if (i.has("rs")) e.refuse("stochastic rounding");
  if (decode_narrow_formats(e)) return;
  auto types = i.types();
  if (types.size() != 2) e.refuse("these types");
  Type d = types[0];
  Type s = types[1];
  if (d == Type::f16x2 || d == Type::bf16x2) {
    if (s != Type::f32) e.refuse("these types");
    return pair_of_halves(e, d);
  }
  if (is_floating(d) != is_floating(s))
    return is_floating(d) ? integer_to_float(e, d, s)
                          : float_to_integer(e, d, s);
  return is_floating(d) ? float_to_float(e, d, s) : integer_to_integer(e, d, s);
}

}  // namespace

std::span<const Decoder> convert_decoders() {
  static constexpr Decoder kTable[] = {{"cvt", cvt}};
  return kTable;
}

}  // namespace assay::ptx
