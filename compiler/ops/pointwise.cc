#include "compiler/ops/pointwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/ops/dims.h"
#include "kit/broadcast.h"

namespace assay::compiler {
namespace {

std::string sizes_differ(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::int64_t x = a[a.size() - i];
    const std::int64_t y = b[b.size() - i];
    if (x == y || x == 1 || y == 1) continue;
    return fmt::format(
        "The size of tensor a ({}) must match the size of tensor b ({}) at "
        "non-singleton dimension {}",
        x, y, std::max(a.size(), b.size()) - i);
  }
  return "";
}

// Whether a float, or the type in which it is computed, has n's size.
bool float_holds(const Number& n, DType t) {
  return t == DType::f64 || !std::isfinite(n.real()) ||
         std::abs(n.real()) <= std::numeric_limits<float>::max();
}

// On which side of an integer type's ends a number lies: NaN on neither.
bool at_least(const Number& n, std::int64_t least) {
  if (n.dtype() == DType::f32) return n.real() >= static_cast<double>(least);
  return n.integer() >= least;
}

bool at_most_greatest(const Number& n, DType t) {
  if (n.dtype() != DType::f32) {
    return std::cmp_less_equal(n.integer(), integer_max(t));
  }
  // No double is the greatest number of 64 bits; the next is a power of two.
  const auto greatest = static_cast<double>(integer_max(t));
  return size_bytes(t) == 8 ? n.real() < greatest : n.real() <= greatest;
}

bool conversion(Guards& g, const char* clause, bool holds, DType t) {
  return g.types(clause, holds,
                 fmt::format("value cannot be converted to type {} without "
                             "overflow",
                             dtype_name(t)));
}

}  // namespace

bool dim_ok(Guards& g, const char* clause, std::int64_t d, std::int64_t rank) {
  return g.shape(
      clause, dim_in_range(d, rank),
      fmt::format("Dimension out of range (got {} for rank {})", d, rank),
      "IndexError");
}

bool broadcast(Guards& g, const char* clause, const Shape& a, const Shape& b) {
  Shape unused;
  return g.shape(clause, kit::broadcast_shapes(a, b, &unused),
                 sizes_differ(a, b));
}

bool converts(Guards& g, const char* clause, const Number& n, DType t) {
  if (is_float(t)) return conversion(g, clause, float_holds(n, t), t);
  const bool wraps = t == DType::u8 && n.dtype() != DType::f32;
  const std::int64_t least = wraps ? -255 : integer_min(t);
  return conversion(
      g, clause,
      t == DType::boolean || (at_least(n, least) && at_most_greatest(n, t)), t);
}

bool converts_bounds(Guards& g, const Bounds& b, DType t) {
  const auto is_nan = [](const std::optional<Number>& n) {
    return n && std::isnan(n->real());
  };
  bool low = !b.low, high = !b.high;
  if (is_float(t)) {
    low = low || is_nan(b.high) || float_holds(*b.low, t);
    high = high || is_nan(b.low) || float_holds(*b.high, t);
  } else {
    low = low || at_most_greatest(*b.low, t);
    high = high || (t == DType::u8 ? !is_nan(b.high)
                                   : at_least(*b.high, integer_min(t)));
  }
  return conversion(g, b.low_clause, low, t) &&
         conversion(g, b.high_clause, high, t);
}

bool can_broadcast(const Binary& a, Guards& g) {
  return broadcast(g, "E1", a.self.sizes(), a.other.sizes());
}

bool tensors_broadcast(const TwoTensors& a, Guards& g) {
  return broadcast(g, "E1", a.self.sizes(), a.other.sizes());
}

bool not_bool(const Unary& a, Guards& g) {
  return g.types("E1", a.self.dtype() != DType::boolean,
                 "Boolean inputs are not supported by this operation");
}

bool kernel_not_bool(const Unary& a, Guards& g) {
  return g.types("E1", a.self.dtype() != DType::boolean,
                 "not implemented for 'Bool'", "NotImplementedError");
}

bool is_floating(const Unary& a, Guards& g) {
  return g.types("E1", is_float(a.self.dtype()),
                 "implemented for floating-point types only",
                 "NotImplementedError");
}

bool floats_only(Guards& g, const char* clause, DType t, const char* name) {
  return g.types(
      clause, is_float(t),
      fmt::format("{} is implemented for floating-point types only", name),
      "NotImplementedError");
}

DType float_result(DType t) { return is_float(t) ? t : DType::f32; }

NodeId converted(Builder& b, const Operand& x, DType t) {
  if (x.is_tensor()) return b.convert(x.node(), t);
  const Number& n = x.number();
  return n.dtype() == DType::i64 ? b.integer_scalar(t, n.integer())
                                 : b.scalar(t, n.real());
}

NodeId computed(Builder& b, const Operand& x, DType t) {
  return b.widened(converted(b, x, t));
}

NodeId with_sign(Builder& b, NodeId size, NodeId sign) {
  const NodeId plus = b.map(ScalarOp::abs, {size});
  const NodeId minus = b.map(ScalarOp::neg, {plus});
  const NodeId below = b.map(ScalarOp::signbit, {sign});
  return b.map(ScalarOp::select, {below, minus, plus});
}

NodeId pointwise(Builder& b, ScalarOp op, DType t,
                 std::initializer_list<Operand> operands) {
  std::vector<NodeId> args;
  for (const Operand& x : operands) args.push_back(computed(b, x, t));
  const NodeId out = b.map(op, std::move(args));
  return info(op).gives_bool ? out : b.convert(out, t);
}

}  // namespace assay::compiler
