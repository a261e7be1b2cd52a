// atom and red: one lane after the other, in the order of lanes.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ptx/decode/decode.h"
#include "ptx/decode/memory_operand.h"
#include "ptx/machine/access.h"
#include "ptx/machine/block.h"
#include "ptx/machine/warp.h"
#include "ptx/numbers/format.h"

namespace assay::ptx {
namespace {

enum class Update : std::uint8_t {
  add,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  exch,
  cas,
  inc,
  dec
};

// What run_atomic finds in imm's neighbour: the lists entry of the operation.
struct How {
  Update update;
  Type type;
  bool is_global_f32_add;  // which flushes subnormals (PTX ISA, atom)
};

std::uint32_t pack_how(const How& h) {
  return static_cast<std::uint32_t>(h.update) |
         static_cast<std::uint32_t>(h.type) << 8 |
         (h.is_global_f32_add ? 1U << 16 : 0U);
}
How unpack_how(std::uint32_t x) {
  return {static_cast<Update>(x & 0xffU), static_cast<Type>((x >> 8) & 0xffU),
          ((x >> 16) & 1U) != 0};
}

float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}

std::uint64_t add_f32(std::uint64_t a, std::uint64_t b, bool flushes) {
  auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
  auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
  if (flushes) {
    x = flush(x);
    y = flush(y);
  }
  float sum = x + y;
  if (flushes) sum = flush(sum);
  return std::isnan(sum) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(sum);
}

std::uint64_t add_f64(std::uint64_t a, std::uint64_t b) {
  double sum = std::bit_cast<double>(a) + std::bit_cast<double>(b);
  return std::isnan(sum) ? 0x7fffffffffffffffULL
                         : std::bit_cast<std::uint64_t>(sum);
}

// Sixteen bits each. A sum of two f16 is exact in f64, that of two bf16 is
// rounded twice harmlessly: f64 has more than twice its bits and two.
std::uint64_t update_half(Format f, Update u, std::uint64_t a,
                          std::uint64_t b) {
  double x = widen(f, static_cast<std::uint32_t>(a));
  double y = widen(f, static_cast<std::uint32_t>(b));
  if (u == Update::add) return narrow(x + y, {f});
  if (std::isnan(x) && std::isnan(y)) return 0x7fff;
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  bool a_below = x < y || (x == y && std::signbit(x));
  return a_below == (u == Update::min) ? a : b;
}

template <class F>
std::uint64_t by_halves(std::uint64_t a, std::uint64_t b, F f) {
  return f(a & 0xffffU, b & 0xffffU) |
         f((a >> 16) & 0xffffU, (b >> 16) & 0xffffU) << 16;
}

std::uint64_t update_integer(const How& h, std::uint64_t a, std::uint64_t b,
                             std::uint64_t c) {
  unsigned shift = 64 - bits_of(h.type);
  auto as_signed = [&](std::uint64_t x) {
    return static_cast<std::int64_t>(x << shift) >> shift;
  };
  bool is_s = is_signed(h.type);
  bool less = is_s ? as_signed(a) < as_signed(b) : a < b;
  switch (h.update) {
    case Update::add:
      return a + b;
    case Update::min:
      return less ? a : b;
    case Update::max:
      return less ? b : a;
    case Update::bit_and:
      return a & b;
    case Update::bit_or:
      return a | b;
    case Update::bit_xor:
      return a ^ b;
    case Update::exch:
      return b;
    case Update::cas:
      return a == b ? c : a;
    case Update::inc:
      return a >= b ? 0 : a + 1;
    case Update::dec:
      return a == 0 || a > b ? b : a - 1;
  }
  return a;
}

std::uint64_t updated(const How& h, std::uint64_t a, std::uint64_t b,
                      std::uint64_t c) {
  if (h.update == Update::exch || h.update == Update::cas)
    return update_integer(h, a, b, c);
  switch (h.type) {
    case Type::f32:
      return add_f32(a, b, h.is_global_f32_add);
    case Type::f64:
      return add_f64(a, b);
    case Type::f16:
    case Type::bf16:
      return update_half(h.type == Type::f16 ? Format::f16 : Format::bf16,
                         h.update, a, b);
    case Type::f16x2:
    case Type::bf16x2: {
      Format f = h.type == Type::f16x2 ? Format::f16 : Format::bf16;
      return by_halves(a, b, [&](std::uint64_t x, std::uint64_t y) {
        return update_half(f, h.update, x, y);
      });
    }
    default:
      return update_integer(h, a, b, c);
  }
}

std::uint64_t lane_value(Warp& w, std::uint32_t slot, unsigned width,
                         unsigned lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, w.slot<std::byte>(slot) + std::size_t{lane} * width,
              width);
  return value;
}

