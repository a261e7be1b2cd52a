// add, sub, mul, mad, fma, min, max, neg, abs and their kin, of integers and
// of floating point.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/decode/decode.h"
#include "ptx/lanes/scalar_lanes.h"

namespace assay::ptx {
namespace {

using Slots = std::array<std::uint32_t, 3>;

struct FloatLanes {
  Lane f32, f64, f16, bf16;
};

Rounding rounding_of(const Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.has("rz")) return Rounding::zero;
  if (i.has("rm")) return Rounding::down;
  if (i.has("rp")) return Rounding::up;
  return Rounding::nearest;
}

std::uint64_t infinity_of(Type t) { return t == Type::f16 ? 0x7c00 : 0x7f80; }
bool is_half(Type t) { return t == Type::f16 || t == Type::bf16; }

Lane pick(const FloatLanes& lanes, Type t) {
  switch (t) {
    case Type::f32:
      return lanes.f32;
    case Type::f64:
      return lanes.f64;
    case Type::f16:
      return lanes.f16;
    default:
      return lanes.bf16;
  }
}

std::uint32_t flushed(Emitter& e, Type t, std::uint32_t slot) {
  std::uint32_t to = e.temporary(bits_of(t));
  e.emit(t == Type::f32 ? Lane::flush_f32 : Lane::flush_f16, to, slot);
  return to;
}

// What follows the operation proper: .ftz, .sat, .relu.
std::vector<std::pair<Lane, std::uint64_t>> afterwards(const Emitter& e,
                                                       Type t) {
  const Instruction& i = e.instruction();
  std::vector<std::pair<Lane, std::uint64_t>> steps;
  if (i.has("ftz"))
    steps.emplace_back(t == Type::f32 ? Lane::flush_f32 : Lane::flush_f16, 0);
  if (i.has("sat"))
    steps.emplace_back(pick({Lane::saturate_f32, Lane::saturate_f64,
                             Lane::saturate_f16, Lane::saturate_bf16},
                            t),
                       0);
  if (i.has("relu")) {
    if (!is_half(t)) e.refuse("it has no .relu");
    steps.emplace_back(Lane::relu_h, infinity_of(t));
  }
  return steps;
}

// One element of a floating-point instruction. `slots` are its operands.
template <class F>
void float_element(Emitter& e, Type t, std::uint32_t d, Slots slots,
                   std::size_t count, F operation) {
  if (e.instruction().has("ftz")) {
    if (t != Type::f32 && t != Type::f16) e.refuse("it has no .ftz");
    for (std::size_t i = 0; i < count; ++i)
      slots.at(i) = flushed(e, t, slots.at(i));
  }
  auto steps = afterwards(e, t);
  std::uint32_t result = steps.empty() ? d : e.temporary(bits_of(t));
  operation(t, result, slots);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    bool last = i + 1 == steps.size();
    std::uint32_t to = last ? d : e.temporary(bits_of(t));
    e.emit(steps[i].first, to, result, kZeroSlot, kZeroSlot, steps[i].second);
    result = to;
  }
}

// Which targets have floating-point arithmetic of a type (PTX ISA, target
// notes of add, mul and fma). f16 is older than every target that matters.
void require_type(const Emitter& e, Type t) {
  bool fused = e.instruction().opcode == "fma";
  bool exact =
      e.instruction().opcode == "min" || e.instruction().opcode == "max" ||
      e.instruction().opcode == "neg" || e.instruction().opcode == "abs";
  if (t == Type::f32x2) e.require_target(100);
  if (t == Type::bf16 || t == Type::bf16x2)
    e.require_target(fused || exact ? 80 : 90);
}

