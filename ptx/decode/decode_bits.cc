// Logic, shifts, bit fields, permutations, counting of bits.
#include <cstdint>
#include <string_view>

#include "ptx/decode/decode.h"
#include "ptx/decode/predicates.h"
#include "ptx/lanes/bit_fields.h"
#include "ptx/lanes/scalar_lanes.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

// and, or: a bit that the other operand decides is defined even if its own
// operand is not. Followed for whole values: x & 0, x | ~0.
template <class T, bool is_and>
void run_decided(Warp& w, const Operation& op, std::uint32_t mask) {
  static const LanesRun run = lanes_run(
      for_width(is_and ? Lane::bit_and_16 : Lane::bit_or_16, sizeof(T) * 8));
  std::uint32_t ta = w.taint(op.a);
  std::uint32_t tb = w.taint(op.b);
  std::uint32_t undefined = ta | tb;
  for (std::uint32_t rest = (ta ^ tb) & mask; rest != 0; rest &= rest - 1) {
    auto l = static_cast<unsigned>(std::countr_zero(rest));
    bool a_defined = ((ta >> l) & 1U) == 0;
    T known = w.slot<T>(a_defined ? op.a : op.b)[l];
    if (known == (is_and ? T{0} : static_cast<T>(-1)))
      undefined &= ~(uint32_t{1} << l);
  }
  run(w.frame(), op, mask);
  w.set_taint(op.d, mask, undefined);
}

template <bool is_and>
void logic_decided(Emitter& e, LanesRun predicate) {
  Type t = type_of(e);
  if (t == Type::pred) {
    e.emit(predicate, e.predicate_destination(e.operand(0)),
           e.predicate(e.operand(1)), e.predicate(e.operand(2)));
    return;
  }
  unsigned bits = bits_of(t);
  uint32_t d = e.destination(0, bits);
  uint32_t a = e.source(1, bits);
  uint32_t b = e.source(2, bits);
  Operation& op = e.emit_warp(bits == 16   ? run_decided<uint16_t, is_and>
                              : bits == 32 ? run_decided<uint32_t, is_and>
                                           : run_decided<uint64_t, is_and>);
  op.d = d;
  op.a = a;
  op.b = b;
}

void bit_and(Emitter& e) { logic_decided<true>(e, predicates<predicate_and>); }
void bit_or(Emitter& e) { logic_decided<false>(e, predicates<predicate_or>); }

void bit_xor(Emitter& e) {
  Type t = type_of(e);
  if (t == Type::pred) {
    e.emit(predicates<predicate_xor>, e.predicate_destination(e.operand(0)),
           e.predicate(e.operand(1)), e.predicate(e.operand(2)));
    return;
  }
  unsigned bits = bits_of(t);
  e.emit(for_width(Lane::bit_xor_16, bits), e.destination(0, bits),
         e.source(1, bits), e.source(2, bits));
}

void bit_not(Emitter& e) {
  Type t = type_of(e);
  if (t == Type::pred) {
    e.emit(predicates<predicate_not>, e.predicate_destination(e.operand(0)),
           e.predicate(e.operand(1)));
    return;
  }
  unsigned bits = bits_of(t);
  e.emit(for_width(Lane::bit_not_16, bits), e.destination(0, bits),
         e.source(1, bits));
}

void cnot(Emitter& e) {
  unsigned bits = bits_of(type_of(e));
  e.emit(for_width(Lane::cnot_16, bits), e.destination(0, bits),
         e.source(1, bits));
}

// lop3{.BoolOp}.b32 d{|p}, a, b, c, table{, q}
void lop3(Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.has("or") || i.has("and")) e.refuse("with a predicate");
  const Operand& table = e.operand(4);
  if (table.kind != Operand::Kind::integer) e.refuse("a table in a register");
  e.emit(Lane::lop3, e.destination(0, 32), e.source(1, 32), e.source(2, 32),
         e.source(3, 32), table.bits);
}

void shift(Emitter& e, Lane family) {
  unsigned bits = bits_of(type_of(e));
  e.emit(for_width(family, bits), e.destination(0, bits), e.source(1, bits),
         e.source(2, 32));
}
void shl(Emitter& e) { shift(e, Lane::shl_16); }
void shr(Emitter& e) {
  shift(e, is_signed(type_of(e)) ? Lane::shr_s_16 : Lane::shr_u_16);
}

