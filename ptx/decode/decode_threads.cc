// What threads do together: barriers, shuffles, votes, matches, reductions
// over a warp; and how a thread gives up.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "ptx/decode/decode.h"
#include "ptx/machine/block.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

template <class F>
void each_lane(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1)
    f(static_cast<unsigned>(std::countr_zero(mask)));
}

std::uint32_t bit(unsigned lane) { return std::uint32_t{1} << lane; }

// Who takes part with this lane, of those that are here.
std::uint32_t partners(Warp& w, const Operation& op, unsigned lane,
                       std::uint32_t mask) {
  return w.slot<std::uint32_t>(op.e)[lane] & mask;
}

Operation& emit_sync(Emitter& e, WarpRun run, std::uint32_t members) {
  Operation& op = e.emit_warp(run, OperationKind::sync);
  op.e = members;
  return op;
}

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

// a: value; b, c: operands b and c; d: result; list: predicate or the sink.
void run_shuffle(Warp& w, const Operation& op, std::uint32_t mask) {
  const auto* from = w.slot<std::uint32_t>(op.a);
  const auto* bs = w.slot<std::uint32_t>(op.b);
  const auto* cs = w.slot<std::uint32_t>(op.c);
  std::uint32_t result[kLanes];
  std::uint32_t in_range = 0;
  std::uint32_t undefined = 0;
  std::uint32_t foreign = 0;
  each_lane(mask, [&](unsigned l) {
    int lane = static_cast<int>(l);
    int b = static_cast<int>(bs[l] & 31U);
    int clamp = static_cast<int>(cs[l] & 31U);
    int segment = static_cast<int>((cs[l] >> 8) & 31U);
    int most = (lane & segment) | (clamp & ~segment);
    int least = lane & segment;
    int j = 0;
    bool fits = false;
    switch (static_cast<Shuffle>(op.imm)) {
      case Shuffle::up:
        j = lane - b;
        fits = j >= most;
        break;
      case Shuffle::down:
        j = lane + b;
        fits = j <= most;
        break;
      case Shuffle::bfly:
        j = lane ^ b;
        fits = j <= most;
        break;
      case Shuffle::idx:
        j = least | (b & ~segment);
        fits = j <= most;
        break;
    }
    if (!fits) j = lane;
    auto source = static_cast<unsigned>(j) & 31U;
    if (fits) in_range |= bit(l);
    if ((partners(w, op, l, mask) & bit(source)) == 0) foreign |= bit(l);
    if (((w.taint(op.a) >> source) & 1U) != 0) undefined |= bit(l);
    result[l] = from[source];
  });
  // A lane that reads from one that is not here gets nothing to rely on. That
  // is no fault before the value is used.
  undefined |= foreign | ((w.taint(op.b) | w.taint(op.c)) & mask);
  auto* to = w.slot<std::uint32_t>(op.d);
  each_lane(mask, [&](unsigned l) { to[l] = result[l]; });
  w.set_taint(op.d, mask, undefined);
  std::uint32_t& p = w.predicate(op.list);
  p = (p & ~mask) | in_range;
  w.set_taint(op.list, mask, 0);
}

void shfl(Emitter& e) {
  const Instruction& i = e.instruction();
  if (!i.has("sync")) e.refuse("shfl without .sync");
  Shuffle mode = i.has("up")     ? Shuffle::up
                 : i.has("down") ? Shuffle::down
                 : i.has("bfly") ? Shuffle::bfly
                                 : Shuffle::idx;
  const Operand& to = e.operand(0);
  bool pair = to.kind == Operand::Kind::pair;
  std::uint32_t d = e.destination(pair ? to.elements[0] : to, 32);
  std::uint32_t p = pair ? e.predicate_destination(to.elements[1]) : kSinkSlot;
  std::uint32_t a = e.source(1, 32);
  std::uint32_t b = e.source(2, 32);
  std::uint32_t c = e.source(3, 32);
  Operation& op = emit_sync(e, run_shuffle, e.source(4, 32));
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = c;
  op.list = p;
  op.imm = static_cast<std::uint64_t>(mode);
}

enum class Vote : std::uint8_t { all, any, uni, ballot };

void run_vote(Warp& w, const Operation& op, std::uint32_t mask) {
  std::uint32_t p = w.predicate(op.a) & mask;
  w.check_defined(op, op.a, mask, "a vote");
  std::uint32_t truth = 0;
  each_lane(mask, [&](unsigned l) {
    std::uint32_t who = partners(w, op, l, mask);
    std::uint32_t yes = p & who;
    bool result = false;
    switch (static_cast<Vote>(op.imm)) {
      case Vote::all:
        result = yes == who;
        break;
      case Vote::any:
        result = yes != 0;
        break;
      case Vote::uni:
        result = yes == who || yes == 0;
        break;
      case Vote::ballot:
        w.slot<std::uint32_t>(op.d)[l] = yes;
        break;
    }
    if (result) truth |= bit(l);
  });
  w.set_taint(op.d, mask, 0);
  if (static_cast<Vote>(op.imm) == Vote::ballot) return;
  std::uint32_t& d = w.predicate(op.d);
  d = (d & ~mask) | truth;
}

