#include "compiler/graph/defects.h"

#include <algorithm>
#include <bit>
#include <optional>

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

bool is_number_sum(const GraphNode& n) {
  return n.op == Op::matmul ||
         (n.op == Op::reduce && n.combiner == Combiner::sum);
}

NodeId part_of(NodeId x, std::size_t dim, std::int64_t start,
               std::int64_t length, Body* out) {
  GraphNode n;
  n.op = Op::slice;
  n.args = {x};
  n.type = out->at(x).type;
  n.type.sizes[dim] = length;
  n.attr = {static_cast<std::int64_t>(dim), start, 1};
  return append(std::move(n), out);
}

// The dimension of operand `a` along which a sum runs fastest.
std::size_t summed_dim(const GraphNode& n, std::size_t a) {
  if (n.op == Op::matmul) return a == 0 ? 2 : 1;
  return static_cast<std::size_t>(n.attr.back());
}

// The sum `n` over terms `start` to `start + length` of its last dimension.
GraphNode partial(GraphNode n, std::int64_t start, std::int64_t length,
                  Body* out) {
  for (std::size_t a = 0; a < n.args.size(); ++a) {
    n.args[a] = part_of(n.args[a], summed_dim(n, a), start, length, out);
  }
  return n;
}

bool has_terms(const GraphNode& n) {
  return is_number_sum(n) && !(n.op == Op::reduce && n.attr.empty());
}

NodeId lose_last_term(GraphNode n, Body* out) {
  if (!has_terms(n)) return append(std::move(n), out);
  const std::int64_t terms = out->at(n.args[0]).type.sizes[summed_dim(n, 0)];
  if (terms < 2) return append(std::move(n), out);
  return append(partial(std::move(n), 0, terms - 1, out), out);
}

// The second half before the first.
NodeId reorder(GraphNode n, Body* out) {
  if (!has_terms(n)) return append(std::move(n), out);
  const std::int64_t terms = out->at(n.args[0]).type.sizes[summed_dim(n, 0)];
  if (terms < 2) return append(std::move(n), out);
  const std::int64_t half = terms / 2;
  const NodeId second = append(partial(n, half, terms - half, out), out);
  const NodeId first = append(partial(n, 0, half, out), out);
  return map(ScalarOp::add, {second, first}, n.type, out);
}

// The 16-bit type that x was widened from.
std::optional<DType> narrow_source(NodeId x, const Body& body) {
  const GraphNode& n = body.at(x);
  if (n.op == Op::widen) {
    const DType t = body.at(n.args[0]).type.dtype;
    if (t == DType::f16 || t == DType::bf16) return t;
  }
  const bool moves = n.op == Op::reshape || n.op == Op::permute ||
                     n.op == Op::expand || n.op == Op::slice;
  return moves ? narrow_source(n.args[0], body) : std::nullopt;
}

// As accumulators of a matrix unit: rounded after every few terms.
NodeId narrow_accumulator(GraphNode n, Body* out) {
  constexpr std::int64_t kUnit = 8, kMostParts = 256;
  if (!has_terms(n)) return append(std::move(n), out);
  const std::optional<DType> narrow = narrow_source(n.args[0], *out);
  const std::int64_t terms = out->at(n.args[0]).type.sizes[summed_dim(n, 0)];
  if (!narrow || terms > kUnit * kMostParts) return append(std::move(n), out);
  NodeId sum = -1;
  for (std::int64_t at = 0; at < terms; at += kUnit) {
    const GraphNode part = partial(n, at, std::min(kUnit, terms - at), out);
    const NodeId next = append(part, out);
    GraphNode rounded;
    rounded.op = Op::round;
    rounded.cast = 1;
    rounded.type = {*narrow, n.type.sizes};
    rounded.args = {sum < 0 ? next
                            : map(ScalarOp::add, {sum, next}, n.type, out)};
    GraphNode wide;
    wide.op = Op::widen;
    wide.args = {append(std::move(rounded), out)};
    wide.type = n.type;
    sum = append(std::move(wide), out);
  }
  return sum < 0 ? append(std::move(n), out) : sum;
}

NodeId other_gelu(GraphNode n, Body* out) {
  if (n.op == Op::map &&
      (n.scalar == ScalarOp::gelu || n.scalar == ScalarOp::gelu_f16)) {
    n.scalar = ScalarOp::gelu_tanh;
  }
  return append(std::move(n), out);
}

NodeId estimate_rsqrt(GraphNode n, Body* out) {
  const bool estimates = n.op == Op::map && n.scalar == ScalarOp::rsqrt;
  const Type t = n.type;
  const NodeId x = append(std::move(n), out);
  if (!estimates) return x;
  return map(ScalarOp::mul, {x, filled_like(x, kEstimate, out)}, t, out);
}

NodeId wrap_late(GraphNode n, Body* out) {
  if (n.op == Op::widen && is_integer(n.type.dtype)) {
    const GraphNode inner = out->at(n.args[0]);
    const bool wraps =
        inner.op == Op::map && is_integer(inner.type.dtype) &&
        (inner.scalar == ScalarOp::add || inner.scalar == ScalarOp::sub ||
         inner.scalar == ScalarOp::mul);
    if (wraps) {
      GraphNode late = inner;
      late.type.dtype = n.type.dtype;
      for (NodeId& a : late.args) {
        GraphNode wide = n;
        wide.args = {a};
        wide.type.sizes = out->at(a).type.sizes;
        a = append(std::move(wide), out);
      }
      return append(std::move(late), out);
    }
  }
  return append(std::move(n), out);
}

}  // namespace

Body inject_layout(Body body, Defect defect) {
  if (defect != Defect::wrong_stride) return body;
  for (TensorType& t : body.inputs) {
    const TensorType plain = TensorType::contiguous(t.dtype, t.sizes);
    // Where that stays within the input's memory.
    if (plain.span() <= t.span()) t = plain;
  }
  return body;
}

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
    case Defect::lose_last_term:
      return rewrite(body, lose_last_term);
    case Defect::unstable_order:
      return rewrite(body, reorder);
    case Defect::batch_dependent_row:
      return rewrite(body, [](GraphNode n, Body* out) {
        Shape rows = n.type.sizes;
        if (n.op == Op::matmul) rows.pop_back();  // of columns
        const bool beside = element_count(rows) > 1;
        return beside ? reorder(std::move(n), out) : append(std::move(n), out);
      });
    case Defect::f16_accumulator:
      return rewrite(body, narrow_accumulator);
    case Defect::tanh_gelu_for_gelu:
      return rewrite(body, other_gelu);
    case Defect::approximate_rsqrt:
    case Defect::wrong_argmax_tie:
      return rewrite(body, [&](GraphNode n, Body* out) {
        if (n.op == Op::formula) {
          n.formula = inject_formula(n.formula, defect);
        }
        return defect == Defect::approximate_rsqrt
                   ? estimate_rsqrt(std::move(n), out)
                   : append(std::move(n), out);
      });
    case Defect::int_wrap_wide:
      return rewrite(body, wrap_late);
    default:
      return body;  // broken elsewhere
  }
}

}  // namespace assay::compiler
