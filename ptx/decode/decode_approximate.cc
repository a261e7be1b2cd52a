// The approximate instructions; what they give is numbers/approximate.h's
// business.
#include <bit>
#include <cstdint>
#include <optional>

#include "ptx/decode/decode.h"
#include "ptx/machine/block.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

// Beside the Approximate in an operation's imm.
constexpr std::uint64_t kFtz = 0x100;

// imm: the Approximate; list: number of the opcode in the launch's count.
template <class T>
void run_approximate(Warp& w, const Operation& op, std::uint32_t mask) {
  auto function = static_cast<Approximate>(op.imm & ~kFtz);
  bool ftz = (op.imm & kFtz) != 0;
  Approximation which = w.block().launch().approximation;
  const T* a = w.slot<T>(op.a);
  const T* b = w.slot<T>(op.b);
  T* d = w.slot<T>(op.d);
  const RecordedResults* recorded = w.block().launch().recorded;
  std::uint64_t& count = w.block().workspace().approximate[op.list];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto l = static_cast<unsigned>(std::countr_zero(rest));
    std::optional<std::uint64_t> seen;
    if (recorded != nullptr) seen = recorded->find(function, ftz, a[l], b[l]);
    if (!seen) ++count;
    d[l] =
        static_cast<T>(seen ? *seen : approximate(function, which, a[l], b[l]));
  }
}

std::optional<Approximate> function_of(const Instruction& i, Type t) {
  const std::string& name = i.opcode;
  bool f32 = t == Type::f32;
  if (name == "ex2") {
    if (t == Type::f16) return Approximate::ex2_f16;
    if (t == Type::bf16) return Approximate::ex2_bf16;
    if (f32) return Approximate::ex2_f32;
  }
  if (name == "tanh") {
    if (t == Type::f16) return Approximate::tanh_f16;
    if (t == Type::bf16) return Approximate::tanh_bf16;
    if (f32) return Approximate::tanh_f32;
  }
  if (name == "rcp" && t == Type::f64 && i.has("ftz"))
    return Approximate::rcp_f64;
  if (name == "rsqrt" && t == Type::f64)
    return i.has("ftz") ? Approximate::rsqrt_ftz_f64 : Approximate::rsqrt_f64;
  if (!f32) return std::nullopt;
  if (name == "lg2") return Approximate::lg2_f32;
  if (name == "sin") return Approximate::sin_f32;
  if (name == "cos") return Approximate::cos_f32;
  if (name == "rcp") return Approximate::rcp_f32;
  if (name == "rsqrt") return Approximate::rsqrt_f32;
  if (name == "sqrt") return Approximate::sqrt_f32;
  if (name == "div")
    return i.has("full") ? Approximate::div_full_f32 : Approximate::div_f32;
  return std::nullopt;
}

void emit_one(Emitter& e, Type t, std::uint32_t d, std::uint32_t a,
              std::uint32_t b) {
  const Instruction& i = e.instruction();
  auto function = function_of(i, t);
  if (!function) e.refuse("this type");
  // The f64 forms flush by themselves; bf16 has f32's exponents, and its
  // subnormals are the same numbers.
  Lane flush = t == Type::f32   ? Lane::flush_f32
               : t == Type::f16 ? Lane::flush_f16
                                : Lane::flush_bf16;
  bool ftz = i.has("ftz") && t != Type::f64;
  unsigned bits = bits_of(t);
  auto flushed = [&](std::uint32_t slot) {
    if (!ftz || slot == kZeroSlot) return slot;
    std::uint32_t to = e.temporary(bits);
    e.emit(flush, to, slot);
    return to;
  };
  std::uint32_t x = flushed(a);
  std::uint32_t y = flushed(b);
  std::uint32_t r = ftz ? e.temporary(bits) : d;
  Operation& op = e.emit_warp(bits == 16   ? run_approximate<std::uint16_t>
                              : bits == 32 ? run_approximate<std::uint32_t>
                                           : run_approximate<std::uint64_t>);
  op.taint = Taint::any;
  op.d = r;
  op.a = x;
  op.b = y;
  op.imm = static_cast<std::uint64_t>(*function) | (ftz ? kFtz : 0);
  op.list = e.add_approximate();
  if (ftz) e.emit(flush, d, r);
}

void approximate_instruction(Emitter& e) {
  const Instruction& i = e.instruction();
  if (!i.has("approx") && !i.has("full")) e.refuse("it needs .approx");
  Type t = type_of(e);
  Parts parts = parts_of(t);
  unsigned bits = bits_of(t);
  std::size_t count = i.opcode == "div" ? 2 : 1;
  std::uint32_t a[2];
  std::uint32_t b[2] = {kZeroSlot, kZeroSlot};
  unpack(e, e.source(1, bits), bits, parts, a);
  if (count == 2) unpack(e, e.source(2, bits), bits, parts, b);
  std::uint32_t d = e.destination(0, bits);
  if (parts.count == 1) return emit_one(e, t, d, a[0], b[0]);
  std::uint32_t results[2];
  for (unsigned k = 0; k < 2; ++k) {
    results[k] = e.temporary(bits / 2);
    emit_one(e, parts.element, results[k], a[k], b[k]);
  }
  pack(e, d, parts, results);
}

}  // namespace

// rcp, sqrt and div stand in two tables; the arithmetic one asks this one.
std::span<const Decoder> approximate_decoders() {
  static constexpr Decoder kTable[] = {
      {"cos", approximate_instruction}, {"ex2", approximate_instruction},
      {"lg2", approximate_instruction}, {"rsqrt", approximate_instruction},
      {"sin", approximate_instruction}, {"tanh", approximate_instruction},
  };
  return kTable;
}

void decode_approximate(Emitter& e) { approximate_instruction(e); }

}  // namespace assay::ptx