// Takes the operands apart, works on each element, puts the result together.
template <class F>
void by_elements(Emitter& e, Type t, std::size_t count, F element) {
  Parts parts = parts_of(t);
  unsigned bits = bits_of(t);
  std::array<std::array<std::uint32_t, 2>, 3> slots{};
  for (std::size_t i = 0; i < count; ++i)
    unpack(e, e.source(i + 1, bits), bits, parts, slots.at(i).data());
  std::uint32_t d = e.destination(0, bits);
  if (parts.count == 1)
    return element(t, d, Slots{slots[0][0], slots[1][0], slots[2][0]});
  std::array<std::uint32_t, 2> results{};
  for (unsigned p = 0; p < parts.count; ++p) {
    results.at(p) = e.temporary(bits_of(parts.element));
    element(parts.element, results.at(p),
            Slots{slots[0].at(p), slots[1].at(p), slots[2].at(p)});
  }
  pack(e, d, parts, results.data());
}

template <class F>
void float_operation(Emitter& e, Type t, std::size_t count, F operation) {
  require_type(e, t);
  by_elements(e, t, count, [&](Type element, std::uint32_t d, Slots slots) {
    float_element(e, element, d, slots, count, operation);
  });
}

// An operation that is one Lane with a rounding mode.
void rounded(Emitter& e, Type t, std::size_t count, const FloatLanes& lanes) {
  Rounding rounding = rounding_of(e);
  if (rounding != Rounding::nearest && is_half(parts_of(t).element))
    e.refuse("sixteen-bit arithmetic rounds to nearest alone");
  float_operation(
      e, t, count, [&](Type element, std::uint32_t d, const Slots& s) {
        e.emit(pick(lanes, element), d, s[0], s[1], s[2]).rounding = rounding;
      });
}

// add.f32.f16 d, a, c: operands of a narrower type are widened first.
bool mixed(Emitter& e, std::size_t count, std::size_t narrow,
           const FloatLanes& lanes) {
  auto types = e.instruction().types();
  if (types.size() != 2) return false;
  if (types[0] != Type::f32 || !is_half(types[1])) e.refuse("these types");
  e.require_target(100);
  Slots slots{};
  for (std::size_t i = 0; i < count; ++i) {
    bool is_narrow = i < narrow;
    slots.at(i) = e.source(i + 1, is_narrow ? 16 : 32);
    if (!is_narrow) continue;
    std::uint32_t wide = e.temporary(32);
    e.emit(types[1] == Type::f16 ? Lane::f32_f16 : Lane::f32_bf16, wide,
           slots.at(i));
    slots.at(i) = wide;
  }
  Rounding rounding = rounding_of(e);
  float_element(e, Type::f32, e.destination(0, 32), slots, count,
                [&](Type, std::uint32_t d, const Slots& s) {
                  e.emit(lanes.f32, d, s[0], s[1], s[2]).rounding = rounding;
                });
  return true;
}

std::int64_t clamp32(std::int64_t x) {
  return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}
std::int64_t add_saturated(std::uint64_t, std::int32_t a, std::int32_t b) {
  return clamp32(std::int64_t{a} + b);
}
std::int64_t sub_saturated(std::uint64_t, std::int32_t a, std::int32_t b) {
  return clamp32(std::int64_t{a} - b);
}

void integer(Emitter& e, std::size_t count, Lane family) {
  Type t = type_of(e);
  by_elements(e, t, count, [&](Type element, std::uint32_t d, const Slots& s) {
    e.emit(for_width(family, bits_of(element)), d, s[0], s[1]);
  });
}

void add_or_sub(Emitter& e, const FloatLanes& floats, Lane family,
                LanesRun saturated) {
  Type t = type_of(e);
  if (is_floating(t)) {
    if (!mixed(e, 2, 1, floats)) rounded(e, t, 2, floats);
    return;
  }
  if (e.instruction().has("sat")) {
    if (t != Type::s32) e.refuse(".sat is for .s32");
    e.emit(saturated, e.destination(0, 32), e.source(1, 32), e.source(2, 32));
    return;
  }
  integer(e, 2, family);
}

void add(Emitter& e) {
  if (decode_carry_out(e)) return;
  add_or_sub(e, {Lane::add_f32, Lane::add_f64, Lane::add_f16, Lane::add_bf16},
             Lane::add_16,
             lanes2<add_saturated, std::int32_t, std::int32_t, std::int32_t>);
}