void shf(Emitter& e) {
  const Instruction& i = e.instruction();
  bool clamp = i.has("clamp");
  if (clamp == i.has("wrap")) e.refuse("it needs .clamp or .wrap");
  Lane lane = i.has("l") ? (clamp ? Lane::shf_l_clamp : Lane::shf_l_wrap)
                         : (clamp ? Lane::shf_r_clamp : Lane::shf_r_wrap);
  e.emit(lane, e.destination(0, 32), e.source(1, 32), e.source(2, 32),
         e.source(3, 32));
}

// A word is undefined where all bytes that were chosen are. NVRTC packs two
// defined bytes into the lower half of a word, with what is undefined above
// them, for a dp2a.lo that reads that half alone.
void run_permute(Warp& w, const Operation& op, uint32_t mask) {
  const uint32_t* selector = w.slot<uint32_t>(op.c);
  uint32_t ta = w.taint(op.a);
  uint32_t tb = w.taint(op.b);
  uint32_t undefined = (ta & tb) | w.taint(op.c);
  // The other modes choose as the lane's selector says, from both operands.
  uint32_t differ = op.imm == 0 ? (ta ^ tb) & mask : 0;
  for (uint32_t rest = differ; rest != 0; rest &= rest - 1) {
    auto l = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t from_b = selector[l] >> 2 & 0x1111U;
    uint32_t all_undefined = ((ta >> l) & 1U) != 0 ? 0 : 0x1111U;
    if (from_b == all_undefined) undefined |= uint32_t{1} << l;
  }
  lanes3<permute, uint32_t, uint32_t, uint32_t, uint32_t>(w.frame(), op, mask);
  w.set_taint(op.d, mask, undefined);
}

void prmt(Emitter& e) {
  static constexpr std::string_view kModes[] = {"f4e", "b4e", "rc8",
                                                "ecl", "ecr", "rc16"};
  uint64_t mode = 0;
  for (uint64_t m = 0; m < std::size(kModes); ++m)
    if (e.instruction().has(kModes[m])) mode = m + 1;
  uint32_t d = e.destination(0, 32);
  uint32_t a = e.source(1, 32);
  uint32_t b = e.source(2, 32);
  uint32_t c = e.source(3, 32);
  Operation& op = e.emit_warp(run_permute);
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = c;
  op.imm = mode;
}

void by_width(Emitter& e, unsigned result_bits, LanesRun run32, LanesRun run64,
              uint64_t imm = 0) {
  unsigned bits = bits_of(type_of(e));
  if (bits != 32 && bits != 64) e.refuse("this type");
  e.emit(bits == 32 ? run32 : run64,
         e.destination(0, result_bits == 0 ? bits : result_bits),
         e.source(1, bits), kZeroSlot, kZeroSlot, imm);
}

void popc(Emitter& e) {
  by_width(e, 32, lanes1<count_ones<uint32_t>, uint32_t, uint32_t>,
           lanes1<count_ones<uint64_t>, uint32_t, uint64_t>);
}
void clz(Emitter& e) {
  by_width(e, 32, lanes1<count_leading_zeros<uint32_t>, uint32_t, uint32_t>,
           lanes1<count_leading_zeros<uint64_t>, uint32_t, uint64_t>);
}
void brev(Emitter& e) {
  by_width(e, 0, lanes1<reverse_bits<uint32_t>, uint32_t, uint32_t>,
           lanes1<reverse_bits<uint64_t>, uint64_t, uint64_t>);
}
void bfind(Emitter& e) {
  uint64_t shift_amount = e.instruction().has("shiftamt") ? 1 : 0;
  if (is_signed(type_of(e)))
    by_width(e, 32, lanes1<find_highest<int32_t>, uint32_t, int32_t>,
             lanes1<find_highest<int64_t>, uint32_t, int64_t>, shift_amount);
  else
    by_width(e, 32, lanes1<find_highest<uint32_t>, uint32_t, uint32_t>,
             lanes1<find_highest<uint64_t>, uint32_t, uint64_t>, shift_amount);
}

