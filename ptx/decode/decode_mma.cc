// mma: a warp multiplies two small matrices and adds a third, all of them in
// registers, of which each thread holds a fragment.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/decode/decode.h"
#include "ptx/machine/block.h"
#include "ptx/machine/warp.h"
#include "ptx/numbers/dot.h"

namespace assay::ptx {
namespace {

constexpr unsigned kColumns = 8;  // of every shape
constexpr unsigned kMostRows = 16, kMostTerms = 32;

// a is `rows` by `terms`, b `terms` by 8. What the kernel's list has from
// `list` on: the number among the approximate instructions, the slots of d, a,
// b and c.
struct Shape {
  unsigned rows, terms;
  Type a, b, sum;  // elements
  bool saturates;
  std::uint32_t approximate;

  unsigned in_register(Type t) const {
    return sum == Type::f64 ? 1 : 32 / (t == Type::tf32 ? 32 : bits_of(t));
  }
  unsigned a_registers() const {
    return rows / 8 * (terms / 4 / in_register(a));
  }
  unsigned b_registers() const { return terms / 4 / in_register(b); }
  unsigned sum_registers() const { return rows / 4 / in_register(sum); }
};

// Where a lane's element `part` of register `r` lies (PTX ISA, matrix fragments
// for mma): a row of eight to every four lanes, whose elements of a register
// are neighbours.
struct At {
  unsigned row, column;
};
At place_in_a(const Shape& s, unsigned lane, unsigned r, unsigned part) {
  unsigned own = s.in_register(s.a);
  unsigned bands = s.rows / 8;
  return {lane / 4 + 8 * (r % bands),
          lane % 4 * own + part + 4 * own * (r / bands)};
}
At place_in_b(const Shape& s, unsigned lane, unsigned r, unsigned part) {
  unsigned own = s.in_register(s.b);
  return {lane % 4 * own + part + 4 * own * r, lane / 4};
}
At place_in_sum(const Shape& s, unsigned lane, unsigned r, unsigned part) {
  unsigned element = r * s.in_register(s.sum) + part;
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

template <class T>
struct Matrices {
  std::array<std::array<T, kMostTerms>, kMostRows> a;
  std::array<std::array<T, kMostTerms>, kColumns> b;  // by columns
  std::array<std::array<T, kColumns>, kMostRows> sum;
  std::uint32_t bad_rows = 0, bad_columns = 0;
  std::array<std::uint32_t, kMostRows> bad_sums{};  // masks of columns
};

// What an element's bits mean: numbers as doubles, integers as such.
template <class T>
T value_of(Type t, std::uint64_t bits) {
  switch (t) {
    case Type::f16:
      return static_cast<T>(
          widen(Format::f16, static_cast<std::uint32_t>(bits)));
    case Type::bf16:
      return static_cast<T>(
          widen(Format::bf16, static_cast<std::uint32_t>(bits)));
    case Type::tf32:
      // The lower bits are not read.
      return static_cast<T>(
          widen(Format::f32, static_cast<std::uint32_t>(bits) & 0xffffe000U));
    case Type::f32:
      return static_cast<T>(
          std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Type::f64:
      return static_cast<T>(std::bit_cast<double>(bits));
    case Type::u8:
      return static_cast<T>(bits & 0xffU);
    case Type::s8:
      return static_cast<T>(static_cast<std::int8_t>(bits & 0xffU));
    default:
      return static_cast<T>(static_cast<std::int32_t>(bits));
  }
}

class Fragments {
 public:
  Fragments(Warp& w, const Operation& op, const Shape& s)
      : warp_(w), slots_(&w.kernel().lists[op.list]), shape_(s) {}

  template <class T>
  Matrices<T> read() {
    Matrices<T> m;
    const Shape& s = shape_;
    std::uint32_t next = s.sum_registers();
    next = each(s.a, next, s.a_registers(), place_in_a,
                [&](At at, std::uint64_t bits, std::uint32_t bad) {
                  m.a.at(at.row).at(at.column) = value_of<T>(s.a, bits);
                  m.bad_rows |= bad << at.row;
                });
    next = each(s.b, next, s.b_registers(), place_in_b,
                [&](At at, std::uint64_t bits, std::uint32_t bad) {
                  m.b.at(at.column).at(at.row) = value_of<T>(s.b, bits);
                  m.bad_columns |= bad << at.column;
                });
    each(s.sum, next, s.sum_registers(), place_in_sum,
         [&](At at, std::uint64_t bits, std::uint32_t bad) {
           m.sum.at(at.row).at(at.column) = value_of<T>(s.sum, bits);
           m.bad_sums.at(at.row) |= bad << at.column;
         });
    return m;
  }

  // result: the bits of an element, by row and column.
  template <class T, class F>
  void write(const Matrices<T>& m, F result) {
    const Shape& s = shape_;
    unsigned own = s.in_register(s.sum);
    for (unsigned r = 0; r < s.sum_registers(); ++r) {
      std::uint32_t undefined = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        std::uint64_t bits = 0;
        for (unsigned part = 0; part < own; ++part) {
          At at = place_in_sum(s, lane, r, part);
          bits |= std::uint64_t{result(at)} << (16 * part);
          std::uint32_t bad = m.bad_sums.at(at.row) | m.bad_columns;
          if ((m.bad_rows >> at.row & 1U) != 0 || (bad >> at.column & 1U) != 0)
            undefined |= std::uint32_t{1} << lane;
        }
        if (s.sum == Type::f64)
          warp_.slot<std::uint64_t>(slots_[r])[lane] = bits;
        else
          warp_.slot<std::uint32_t>(slots_[r])[lane] =
              static_cast<std::uint32_t>(bits);
      }
      warp_.set_taint(slots_[r], kAllLanes, undefined);
    }
  }

 private:
  // Hands `take` each element's place, bits, and 1 if they are undefined.
  // Returns where the registers after these stand.
  template <class F>
  std::uint32_t each(Type t, std::uint32_t first, unsigned registers,
                     At (*place)(const Shape&, unsigned, unsigned, unsigned),
                     F take) {
    unsigned own = shape_.in_register(t);
    for (unsigned r = 0; r < registers; ++r) {
      std::uint32_t slot = slots_[first + r];
      std::uint32_t taint = warp_.taint(slot);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        std::uint64_t bits = t == Type::f64
                                 ? warp_.slot<std::uint64_t>(slot)[lane]
                                 : warp_.slot<std::uint32_t>(slot)[lane];
        for (unsigned part = 0; part < own; ++part) {
          unsigned width = 32 / own;
          std::uint64_t element =
              own == 1
                  ? bits
                  : bits >> (width * part) & ((std::uint64_t{1} << width) - 1);
          take(place(shape_, lane, r, part), element, taint >> lane & 1U);
        }
      }
    }
    return first + registers;
  }

  Warp& warp_;
  const std::uint32_t* slots_;
  const Shape& shape_;
};

void multiply_floats(Warp& w, Fragments& f, const Shape& s) {
  Matrices<double> m = f.read<double>();
  Approximation which = w.block().launch().approximation;
  Format format = s.sum == Type::f16 ? Format::f16 : Format::f32;
  w.block().workspace().approximate[s.approximate] += kLanes;
  f.write(m, [&](At at) {
    return dot(m.a.at(at.row).data(), m.b.at(at.column).data(), s.terms,
               m.sum.at(at.row).at(at.column), format, which);
  });
}

// Each product is taken in by a fused multiply-add, in the order of the terms.
void multiply_doubles(Fragments& f, const Shape& s) {
  Matrices<double> m = f.read<double>();
  f.write(m, [&](At at) {
    double sum = m.sum.at(at.row).at(at.column);
    for (unsigned k = 0; k < s.terms; ++k)
      sum = std::fma(m.a.at(at.row).at(k), m.b.at(at.column).at(k), sum);
    return std::isnan(sum) ? 0x7fffffffffffffffU
                           : std::bit_cast<std::uint64_t>(sum);
  });
}

void multiply_integers(Fragments& f, const Shape& s) {
  Matrices<std::int64_t> m = f.read<std::int64_t>();
  f.write(m, [&](At at) {
    std::int64_t sum = m.sum.at(at.row).at(at.column);
    for (unsigned k = 0; k < s.terms; ++k)
      sum += m.a.at(at.row).at(k) * m.b.at(at.column).at(k);
    if (s.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    return static_cast<std::uint32_t>(sum);
  });
}

constexpr Shape unpacked(std::uint64_t imm) {
  auto field = [&](unsigned from) {
    return static_cast<unsigned>(imm >> from & 0xffU);
  };
  return {field(0),
          field(8),
          static_cast<Type>(field(16)),
          static_cast<Type>(field(24)),
          static_cast<Type>(field(32)),
          field(40) != 0,
          static_cast<std::uint32_t>(imm >> 48)};
}
std::uint64_t packed(const Shape& s) {
  auto field = [](auto v, unsigned from) {
    return static_cast<std::uint64_t>(v) << from;
  };
  return field(s.rows, 0) | field(s.terms, 8) | field(s.a, 16) |
         field(s.b, 24) | field(s.sum, 32) | field(s.saturates ? 1 : 0, 40) |
         field(s.approximate, 48);
}

void run_mma(Warp& w, const Operation& op, std::uint32_t mask) {
  if (mask != kAllLanes)
    return w.fault(FaultKind::bad_barrier, op, mask,
                   "all 32 threads of the warp must take part");
  Shape shape = unpacked(op.imm);
  Fragments fragments(w, op, shape);
  if (is_integer(shape.sum)) return multiply_integers(fragments, shape);
  if (shape.sum == Type::f64) return multiply_doubles(fragments, shape);
  multiply_floats(w, fragments, shape);
}

// The shapes that there are, and the first target of each (PTX ISA, mma).
struct Known {
  const char* shape;
  unsigned rows, terms;
  std::array<const char*, 4> types;  // of d, a, b, c
  unsigned target;
};
constexpr Known kKnown[] = {
    {"m16n8k8", 16, 8, {"f32", "f16", "f16", "f32"}, 75},
    {"m16n8k8", 16, 8, {"f16", "f16", "f16", "f16"}, 75},
    {"m16n8k16", 16, 16, {"f32", "f16", "f16", "f32"}, 80},
    {"m16n8k16", 16, 16, {"f16", "f16", "f16", "f16"}, 80},
    {"m16n8k8", 16, 8, {"f32", "bf16", "bf16", "f32"}, 80},
    {"m16n8k16", 16, 16, {"f32", "bf16", "bf16", "f32"}, 80},
    {"m16n8k4", 16, 4, {"f32", "tf32", "tf32", "f32"}, 80},
    {"m16n8k8", 16, 8, {"f32", "tf32", "tf32", "f32"}, 80},
    {"m8n8k4", 8, 4, {"f64", "f64", "f64", "f64"}, 80},
    {"m8n8k16", 8, 16, {"s32", "8", "8", "s32"}, 75},
    {"m16n8k16", 16, 16, {"s32", "8", "8", "s32"}, 80},
    {"m16n8k32", 16, 32, {"s32", "8", "8", "s32"}, 80},
};

bool is_type(const std::string& word, std::string_view wanted) {
  return wanted == "8" ? word == "s8" || word == "u8" : word == wanted;
}

void mma(Emitter& e) {
  const std::vector<std::string>& words = e.instruction().modifiers;
  std::vector<std::string> rest = words;
  bool saturates = std::erase(rest, "satfinite") != 0;
  if (rest.size() != 9 || rest[0] != "sync" || rest[1] != "aligned")
    e.refuse("this form");
  if (rest[3] != "row" || rest[4] != "col") e.refuse("this layout");
  const Known* known = nullptr;
  for (const Known& k : kKnown) {
    bool fits = rest[2] == k.shape;
    for (std::size_t i = 0; i < 4; ++i)
      fits = fits && is_type(rest[5 + i], k.types.at(i));
    if (fits) known = &k;
  }
  if (known == nullptr) e.refuse("this shape of these types");
  Type sum = *parse_type(rest[5]);
  if (saturates && !is_integer(sum)) e.refuse(".satfinite of these types");
  e.require_target(known->target);
  bool exact = is_integer(sum) || sum == Type::f64;
  Shape shape = {known->rows,
                 known->terms,
                 *parse_type(rest[6]),
                 *parse_type(rest[7]),
                 sum,
                 saturates,
                 exact ? 0 : e.add_approximate()};
  unsigned bits = sum == Type::f64 ? 64 : 32;
  const unsigned counts[] = {shape.sum_registers(), shape.a_registers(),
                             shape.b_registers(), shape.sum_registers()};
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < 4; ++i) {
    const Operand& o = e.operand(i);
    std::vector<Operand> list = {o};
    if (o.kind == Operand::Kind::vector) list = o.elements;
    if (list.size() != counts[i])
      e.refuse("a fragment of " + std::to_string(counts[i]) + " registers");
    for (const Operand& part : list)
      slots.push_back(i == 0 ? e.destination(part, bits)
                             : e.source(part, bits));
  }
  std::uint32_t everybody = e.constant(kAllLanes, 32);
  Operation& op = e.emit_warp(run_mma, OperationKind::sync);
  op.e = everybody;
  op.imm = packed(shape);
  op.list = static_cast<std::uint32_t>(e.kernel().lists.size());
  e.kernel().lists.insert(e.kernel().lists.end(), slots.begin(), slots.end());
}

}  // namespace

std::span<const Decoder> mma_decoders() {
  static constexpr Decoder kTable[] = {{"mma", mma}};
  return kTable;
}

}  // namespace assay::ptx