void sub(Emitter& e) {
  if (decode_carry_out(e)) return;
  if (is_floating(type_of(e)) && e.instruction().types().size() == 2)
    e.refuse("sub of mixed types");
  add_or_sub(e, {Lane::sub_f32, Lane::sub_f64, Lane::sub_f16, Lane::sub_bf16},
             Lane::sub_16,
             lanes2<sub_saturated, std::int32_t, std::int32_t, std::int32_t>);
}

// The product of integers as the instruction wants it, in a temporary or d.
std::uint32_t product(Emitter& e, std::uint32_t d) {
  const Instruction& i = e.instruction();
  Type t = type_of(e);
  unsigned bits = bits_of(t);
  std::uint32_t a = e.source(1, bits);
  std::uint32_t b = e.source(2, bits);
  Lane lane = for_width(Lane::mul_16, bits);
  if (i.has("hi"))
    lane =
        for_width(is_signed(t) ? Lane::mul_hi_s_16 : Lane::mul_hi_u_16, bits);
  if (i.has("wide")) {
    if (bits == 64) e.refuse("no product of 128 bits");
    lane = (is_signed(t) ? Lane::mul_wide_s_16 : Lane::mul_wide_u_16) +
           (bits == 16 ? 0U : 1U);
  }
  e.emit(lane, d, a, b);
  return d;
}

void mul(Emitter& e) {
  Type t = type_of(e);
  if (is_floating(t))
    return rounded(
        e, t, 2, {Lane::mul_f32, Lane::mul_f64, Lane::mul_f16, Lane::mul_bf16});
  unsigned bits = bits_of(t) * (e.instruction().has("wide") ? 2 : 1);
  product(e, e.destination(0, bits));
}

void fma(Emitter& e) {
  FloatLanes lanes = {Lane::fma_f32, Lane::fma_f64, Lane::fma_f16,
                      Lane::fma_bf16};
  if (e.instruction().has("oob")) e.refuse(".oob");
  if (mixed(e, 3, 2, lanes)) return;
  rounded(e, type_of(e), 3, lanes);
}

std::int64_t mad_saturated(std::uint64_t, std::int32_t a, std::int32_t b,
                           std::int32_t c) {
  return clamp32(((std::int64_t{a} * b) >> 32) + c);
}

void mad(Emitter& e) {
  if (decode_carry_out(e)) return;
  Type t = type_of(e);
  if (is_floating(t)) return fma(e);  // sm_20 and later: they are the same
  const Instruction& i = e.instruction();
  if (i.has("sat")) {
    if (t != Type::s32 || !i.has("hi")) e.refuse(".sat is for .hi.s32");
    e.emit(lanes3<mad_saturated, std::int32_t, std::int32_t, std::int32_t,
                  std::int32_t>,
           e.destination(0, 32), e.source(1, 32), e.source(2, 32),
           e.source(3, 32));
    return;
  }
  unsigned bits = bits_of(t) * (i.has("wide") ? 2 : 1);
  std::uint32_t partial = product(e, e.temporary(bits));
  e.emit(for_width(Lane::add_16, bits), e.destination(0, bits), partial,
         e.source(3, bits));
}

Lane lane24(const Emitter& e) {
  bool is_s = is_signed(type_of(e));
  if (e.instruction().has("hi"))
    return is_s ? Lane::mul24_hi_s : Lane::mul24_hi_u;
  return is_s ? Lane::mul24_lo_s : Lane::mul24_lo_u;
}

void mul24(Emitter& e) {
  e.emit(lane24(e), e.destination(0, 32), e.source(1, 32), e.source(2, 32));
}

void mad24(Emitter& e) {
  if (e.instruction().has("sat")) e.refuse(".sat");
  std::uint32_t partial = e.temporary(32);
  e.emit(lane24(e), partial, e.source(1, 32), e.source(2, 32));
  e.emit(Lane::add_32, e.destination(0, 32), partial, e.source(3, 32));
}

void sad(Emitter& e) {
  Type t = type_of(e);
  unsigned bits = bits_of(t);
  e.emit(for_width(is_signed(t) ? Lane::sad_s_16 : Lane::sad_u_16, bits),
         e.destination(0, bits), e.source(1, bits), e.source(2, bits),
         e.source(3, bits));
}

