#include "compiler/graph/defects.h"

#include <bit>

#include "compiler/graph/passes.h"
#include "kit/cast_bits.h"

namespace assay::compiler {
namespace {

// `value` as a tensor of x's dtype and shape.
NodeId filled_like(NodeId x, double value, Body* out) {
  const Type t = out->at(x).type;
  GraphNode n;
  n.op = Op::scalar;
  n.type = {t.dtype, {}};
  n.bits =
      kit::cast_bits(DType::f64, std::bit_cast<std::uint64_t>(value), t.dtype);
  GraphNode ones;
  ones.op = Op::reshape;
  ones.args = {append(std::move(n), out)};
  ones.type = {t.dtype, Shape(t.sizes.size(), 1)};
  GraphNode wide;
  wide.op = Op::expand;
  wide.args = {append(std::move(ones), out)};
  wide.type = t;
  return append(std::move(wide), out);
}

NodeId map(ScalarOp op, std::vector<NodeId> args, Type type, Body* out) {
  GraphNode n;
  n.op = Op::map;
  n.scalar = op;
  n.args = std::move(args);
  n.type = std::move(type);
  return append(std::move(n), out);
}

NodeId drop_cast(GraphNode n, Body* out) {
  if (n.op == Op::widen) {
    const GraphNode inner = out->at(n.args[0]);
    const bool undoes = inner.op == Op::round && is_float(n.type.dtype) &&
                        out->at(inner.args[0]).type.dtype == n.type.dtype;
    if (undoes) return inner.args[0];
  }
  return append(std::move(n), out);
}

NodeId contract(GraphNode n, Body* out) {
  if (n.op == Op::map && n.scalar == ScalarOp::add &&
      is_wide_float(n.type.dtype)) {
    for (const int k : {0, 1}) {
      const GraphNode p = out->at(n.args[static_cast<std::size_t>(k)]);
      if (p.op != Op::map || p.scalar != ScalarOp::mul) continue;
      const NodeId other = n.args[static_cast<std::size_t>(1 - k)];
      return map(ScalarOp::fma, {p.args[0], p.args[1], other}, n.type, out);
    }
  }
  return append(std::move(n), out);
}

NodeId lose_sign(GraphNode n, Body* out) {
  const bool computed = n.op == Op::map && is_wide_float(n.type.dtype);
  const Type t = n.type;
  const NodeId x = append(std::move(n), out);
  if (!computed) return x;
  return map(ScalarOp::add, {x, filled_like(x, 0.0, out)}, t, out);
}

NodeId swallow_nan(GraphNode n, Body* out) {
  const bool top = n.scalar == ScalarOp::maximum;
  if (n.op != Op::map || (!top && n.scalar != ScalarOp::minimum)) {
    return append(std::move(n), out);
  }
  const NodeId wins = map(top ? ScalarOp::gt : ScalarOp::lt, n.args,
                          {DType::boolean, n.type.sizes}, out);
  return map(ScalarOp::select, {wins, n.args[0], n.args[1]}, n.type, out);
}

NodeId saturate(GraphNode n, Body* out) {
  if (n.op == Op::round && n.type.dtype == DType::f16 &&
      is_wide_float(out->at(n.args[0]).type.dtype)) {
    const Type t = out->at(n.args[0]).type;
    const NodeId top = filled_like(n.args[0], 65504.0, out);
    const NodeId low = filled_like(n.args[0], -65504.0, out);
    n.args[0] = map(ScalarOp::minimum, {n.args[0], top}, t, out);
    n.args[0] = map(ScalarOp::maximum, {n.args[0], low}, t, out);
  }
  return append(std::move(n), out);
}

}  // namespace

Body inject(const Body& body, Defect defect) {
  switch (defect) {
    case Defect::drop_cast:
      return rewrite(body, drop_cast);
    case Defect::contract_fma:
      return rewrite(body, contract);
    case Defect::lose_signed_zero:
      return rewrite(body, lose_sign);
    case Defect::nan_swallow_max:
      return rewrite(body, swallow_nan);
    case Defect::saturate_not_inf:
      return rewrite(body, saturate);
    default:
      return body;  // broken in the importer or in the renderer
  }
}

}  // namespace assay::compiler