void vote(Emitter& e) {
  const Instruction& i = e.instruction();
  if (!i.has("sync")) e.refuse("vote without .sync");
  Vote mode = i.has("all")   ? Vote::all
              : i.has("any") ? Vote::any
              : i.has("uni") ? Vote::uni
                             : Vote::ballot;
  std::uint32_t d = mode == Vote::ballot
                        ? e.destination(0, 32)
                        : e.predicate_destination(e.operand(0));
  std::uint32_t p = e.predicate(e.operand(1));
  Operation& op = emit_sync(e, run_vote, e.source(2, 32));
  op.d = d;
  op.a = p;
  op.imm = static_cast<std::uint64_t>(mode);
}

// imm: 1 for .all
template <class T>
void run_match(Warp& w, const Operation& op, std::uint32_t mask) {
  const T* a = w.slot<T>(op.a);
  w.check_defined(op, op.a, mask, "a match");
  std::uint32_t result[kLanes];
  std::uint32_t whole = 0;
  each_lane(mask, [&](unsigned l) {
    std::uint32_t who = partners(w, op, l, mask);
    std::uint32_t same = 0;
    each_lane(who, [&](unsigned k) {
      if (a[k] == a[l]) same |= bit(k);
    });
    result[l] = op.imm == 0 || same == who ? same : 0;
    if (same == who) whole |= bit(l);
  });
  each_lane(mask,
            [&](unsigned l) { w.slot<std::uint32_t>(op.d)[l] = result[l]; });
  w.set_taint(op.d, mask, 0);
  std::uint32_t& p = w.predicate(op.list);
  p = (p & ~mask) | whole;
  w.set_taint(op.list, mask, 0);
}

void match(Emitter& e) {
  unsigned bits = bits_of(type_of(e));
  const Operand& to = e.operand(0);
  bool pair = to.kind == Operand::Kind::pair;
  std::uint32_t d = e.destination(pair ? to.elements[0] : to, 32);
  std::uint32_t p = pair ? e.predicate_destination(to.elements[1]) : kSinkSlot;
  std::uint32_t a = e.source(1, bits);
  Operation& op = emit_sync(
      e, bits == 32 ? run_match<std::uint32_t> : run_match<std::uint64_t>,
      e.source(2, 32));
  op.d = d;
  op.a = a;
  op.list = p;
  op.imm = e.instruction().has("all") ? 1 : 0;
}

enum class Reduction : std::uint8_t {
  add,
  min_u,
  max_u,
  min_s,
  max_s,
  bit_and,
  bit_or,
  bit_xor,
  min_f,
  max_f
};
enum : std::uint64_t { kAbsolute = 16, kNan = 32 };

std::uint32_t reduce(Reduction r, std::uint32_t x, std::uint32_t y) {
  auto sx = static_cast<std::int32_t>(x);
  auto sy = static_cast<std::int32_t>(y);
  switch (r) {
    case Reduction::add:
      return x + y;
    case Reduction::min_u:
      return x < y ? x : y;
    case Reduction::max_u:
      return x > y ? x : y;
    case Reduction::min_s:
      return sx < sy ? x : y;
    case Reduction::max_s:
      return sx > sy ? x : y;
    case Reduction::bit_and:
      return x & y;
    case Reduction::bit_or:
      return x | y;
    case Reduction::bit_xor:
      return x ^ y;
    default:
      break;
  }
  // f32 without NaN, -0 below +0: the order of sign and magnitude.
  auto order = [](std::uint32_t v) {
    auto magnitude = static_cast<std::int64_t>(v & 0x7fffffffU);
    return (v >> 31) != 0 ? -magnitude - 1 : magnitude;
  };
  bool less = order(x) < order(y);
  return less == (r == Reduction::min_f) ? x : y;
}

void run_redux(Warp& w, const Operation& op, std::uint32_t mask) {
  const auto* a = w.slot<std::uint32_t>(op.a);
  auto r = static_cast<Reduction>(op.imm & 15U);
  bool is_float = r == Reduction::min_f || r == Reduction::max_f;
  w.check_defined(op, op.a, mask, "a reduction");
  std::uint32_t result[kLanes];
  each_lane(mask, [&](unsigned l) {
    bool any = false;
    bool nan = false;
    std::uint32_t sum = 0;
    each_lane(partners(w, op, l, mask), [&](unsigned k) {
      std::uint32_t x = a[k];
      if ((op.imm & kAbsolute) != 0) x &= 0x7fffffffU;
      if (is_float && (x & 0x7fffffffU) > 0x7f800000U) {
        nan = true;
        return;
      }
      sum = any ? reduce(r, sum, x) : x;
      any = true;
    });
    bool is_nan = is_float && (!any || (nan && (op.imm & kNan) != 0));
    result[l] = is_nan ? 0x7fffffffU : sum;
  });
  each_lane(mask,
            [&](unsigned l) { w.slot<std::uint32_t>(op.d)[l] = result[l]; });
  w.set_taint(op.d, mask, 0);
}