struct Extremum {
  FloatLanes lanes;  // f64 and the halves have no .NaN of their own
  Lane nan_f32;
  Lane unsigned_family;
  Lane signed_family;
};

void two_floats(Emitter& e, const Extremum& x, Type t, std::uint32_t d,
                std::uint32_t a, std::uint32_t b) {
  bool nan = e.instruction().has("NaN");
  if (t == Type::f32) {
    e.emit(nan ? x.nan_f32 : x.lanes.f32, d, a, b);
  } else if (t == Type::f64) {
    if (nan) e.refuse("f64 has no .NaN");
    e.emit(x.lanes.f64, d, a, b);
  } else if (nan) {
    std::uint32_t r = e.temporary(16);
    e.emit(x.lanes.f16, r, a, b, kZeroSlot, infinity_of(t));
    e.emit(Lane::nan_h, d, r, a, b, infinity_of(t));
  } else {
    e.emit(x.lanes.f16, d, a, b, kZeroSlot, infinity_of(t));
  }
}

std::uint32_t magnitude(Emitter& e, Type t, std::uint32_t slot) {
  std::uint32_t to = e.temporary(bits_of(t));
  if (t == Type::f32)
    e.emit(Lane::abs_f32, to, slot);
  else
    e.emit(Lane::abs_h, to, slot, kZeroSlot, kZeroSlot, infinity_of(t));
  return to;
}

void extremum(Emitter& e, const Extremum& x) {
  const Instruction& i = e.instruction();
  Type t = type_of(e);
  if (!is_floating(t)) {
    Lane family = is_signed(t) ? x.signed_family : x.unsigned_family;
    if (!i.has("relu")) return integer(e, 2, family);
    by_elements(e, t, 2, [&](Type element, std::uint32_t d, const Slots& s) {
      unsigned bits = bits_of(element);
      std::uint32_t r = e.temporary(bits);
      e.emit(for_width(family, bits), r, s[0], s[1]);
      e.emit(for_width(Lane::max_s_16, bits), d, r, e.constant(0, bits));
    });
    return;
  }
  std::size_t count = e.operands() - 1;
  if (count > 3) e.refuse("more than three inputs");
  if (count == 3 && t != Type::f32) e.refuse("three inputs are for .f32");
  if (count == 3) e.require_target(100);
  bool abs = i.has("abs");
  bool xorsign = i.has("xorsign");
  float_operation(
      e, t, count, [&](Type element, std::uint32_t d, const Slots& in) {
        Slots s = in;
        if (abs)
          for (std::size_t k = 0; k < count; ++k)
            s.at(k) = magnitude(e, element, in.at(k));
        if (count == 3) {
          std::uint32_t r = e.temporary(32);
          two_floats(e, x, element, r, s[0], s[1]);
          return two_floats(e, x, element, d, r, s[2]);
        }
        if (!xorsign) return two_floats(e, x, element, d, s[0], s[1]);
        std::uint32_t r = e.temporary(bits_of(element));
        two_floats(e, x, element, r, s[0], s[1]);
        e.emit(element == Type::f32 ? Lane::xor_sign_f32 : Lane::xor_sign_h, d,
               r, in[0], in[1]);
      });
}

void min(Emitter& e) {
  extremum(e, {{Lane::min_f32, Lane::min_f64, Lane::min_h, Lane::min_h},
               Lane::min_nan_f32,
               Lane::min_u_16,
               Lane::min_s_16});
}
void max(Emitter& e) {
  extremum(e, {{Lane::max_f32, Lane::max_f64, Lane::max_h, Lane::max_h},
               Lane::max_nan_f32,
               Lane::max_u_16,
               Lane::max_s_16});
}

void sign(Emitter& e, const FloatLanes& lanes, Lane family) {
  Type t = type_of(e);
  if (!is_floating(t)) return integer(e, 1, family);
  float_operation(e, t, 1, [&](Type element, std::uint32_t d, const Slots& s) {
    std::uint64_t imm = is_half(element) ? infinity_of(element) : 0;
    e.emit(pick(lanes, element), d, s[0], kZeroSlot, kZeroSlot, imm);
  });
}

