// Matrix products: operands widened to opmath, one rounding at the end.
#include "compiler/lowering.h"

namespace assay::compiler {
namespace {

// Where the guards let two dtypes pass, there is nothing to multiply, or they
// were switched off by a defect: then this is what a compiler without them
// does.
DType common_type(const Call& c, std::size_t i, std::size_t k) {
  if (c.numel(i) == 0 || c.numel(k) == 0) return c.dtype(i);
  return promote_types(c.dtype(i), c.dtype(k));
}

// [B, M, K] by [B, K, N] in opmath(t). Dtypes that nothing is multiplied in
// (bool) give zeros.
NodeId product(Builder& b, NodeId x, NodeId y, DType t) {
  const Shape out = {b.sizes(x)[0], b.sizes(x)[1], b.sizes(y)[2]};
  if (t == DType::boolean) return b.filled(t, out, 0);
  return b.matmul(b.widened(b.convert(x, t)), b.widened(b.convert(y, t)));
}

NodeId batched(Builder& b, NodeId x) {
  const Shape s = b.sizes(x);
  return b.reshape(x, {1, s[0], s[1]});
}

NodeId lower_mm(const Call& c, Builder& b) {
  const DType t = common_type(c, 0, 1);
  const NodeId p = product(b, batched(b, c.node(0)), batched(b, c.node(1)), t);
  return b.convert(b.reshape(p, {c.dim(0, 0), c.dim(1, 1)}), t);
}

NodeId lower_bmm(const Call& c, Builder& b) {
  const DType t = common_type(c, 0, 1);
  return b.convert(product(b, c.node(0), c.node(1), t), t);
}

// Operand as [batch..., rows, columns] with its batch dimensions broadcast
// and folded into one.
NodeId fold(Builder& b, NodeId x, const Shape& batch) {
  const Shape s = b.sizes(x);
  Shape wide = batch;
  wide.insert(wide.end(), s.end() - 2, s.end());
  return b.reshape(b.expand(x, wide),
                   {element_count(batch), s[s.size() - 2], s.back()});
}

NodeId lower_matmul(const Call& c, Builder& b) {
  const DType t = common_type(c, 0, 1);
  NodeId x = c.node(0);
  NodeId y = c.node(1);
  const bool row = b.rank(x) == 1;
  const bool column = b.rank(y) == 1;
  if (row) x = b.reshape(x, {1, b.sizes(x)[0]});
  if (column) y = b.reshape(y, {b.sizes(y)[0], 1});
  const Shape xs = b.sizes(x);
  const Shape ys = b.sizes(y);
  Shape out;
  broadcast_shapes(Shape(xs.begin(), xs.end() - 2),
                   Shape(ys.begin(), ys.end() - 2), &out);
  const NodeId p = product(b, fold(b, x, out), fold(b, y, out), t);
  if (!row) out.push_back(xs[xs.size() - 2]);
  if (!column) out.push_back(ys.back());
  return b.convert(b.reshape(p, out), t);
}

// beta c + alpha p, in opmath(t). beta = 0 ignores c.
NodeId add_to(const Call& c, Builder& b, NodeId p, DType t) {
  const DType wide = b.dtype(p);
  // An integer scale is its truncated value.
  const auto scale = [&](std::size_t i) {
    const double v = c.number(i);
    return is_float(wide)
               ? b.scalar(wide, v)
               : b.integer_scalar(wide, static_cast<std::int64_t>(v));
  };
  const auto is = [&](std::size_t i, double v) {
    return (is_float(wide) ? c.number(i)
                           : static_cast<double>(
                                 static_cast<std::int64_t>(c.number(i)))) == v;
  };
  if (t == DType::boolean) return p;
  if (!is(4, 1)) p = b.map(ScalarOp::mul, {scale(4), p});
  if (is(3, 0)) return p;
  NodeId added = b.convert(b.convert(c.node(0), t), wide);
  if (!is(3, 1)) added = b.map(ScalarOp::mul, {scale(3), added});
  return b.map(ScalarOp::add, {added, p});
}

NodeId lower_addmm(const Call& c, Builder& b) {
  const DType t = common_type(c, 1, 2);
  NodeId p = product(b, batched(b, c.node(1)), batched(b, c.node(2)), t);
  p = b.reshape(p, {c.dim(1, 0), c.dim(2, 1)});
  return b.convert(add_to(c, b, p, t), t);
}

NodeId lower_baddbmm(const Call& c, Builder& b) {
  const DType t = common_type(c, 1, 2);
  const NodeId p = product(b, c.node(1), c.node(2), t);
  return b.convert(add_to(c, b, p, t), t);
}

// x @ transpose(w) + bias; leading dimensions of x are rows.
NodeId lower_linear(const Call& c, Builder& b) {
  const DType t = common_type(c, 0, 1);
  Shape out = c.sizes(0);
  const std::int64_t terms = out.back();
  out.pop_back();
  std::int64_t rows = element_count(out);
  NodeId w = c.node(1);
  if (c.rank(1) == 1) {
    w = b.reshape(w, {1, terms, 1});
  } else {
    out.push_back(c.dim(1, 0));
    w = batched(b, b.permute(w, {1, 0}));
  }
  const NodeId x = b.reshape(c.node(0), {1, rows, terms});
  NodeId p = b.reshape(product(b, x, w, t), out);
  if (c.given(2) && t != DType::boolean) {
    p = b.map(ScalarOp::add, {p, b.convert(c.node(2), b.dtype(p))});
  }
  return b.convert(p, t);
}

constexpr std::string_view kTwo = "t self, t mat2";
constexpr std::string_view kThree =
    "t self, t mat1, t mat2, n beta=1, n alpha=1";

constexpr LoweringRow kRows[] = {
    {"aten.mm.default", "mm", kTwo, guard_mm, lower_mm},
    {"aten.bmm.default", "bmm", kTwo, guard_bmm, lower_bmm},
    {"aten.matmul.default", "matmul", kTwo, guard_matmul, lower_matmul},
    {"aten.addmm.default", "addmm", kThree, guard_addmm, lower_addmm},
    {"aten.baddbmm.default", "baddbmm", kThree, guard_baddbmm, lower_baddbmm},
    {"aten.linear.default", "linear", "t input, t weight, t? bias=none",
     guard_linear, lower_linear},
};

}  // namespace

std::span<const LoweringRow> matmul_rows() { return kRows; }

}  // namespace assay::compiler
