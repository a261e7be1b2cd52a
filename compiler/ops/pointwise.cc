#include "compiler/ops/pointwise.h"

#include <fmt/format.h>

#include <algorithm>

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