void neg(Emitter& e) {
  sign(e, {Lane::neg_f32, Lane::neg_f64, Lane::neg_h, Lane::neg_h},
       Lane::neg_16);
}
void abs(Emitter& e) {
  sign(e, {Lane::abs_f32, Lane::abs_f64, Lane::abs_h, Lane::abs_h},
       Lane::abs_16);
}

void copysign(Emitter& e) {
  Type t = type_of(e);
  e.emit(t == Type::f32 ? Lane::copysign_f32 : Lane::copysign_f64,
         e.destination(0, bits_of(t)), e.source(1, bits_of(t)),
         e.source(2, bits_of(t)));
}

// Division by zero gives a value that the ISA leaves open: all ones, as GPUs
// do; the remainder is then the dividend.
template <class T>
T divide(std::uint64_t, T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (static_cast<T>(-1) < T{0})
    if (b == -1) return static_cast<T>(0 - static_cast<std::uint64_t>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(std::uint64_t, T a, T b) {
  if (b == 0) return a;
  if constexpr (static_cast<T>(-1) < T{0})
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T>
constexpr LanesRun quotient = lanes2<divide<T>, T, T, T>;
template <class T>
constexpr LanesRun rest = lanes2<remainder<T>, T, T, T>;

void by_type(Emitter& e, LanesRun u16, LanesRun s16, LanesRun u32, LanesRun s32,
             LanesRun u64, LanesRun s64) {
  Type t = type_of(e);
  unsigned bits = bits_of(t);
  LanesRun run = bits == 16   ? (is_signed(t) ? s16 : u16)
                 : bits == 32 ? (is_signed(t) ? s32 : u32)
                              : (is_signed(t) ? s64 : u64);
  e.emit(run, e.destination(0, bits), e.source(1, bits), e.source(2, bits));
}

void div(Emitter& e) {
  if (is_floating(type_of(e))) return decode_rounded(e);
  by_type(e, quotient<std::uint16_t>, quotient<std::int16_t>,
          quotient<std::uint32_t>, quotient<std::int32_t>,
          quotient<std::uint64_t>, quotient<std::int64_t>);
}

void rem(Emitter& e) {
  by_type(e, rest<std::uint16_t>, rest<std::int16_t>, rest<std::uint32_t>,
          rest<std::int32_t>, rest<std::uint64_t>, rest<std::int64_t>);
}

}  // namespace

// div, rcp, sqrt: with .rn and its kin here, else in decode_approximate.cc.
void decode_rounded(Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.has("approx") || i.has("full")) return decode_approximate(e);
  if (!i.has("rn") && !i.has("rz") && !i.has("rm") && !i.has("rp"))
    e.refuse("it needs a rounding mode, .approx or .full");
  Type t = type_of(e);
  if (t != Type::f32 && t != Type::f64) e.refuse("this type");
  if (i.opcode == "div")
    rounded(e, t, 2, {Lane::div_f32, Lane::div_f64, {}, {}});
  else if (i.opcode == "rcp")
    rounded(e, t, 1, {Lane::rcp_f32, Lane::rcp_f64, {}, {}});
  else
    rounded(e, t, 1, {Lane::sqrt_f32, Lane::sqrt_f64, {}, {}});
}

std::span<const Decoder> arithmetic_decoders() {
  static constexpr Decoder kTable[] = {
      {"abs", abs},
      {"add", add},
      {"copysign", copysign},
      {"div", div},
      {"fma", fma},
      {"mad", mad},
      {"mad24", mad24},
      {"max", max},
      {"min", min},
      {"mul", mul},
      {"mul24", mul24},
      {"neg", neg},
      {"rcp", decode_rounded},
      {"rem", rem},
      {"sad", sad},
      {"sqrt", decode_rounded},
      {"sub", sub},
  };
  return kTable;
}

}  // namespace assay::ptx