// a: address; b, c: first slots of the operands, of which a vector has
// several in lists; e: list of result slots.
void run_atomic(Warp& w, const Operation& op, std::uint32_t mask) {
  const Access& access = w.kernel().accesses[op.list];
  const auto& lists = w.kernel().lists;
  std::size_t count = access.slots.size();
  How how = unpack_how(lists[op.c]);
  w.check_defined(op, op.a, mask, "an address");
  for (std::size_t k = 0; k < count; ++k) {
    w.check_defined(op, access.slots[k], mask, "an atomic update");
    w.check_defined(op, lists[op.c + 1 + k], mask, "an atomic update");
  }
  std::uint64_t addresses[kLanes];
  lane_addresses(w, op, access, addresses);
  // Blocks that meet at an atomic see what others have released.
  if (BlockOrder* order = w.block().workspace().order) {
    order->acquire(w.block().index());
    order->release(w.block().index());
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(rest));
    auto place = resolve(w, op, access, lane, addresses[lane],
                         access.bytes * count, AccessKind::atomic);
    if (!place) return;
    bool is_shared = access.space == Space::shared ||
                     (access.space == Space::generic &&
                      addresses[lane] >> kRegionShift == kSharedRegion);
    How here = how;
    here.is_global_f32_add = how.is_global_f32_add && !is_shared;
    for (std::size_t k = 0; k < count; ++k) {
      std::byte* at = place->bytes + k * access.bytes;
      std::uint8_t* defined = place->defined == nullptr
                                  ? nullptr
                                  : place->defined + k * access.bytes;
      std::uint64_t old = 0;
      std::memcpy(&old, at, access.bytes);
      unsigned width = access.widths[k];
      std::uint64_t b = lane_value(w, access.slots[k], width, lane);
      std::uint64_t c = lane_value(w, lists[op.c + 1 + k], width, lane);
      std::uint64_t now = updated(here, old, b, c);
      std::memcpy(at, &now, access.bytes);
      std::uint32_t d = lists[op.c + 1 + count + k];
      bool known = true;
      for (std::size_t i = 0; defined != nullptr && i < access.bytes; ++i)
        known = known && defined[i] != 0;
      if (defined != nullptr && (known || how.update == Update::exch))
        std::memset(defined, 1, access.bytes);
      if (d == kSinkSlot) continue;
      std::memcpy(w.slot<std::byte>(d) + std::size_t{lane} * width, &old,
                  width);
      w.set_taint(d, std::uint32_t{1} << lane, known ? 0 : kAllLanes);
    }
  }
}

Update update_of(Emitter& e) {
  static constexpr std::pair<std::string_view, Update> kNames[] = {
      {"add", Update::add},   {"min", Update::min},
      {"max", Update::max},   {"and", Update::bit_and},
      {"or", Update::bit_or}, {"xor", Update::bit_xor},
      {"exch", Update::exch}, {"cas", Update::cas},
      {"inc", Update::inc},   {"dec", Update::dec}};
  for (const auto& [name, update] : kNames)
    if (e.instruction().has(name)) return update;
  e.refuse("this operation");
}

std::vector<Operand> elements(const Operand& o) {
  if (o.kind == Operand::Kind::vector) return o.elements;
  return {o};
}

void atomic(Emitter& e, bool has_result) {
  const Instruction& i = e.instruction();
  if (i.has("async")) e.refuse();
  Type t = type_of(e);
  unsigned bits = bits_of(t);
  if (bits > 64) e.refuse("128 bits");
  Update u = update_of(e);
  bool plain = u == Update::exch || u == Update::cas;
  if (!plain && is_floating(t) && u != Update::add &&
      (t == Type::f32 || t == Type::f64))
    e.refuse("of floating point there is .add alone");
  Access access;
  access.space = space_of_access(i);
  access.bytes = bits / 8;
  std::size_t at = has_result ? 1 : 0;
  std::vector<std::uint32_t> thirds;
  std::vector<std::uint32_t> results;
  for (const Operand& o : elements(e.operand(at + 1))) {
    access.slots.push_back(e.source(o, bits));
    access.widths.push_back(bits / 8);
    thirds.push_back(u == Update::cas ? e.source(at + 2, bits) : kZeroSlot);
    results.push_back(kSinkSlot);
  }
  if (has_result) {
    auto to = elements(e.operand(0));
    for (std::size_t k = 0; k < std::min(to.size(), results.size()); ++k)
      results[k] = e.destination(to[k], bits);
  }
  e.note_grain(access.space, access.bytes);
  if (access.space != Space::shared) e.kernel().synchronises_globally = true;
  MemoryOperand where = memory_operand(e, e.operand(at), access);
  auto& lists = e.kernel().lists;
  auto list = static_cast<std::uint32_t>(lists.size());
  lists.push_back(
      pack_how({u, t, t == Type::f32 && access.space != Space::shared}));
  lists.insert(lists.end(), thirds.begin(), thirds.end());
  lists.insert(lists.end(), results.begin(), results.end());
  Operation& op = e.emit_warp(run_atomic);
  op.a = where.base;
  op.imm = where.offset;
  op.c = list;
  op.list = e.add_access(std::move(access));
}

void atom(Emitter& e) { atomic(e, true); }
void red(Emitter& e) { atomic(e, false); }

}  // namespace

std::span<const Decoder> atomic_decoders() {
  static constexpr Decoder kTable[] = {{"atom", atom}, {"red", red}};
  return kTable;
}

}  // namespace assay::ptx