void redux(Emitter& e) {
  const Instruction& i = e.instruction();
  Type t = type_of(e);
  e.require_target(t == Type::f32 ? 100 : 80, t == Type::f32);
  Reduction r = Reduction::add;
  if (i.has("min"))
    r = t == Type::f32 ? Reduction::min_f
        : is_signed(t) ? Reduction::min_s
                       : Reduction::min_u;
  if (i.has("max"))
    r = t == Type::f32 ? Reduction::max_f
        : is_signed(t) ? Reduction::max_s
                       : Reduction::max_u;
  if (i.has("and")) r = Reduction::bit_and;
  if (i.has("or")) r = Reduction::bit_or;
  if (i.has("xor")) r = Reduction::bit_xor;
  std::uint64_t imm = static_cast<std::uint64_t>(r);
  if (i.has("abs")) imm |= kAbsolute;
  if (i.has("NaN")) imm |= kNan;
  std::uint32_t d = e.destination(0, 32);
  std::uint32_t a = e.source(1, 32);
  Operation& op = emit_sync(e, run_redux, e.source(2, 32));
  op.d = d;
  op.a = a;
  op.imm = imm;
}

// The lowest lane of those named leads.
void run_elect(Warp& w, const Operation& op, std::uint32_t mask) {
  std::uint32_t leaders = 0;
  each_lane(mask, [&](unsigned l) {
    auto leader =
        static_cast<unsigned>(std::countr_zero(partners(w, op, l, mask)));
    w.slot<std::uint32_t>(op.d)[l] = leader;
    if (leader == l) leaders |= bit(l);
  });
  w.set_taint(op.d, mask, 0);
  std::uint32_t& p = w.predicate(op.list);
  p = (p & ~mask) | leaders;
  w.set_taint(op.list, mask, 0);
}

void elect(Emitter& e) {
  const Operand& to = e.operand(0);
  if (to.kind != Operand::Kind::pair) e.refuse("it needs d|p");
  std::uint32_t d = e.destination(to.elements[0], 32);
  std::uint32_t p = e.predicate_destination(to.elements[1]);
  Operation& op = emit_sync(e, run_elect, e.source(1, 32));
  op.d = d;
  op.list = p;
}

void run_nothing(Warp&, const Operation&, std::uint32_t) {}

// bar and barrier: .sync a{, b}; .arrive a, b; .red.op d, a{, b}, {!}c;
// bar.warp.sync mask.
void bar(Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.has("warp")) {
    emit_sync(e, run_nothing, e.source(0, 32));
    return;
  }
  if (i.has("cluster")) e.refuse("a barrier of several blocks");
  bool aligned = i.opcode == "bar" || i.has("aligned");
  std::uint32_t d = kSinkSlot;
  std::uint32_t c = kZeroSlot;
  char what = i.has("arrive") ? 'a' : 'w';
  std::size_t first = 0;
  std::size_t last = e.operands();
  if (i.has("red")) {
    what = i.has("popc") ? 'p' : i.has("and") ? '&' : '|';
    d = what == 'p' ? e.destination(0, 32)
                    : e.predicate_destination(e.operand(0));
    c = e.predicate(e.operand(last - 1));
    first = 1;
    last -= 1;
  }
  std::uint32_t number = e.source(first, 32);
  std::uint32_t count = last - first > 1 ? e.source(first + 1, 32) : kZeroSlot;
  Operation& op = e.emit_warp(nullptr, OperationKind::barrier);
  op.a = number;
  op.b = count;
  op.c = c;
  op.d = d;
  op.list = aligned ? 1 : 0;
  op.imm = static_cast<std::uint64_t>(what);
}

void run_trap(Warp& w, const Operation& op, std::uint32_t mask) {
  w.fault(FaultKind::trap, op, mask, "the kernel stopped itself");
}

void trap(Emitter& e) { e.emit_warp(run_trap); }

}  // namespace

std::span<const Decoder> thread_decoders() {
  static constexpr Decoder kTable[] = {
      {"bar", bar},     {"barrier", bar}, {"brkpt", trap},
      {"elect", elect}, {"match", match}, {"redux", redux},
      {"shfl", shfl},   {"trap", trap},   {"vote", vote},
  };
  return kTable;
}

}  // namespace assay::ptx