void bfe(Emitter& e) {
  Type t = type_of(e);
  unsigned bits = bits_of(t);
  LanesRun run = nullptr;
  if (t == Type::u32)
    run =
        lanes3<extract_field<uint32_t>, uint32_t, uint32_t, uint32_t, uint32_t>;
  if (t == Type::s32)
    run = lanes3<extract_field<int32_t>, int32_t, int32_t, uint32_t, uint32_t>;
  if (t == Type::u64)
    run =
        lanes3<extract_field<uint64_t>, uint64_t, uint64_t, uint32_t, uint32_t>;
  if (t == Type::s64)
    run = lanes3<extract_field<int64_t>, int64_t, int64_t, uint32_t, uint32_t>;
  if (run == nullptr) e.refuse("this type");
  e.emit(run, e.destination(0, bits), e.source(1, bits), e.source(2, 32),
         e.source(3, 32));
}

void bfi(Emitter& e) {
  unsigned bits = bits_of(type_of(e));
  uint32_t d = e.destination(0, bits);
  uint32_t a = e.source(1, bits);
  uint32_t b = e.source(2, bits);
  uint32_t position = e.source(3, 32);
  uint32_t length = e.source(4, 32);
  LanesRun run = bits == 32
                     ? LanesRun{lanes4<insert_field<uint32_t>, uint32_t,
                                       uint32_t, uint32_t, uint32_t, uint32_t>}
                     : LanesRun{lanes4<insert_field<uint64_t>, uint64_t,
                                       uint64_t, uint64_t, uint32_t, uint32_t>};
  e.emit(run, d, a, b, position).e = length;
}

uint64_t clamp_mode(const Emitter& e) {
  bool clamp = e.instruction().has("clamp");
  if (clamp == e.instruction().has("wrap"))
    e.refuse("it needs .clamp or .wrap");
  return clamp ? 1 : 0;
}

void szext(Emitter& e) {
  uint64_t mode = clamp_mode(e) + (is_signed(type_of(e)) ? 2 : 0);
  e.emit(lanes2<extend, uint32_t, uint32_t, uint32_t>, e.destination(0, 32),
         e.source(1, 32), e.source(2, 32), kZeroSlot, mode);
}
void bmsk(Emitter& e) {
  e.emit(lanes2<make_mask, uint32_t, uint32_t, uint32_t>, e.destination(0, 32),
         e.source(1, 32), e.source(2, 32), kZeroSlot, clamp_mode(e));
}
void fns(Emitter& e) {
  e.emit(lanes3<find_nth_set, uint32_t, uint32_t, uint32_t, int32_t>,
         e.destination(0, 32), e.source(1, 32), e.source(2, 32),
         e.source(3, 32));
}

void dot(Emitter& e, LanesRun run) {
  auto types = e.instruction().types();
  if (types.size() != 2) e.refuse("it needs two types");
  uint64_t mode = (is_signed(types[0]) ? 1U : 0U) |
                  (is_signed(types[1]) ? 2U : 0U) |
                  (e.instruction().has("hi") ? 4U : 0U);
  e.emit(run, e.destination(0, 32), e.source(1, 32), e.source(2, 32),
         e.source(3, 32), mode);
}
void dp4a(Emitter& e) {
  dot(e, lanes3<dot4, uint32_t, uint32_t, uint32_t, uint32_t>);
}
void dp2a(Emitter& e) {
  dot(e, lanes3<dot2, uint32_t, uint32_t, uint32_t, uint32_t>);
}

}  // namespace

std::span<const Decoder> bit_decoders() {
  static constexpr Decoder kTable[] = {
      {"and", bit_and}, {"bfe", bfe},   {"bfi", bfi},   {"bfind", bfind},
      {"bmsk", bmsk},   {"brev", brev}, {"clz", clz},   {"cnot", cnot},
      {"dp2a", dp2a},   {"dp4a", dp4a}, {"fns", fns},   {"lop3", lop3},
      {"not", bit_not}, {"or", bit_or}, {"popc", popc}, {"prmt", prmt},
      {"shf", shf},     {"shl", shl},   {"shr", shr},   {"szext", szext},
      {"xor", bit_xor},
  };
  return kTable;
}

}  // namespace assay::ptx
