// setp, set, selp, slct, testp, and logic on predicates.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/decode/decode.h"
#include "ptx/decode/predicates.h"
#include "ptx/lanes/scalar_lanes.h"

namespace assay::ptx {
namespace {

constexpr std::string_view kFloatOrder[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                            "ge",  "equ", "neu", "ltu", "leu",
                                            "gtu", "geu", "num", "nan"};

// The comparison among the modifiers; none of the others is spelled so.
std::string_view comparison(const Emitter& e) {
  const Instruction& i = e.instruction();
  if (i.modifiers.empty()) e.refuse("it names no comparison");
  return i.modifiers.front();
}

Lane integer_lane(const Emitter& e, std::string_view name, Type t) {
  bool is_s = is_signed(t);
  if (name == "eq") return for_width(Lane::eq_16, bits_of(t));
  if (name == "ne") return for_width(Lane::ne_16, bits_of(t));
  Lane family = Lane::count;
  if (name == "lt") family = is_s ? Lane::lt_s_16 : Lane::lt_u_16;
  if (name == "le") family = is_s ? Lane::le_s_16 : Lane::le_u_16;
  if (name == "gt") family = is_s ? Lane::gt_s_16 : Lane::gt_u_16;
  if (name == "ge") family = is_s ? Lane::ge_s_16 : Lane::ge_u_16;
  if (name == "lo") family = Lane::lt_u_16;
  if (name == "ls") family = Lane::le_u_16;
  if (name == "hi") family = Lane::gt_u_16;
  if (name == "hs") family = Lane::ge_u_16;
  if (family == Lane::count) e.refuse("this comparison");
  return for_width(family, bits_of(t));
}

Lane float_lane(const Emitter& e, std::string_view name, Type t) {
  for (unsigned i = 0; i < std::size(kFloatOrder); ++i)
    if (kFloatOrder[i] == name)
      return (t == Type::f64 ? Lane::eq_f64 : Lane::eq_f32) + i;
  e.refuse("this comparison");
}

// Compares slots of the type; the result is a predicate's slot.
std::uint32_t compare(Emitter& e, Type t, std::uint32_t a, std::uint32_t b) {
  std::string_view name = comparison(e);
  std::uint32_t result = e.temporary(1);
  if (!is_floating(t)) {
    e.emit(integer_lane(e, name, t), result, a, b);
    return result;
  }
  bool ftz = e.instruction().has("ftz");
  auto widen = [&](std::uint32_t slot) {
    if (t == Type::f16 || t == Type::bf16) {
      std::uint32_t from = slot;
      if (ftz && t == Type::f16) {
        from = e.temporary(16);
        e.emit(Lane::flush_f16, from, slot);
      }
      std::uint32_t wide = e.temporary(32);
      e.emit(t == Type::f16 ? Lane::f32_f16 : Lane::f32_bf16, wide, from);
      return wide;
    }
    if (t != Type::f32 || !ftz) return slot;
    std::uint32_t flat = e.temporary(32);
    e.emit(Lane::flush_f32, flat, slot);
    return flat;
  };
  std::uint32_t x = widen(a);
  std::uint32_t y = widen(b);
  e.emit(float_lane(e, name, t), result, x, y);
  return result;
}

std::uint32_t inverted(Emitter& e, std::uint32_t p) {
  std::uint32_t to = e.temporary(1);
  e.emit(predicates<predicate_not>, to, p);
  return to;
}

// The Boolean operation that follows the comparison, if there is one.
std::uint32_t combine(Emitter& e, std::uint32_t p, std::size_t operand) {
  const Instruction& i = e.instruction();
  LanesRun run = i.has("and")   ? predicates<predicate_and>
                 : i.has("or")  ? predicates<predicate_or>
                 : i.has("xor") ? predicates<predicate_xor>
                                : nullptr;
  if (run == nullptr) return p;
  std::uint32_t to = e.temporary(1);
  e.emit(run, to, p, e.predicate(e.operand(operand)));
  return to;
}

void store_predicate(Emitter& e, const Operand& to, std::uint32_t p) {
  if (to.kind == Operand::Kind::sink) return;
  e.emit(predicates<predicate_copy>, e.predicate_destination(to), p);
}

void setp(Emitter& e) {
  Type t = type_of(e);
  Parts parts = parts_of(t);
  unsigned bits = bits_of(t);
  std::uint32_t a[2];
  std::uint32_t b[2];
  unpack(e, e.source(1, bits), bits, parts, a);
  unpack(e, e.source(2, bits), bits, parts, b);
  const Operand& to = e.operand(0);
  bool pair = to.kind == Operand::Kind::pair;
  if (!pair && parts.count == 1 && e.operands() == 3 &&
      to.kind == Operand::Kind::reg) {
    std::uint32_t p = compare(e, t, a[0], b[0]);
    // The comparison is the last operation: let it write to its place.
    e.kernel().code.back().d = e.predicate_destination(to);
    static_cast<void>(p);
    return;
  }
  std::uint32_t first = compare(e, parts.element, a[0], b[0]);
  // Of a packed comparison the second element; else the complement.
  std::uint32_t second = kZeroSlot;
  if (parts.count == 2)
    second = compare(e, parts.element, a[1], b[1]);
  else if (pair)
    second = inverted(e, first);
  std::uint32_t p = combine(e, first, 3);
  std::uint32_t q = pair ? combine(e, second, 3) : kZeroSlot;
  // Both are worked out before either is written, and the guard is the same
  // for both even if it is one of them.
  if (!pair) return store_predicate(e, to, p);
  std::uint32_t guard = e.hold_guard();
  store_predicate(e, to.elements[0], p);
  store_predicate(e, to.elements[1], q);
  e.drop_guard(guard);
}

void set(Emitter& e) {
  auto types = e.instruction().types();
  if (types.size() != 2) e.refuse("it needs two types");
  Type d = types[0];
  Type s = types[1];
  Parts parts = parts_of(s);
  unsigned bits = bits_of(s);
  std::uint32_t a[2];
  std::uint32_t b[2];
  unpack(e, e.source(1, bits), bits, parts, a);
  unpack(e, e.source(2, bits), bits, parts, b);
  unsigned width = bits_of(parts_of(d).element);
  if (parts.count == 2) width = 16;
  std::uint64_t yes = ~std::uint64_t{0};
  if (d == Type::f32) yes = 0x3f800000;
  if (d == Type::f16 || d == Type::f16x2) yes = 0x3c00;
  if (d == Type::bf16 || d == Type::bf16x2) yes = 0x3f80;
  std::uint32_t results[2];
  for (unsigned i = 0; i < parts.count; ++i) {
    std::uint32_t p = combine(e, compare(e, parts.element, a[i], b[i]), 3);
    results[i] =
        parts.count == 1 ? e.destination(0, width) : e.temporary(width);
    e.emit_select(width, results[i], e.constant(yes, width),
                  e.constant(0, width), p);
  }
  if (parts.count == 2) pack(e, e.destination(0, 32), {Type::f16, 2}, results);
}

void selp(Emitter& e) {
  Type t = type_of(e);
  unsigned bits = bits_of(t);
  if (t == Type::pred) e.refuse("predicates");
  e.emit_select(bits, e.destination(0, bits), e.source(1, bits),
                e.source(2, bits), e.predicate(e.operand(3)));
}

// d = c >= 0 ? a : b; a NaN is not.
void slct(Emitter& e) {
  auto types = e.instruction().types();
  if (types.size() != 2) e.refuse("it needs two types");
  unsigned bits = bits_of(types[0]);
  std::uint32_t c = e.source(3, 32);
  std::uint32_t p = e.temporary(1);
  if (types[1] == Type::f32) {
    if (e.instruction().has("ftz")) {
      std::uint32_t flat = e.temporary(32);
      e.emit(Lane::flush_f32, flat, c);
      c = flat;
    }
    e.emit(Lane::ge_f32, p, c, e.constant(0, 32));
  } else {
    e.emit(Lane::ge_s_32, p, c, e.constant(0, 32));
  }
  e.emit_select(bits, e.destination(0, bits), e.source(1, bits),
                e.source(2, bits), p);
}

enum class Property : std::uint8_t {
  finite,
  infinite,
  number,
  notanumber,
  normal,
  subnormal
};

template <class F>
bool has_property(std::uint64_t property, F x) {
  switch (static_cast<Property>(property)) {
    case Property::finite:
      return std::isfinite(x);
    case Property::infinite:
      return std::isinf(x);
    case Property::number:
      return !std::isnan(x);
    case Property::notanumber:
      return std::isnan(x);
    case Property::normal:
      return std::isnormal(x) || x == 0;
    case Property::subnormal:
      return std::fpclassify(x) == FP_SUBNORMAL;
  }
  return false;
}

void testp(Emitter& e) {
  static constexpr std::string_view kNames[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  Type t = type_of(e);
  for (std::uint64_t i = 0; i < std::size(kNames); ++i) {
    if (!e.instruction().has(kNames[i])) continue;
    LanesRun run = t == Type::f64 ? predicate1<has_property<double>, double>
                                  : predicate1<has_property<float>, float>;
    e.emit(run, e.predicate_destination(e.operand(0)), e.source(1, bits_of(t)),
           kZeroSlot, kZeroSlot, i);
    return;
  }
  e.refuse("this property");
}

}  // namespace

std::span<const Decoder> compare_decoders() {
  static constexpr Decoder kTable[] = {
      {"selp", selp}, {"set", set},     {"setp", setp},
      {"slct", slct}, {"testp", testp},
  };
  return kTable;
}

}  // namespace assay::ptx
