#include "ptx/decode/narrow_formats.h"

#include <cstdint>
#include <optional>
#include <string>

#include "ptx/decode/decode.h"
#include "ptx/lanes/scalar_lanes.h"
#include "ptx/numbers/format.h"

namespace assay::ptx {
namespace {

std::optional<Format> format_of(Type t) {
  switch (t) {
    case Type::e4m3x2:
      return Format::e4m3;
    case Type::e5m2x2:
      return Format::e5m2;
    case Type::e2m1x2:
      return Format::e2m1;
    case Type::e2m3x2:
      return Format::e2m3;
    case Type::e3m2x2:
      return Format::e3m2;
    case Type::ue8m0x2:
      return Format::ue8m0;
    default:
      return std::nullopt;
  }
}

// PTX ISA, cvt, target notes; ptxas 13.0 refuses the same.
void require_format(const Emitter& e, Format f, bool from_bf16) {
  bool eight = f == Format::e4m3 || f == Format::e5m2;
  if (eight && !from_bf16)
    e.require_target(89);
  else
    e.require_target(100, true);
}

std::uint16_t narrow_one(std::uint64_t imm, double x) {
  return static_cast<std::uint16_t>(narrow(x, from_immediate(imm)));
}

// One element of two packed ones. imm: Format, then the shift.
double widen_one(std::uint64_t imm, std::uint16_t x) {
  auto f = static_cast<Format>(imm & 0xffU);
  std::uint32_t mask = f == Format::e2m1                        ? 0xfU
                       : f == Format::e2m3 || f == Format::e3m2 ? 0x3fU
                                                                : 0xffU;
  return widen(f, (std::uint32_t{x} >> (imm >> 8)) & mask);
}

void to_narrow(Emitter& e, Format f, Type s) {
  const Instruction& i = e.instruction();
  require_format(e, f, s == Type::bf16x2 && f != Format::ue8m0);
  NarrowOptions o{f, RoundTo::nearest_even, i.has("satfinite"), i.has("relu")};
  if (i.has("rz")) o.round = RoundTo::zero;
  if (i.has("rp")) o.round = RoundTo::up;
  if (f == Format::ue8m0 ? i.has("rn") : !i.has("rn"))
    e.refuse("this rounding");
  if (f != Format::ue8m0 && !o.satfinite) e.refuse("it needs .satfinite");
  // Singles below and above.
  std::uint32_t singles[2];
  if (s == Type::f32) {
    singles[0] = e.source(2, 32);
    singles[1] = e.source(1, 32);
  } else if (s == Type::f16x2 || s == Type::bf16x2) {
    Parts parts = parts_of(s);
    std::uint32_t halves[2];
    unpack(e, e.source(1, 32), 32, parts, halves);
    for (unsigned k = 0; k < 2; ++k) {
      singles[k] = e.temporary(32);
      e.emit(s == Type::f16x2 ? Lane::f32_f16 : Lane::f32_bf16, singles[k],
             halves[k]);
    }
  } else {
    e.refuse("these types");
  }
  std::uint32_t sum = e.constant(0, 16);
  for (unsigned k = 0; k < 2; ++k) {
    std::uint32_t wide = e.temporary(64);
    std::uint32_t bits = e.temporary(16);
    e.emit(Lane::f64_f32, wide, singles[k]);
    e.emit(lanes1<narrow_one, std::uint16_t, double>, bits, wide, kZeroSlot,
           kZeroSlot, to_immediate(o));
    std::uint32_t to = k == 1 ? e.destination(0, 16) : e.temporary(16);
    e.emit(f == Format::e2m1 ? Lane::insert_4_16 : Lane::insert_8_16, to, sum,
           bits, kZeroSlot, k);
    sum = to;
  }
}

void from_narrow(Emitter& e, Format f, Type d) {
  const Instruction& i = e.instruction();
  require_format(e, f, false);
  bool to_bf16 = f == Format::ue8m0;
  if (d != (to_bf16 ? Type::bf16x2 : Type::f16x2)) e.refuse("these types");
  std::uint32_t a = e.source(1, 16);
  unsigned step = f == Format::e2m1 ? 4 : 8;
  std::uint32_t halves[2];
  for (unsigned k = 0; k < 2; ++k) {
    std::uint32_t wide = e.temporary(64);
    e.emit(lanes1<widen_one, double, std::uint16_t>, wide, a, kZeroSlot,
           kZeroSlot,
           static_cast<std::uint64_t>(f) | std::uint64_t{k * step} << 8);
    halves[k] = e.temporary(16);
    e.emit(to_bf16 ? Lane::bf16_f64 : Lane::f16_f64, halves[k], wide);
    if (!i.has("relu")) continue;
    std::uint32_t positive = e.temporary(16);
    e.emit(Lane::relu_h, positive, halves[k], kZeroSlot, kZeroSlot, 0x7c00);
    halves[k] = positive;
  }
  pack(e, e.destination(0, 32), {Type::f16, 2}, halves);
}

}  // namespace

bool decode_narrow_formats(Emitter& e) {
  for (const std::string& m : e.instruction().modifiers) {
    bool four = m == "e2m1x4" || m == "e4m3x4" || m == "e5m2x4" ||
                m == "e2m3x4" || m == "e3m2x4" || m == "s2f6x2";
    if (four) e.refuse("this format");
  }
  auto types = e.instruction().types();
  if (types.size() != 2) return false;
  if (auto f = format_of(types[0])) {
    to_narrow(e, *f, types[1]);
    return true;
  }
  if (auto f = format_of(types[1])) {
    from_narrow(e, *f, types[0]);
    return true;
  }
  return false;
}

}  // namespace assay::ptx
