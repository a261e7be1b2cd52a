// Matrix products: operands widened to opmath, one rounding at the end. bmm,
// matmul, baddbmm and linear look at element types only where there is
// something to multiply, as eager does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <memory>

#include "compiler/ops/pointwise.h"
#include "compiler/ops/softmax.h"
#include "kit/broadcast.h"
#include "kit/promotion.h"

namespace assay::compiler {
namespace {

bool any_empty(const Operand& x, const Operand& y) {
  return x.numel() == 0 || y.numel() == 0;
}

bool one_dtype(Guards& g, const char* clause, const Operand& x,
               const Operand& y) {
  return g.types(clause, x.dtype() == y.dtype(),
                 fmt::format("expected operands of one dtype, but got {} and "
                             "{}",
                             dtype_name(x.dtype()), dtype_name(y.dtype())));
}

bool one_dtype_unless_empty(Guards& g, const char* clause, const Operand& x,
                            const Operand& y) {
  return any_empty(x, y) || one_dtype(g, clause, x, y);
}

bool multiplicable(Guards& g, const char* clause, bool holds, const Operand& x,
                   const Operand& y) {
  return g.shape(
      clause, holds,
      fmt::format("shapes cannot be multiplied ([{}] and [{}])",
                  fmt::join(x.sizes(), ", "), fmt::join(y.sizes(), ", ")));
}

bool no_bool(Guards& g, const char* clause, const Operand& x,
             const Operand& y) {
  const bool any = x.dtype() == DType::boolean || y.dtype() == DType::boolean;
  return g.shape(clause, !any || any_empty(x, y), "not implemented for 'Bool'",
                 "NotImplementedError");
}

// `from` broadcasts to `target` without widening it.
bool expandable(Guards& g, const char* clause, const Shape& from,
                const Shape& target) {
  Shape out;
  return g.shape(clause,
                 from.size() <= target.size() &&
                     kit::broadcast_shapes(from, target, &out) && out == target,
                 "the added tensor must be expandable to the product");
}

// Where the guards let two dtypes pass, there is nothing to multiply, or they
// were switched off by a defect: then this is what a compiler without them
// does.
DType common_type(const Operand& x, const Operand& y) {
  return any_empty(x, y) ? x.dtype() : kit::promote_types(x.dtype(), y.dtype());
}

// [B, M, K] by [B, K, N] in opmath(t). Dtypes that nothing is multiplied in
// (bool) give zeros.
NodeId product(Builder& b, NodeId x, NodeId y, DType t) {
  const Shape out = {b.sizes(x)[0], b.sizes(x)[1], b.sizes(y)[2]};
  if (t == DType::boolean) return b.filled(t, out, 0);
  return b.matmul(b.widened(b.convert(x, t)), b.widened(b.convert(y, t)));
}

// [1, 1, K] by [1, K, 1], of two vectors: a sum, whose lanes are more than one
// result. A product of matrices that happens to have one element is none: its
// bits would hang on how many rows and columns there are.
NodeId dot(Builder& b, NodeId x, NodeId y, DType t) {
  if (t == DType::boolean) return b.filled(t, {1, 1, 1}, 0);
  x = b.widened(b.convert(x, t));
  y = b.permute(b.widened(b.convert(y, t)), {0, 2, 1});
  return b.reduce(Combiner::sum, b.map(ScalarOp::mul, {x, y}), {2});
}

// A matrix as a batch of one.
NodeId batched(Builder& b, NodeId x) {
  const Shape s = b.sizes(x);
  return b.reshape(x, {1, s[0], s[1]});
}

struct Product : Arguments {
  Operand self = tensor("self");
  Operand mat2 = tensor("mat2");
};

bool guard_mm(const Product& a, Guards& g) {
  const Operand &x = a.self, &y = a.mat2;
  return g.shape("E1", x.rank() == 2, "self must be a matrix") &&
         g.shape("E2", y.rank() == 2, "mat2 must be a matrix") &&
         multiplicable(g, "E3", x.size(1) == y.size(0), x, y) &&
         one_dtype(g, "E4", x, y) && no_bool(g, "E5", x, y);
}

NodeId lower_mm(const Product& a, Builder& b) {
  const DType t = common_type(a.self, a.mat2);
  const NodeId p =
      product(b, batched(b, a.self.node()), batched(b, a.mat2.node()), t);
  return b.convert(b.reshape(p, {a.self.size(0), a.mat2.size(1)}), t);
}

bool guard_bmm(const Product& a, Guards& g) {
  const Operand &x = a.self, &y = a.mat2;
  return g.shape("E1", x.rank() == 3, "batch1 must be a 3D tensor") &&
         g.shape("E2", y.rank() == 3, "batch2 must be a 3D tensor") &&
         multiplicable(
             g, "E3", x.size(0) == y.size(0) && x.size(2) == y.size(1), x, y) &&
         one_dtype_unless_empty(g, "E4", x, y) && no_bool(g, "E5", x, y);
}

NodeId lower_bmm(const Product& a, Builder& b) {
  const DType t = common_type(a.self, a.mat2);
  return b.convert(product(b, a.self.node(), a.mat2.node(), t), t);
}

struct Matmul : Arguments {
  Operand self = tensor("self");
  Operand other = tensor("other");
};

Shape leading(const Shape& s) { return Shape(s.begin(), s.end() - 2); }

bool batches_fit(const Shape& x, const Shape& y) {
  Shape unused;
  return x.size() < 3 || y.size() < 3 ||
         kit::broadcast_shapes(leading(x), leading(y), &unused);
}

bool guard_matmul(const Matmul& a, Guards& g) {
  const Operand &x = a.self, &y = a.other;
  return g.shape("E1", x.rank() >= 1 && y.rank() >= 1,
                 "both arguments to matmul need to be at least 1D") &&
         multiplicable(g, "E2", x.size(-1) == y.size(y.rank() == 1 ? 0 : -2), x,
                       y) &&
         multiplicable(g, "E3", batches_fit(x.sizes(), y.sizes()), x, y) &&
         one_dtype_unless_empty(g, "E4", x, y) && no_bool(g, "E5", x, y);
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

NodeId lower_matmul(const Matmul& a, Builder& b) {
  const DType t = common_type(a.self, a.other);
  NodeId x = a.self.node();
  NodeId y = a.other.node();
  const bool row = b.rank(x) == 1;
  const bool column = b.rank(y) == 1;
  if (row) x = b.reshape(x, {1, b.sizes(x)[0]});
  if (column) y = b.reshape(y, {b.sizes(y)[0], 1});
  const Shape xs = b.sizes(x);
  const Shape ys = b.sizes(y);
  Shape out;
  kit::broadcast_shapes(leading(xs), leading(ys), &out);
  x = fold(b, x, out);
  y = fold(b, y, out);
  const NodeId p = row && column ? dot(b, x, y, t) : product(b, x, y, t);
  if (!row) out.push_back(xs[xs.size() - 2]);
  if (!column) out.push_back(ys.back());
  return b.convert(b.reshape(p, out), t);
}

// beta self + alpha product.

struct Addmm : Arguments {
  Operand self = tensor("self");
  Operand mat1 = tensor("mat1");
  Operand mat2 = tensor("mat2");
  Number beta = number("beta", 1);
  Number alpha = number("alpha", 1);
};

struct Baddbmm : Arguments {
  Operand self = tensor("self");
  Operand batch1 = tensor("batch1");
  Operand batch2 = tensor("batch2");
  Number beta = number("beta", 1);
  Number alpha = number("alpha", 1);
};

// The product of x and y, to be scaled by alpha. A sum that overflows would
// make 0 * inf of an alpha of 0 where the terms are finite: then the terms are
// scaled as well, and of the sum counts its sign.
NodeId product_to_scale(Builder& b, NodeId x, NodeId y, DType t,
                        const Number& alpha) {
  const NodeId p = product(b, x, y, t);
  if (!is_float(t) || alpha.real() != 0) return p;
  const NodeId zeros = b.convert(
      b.map(ScalarOp::mul, {b.scalar(opmath(t), 0), b.widened(x)}), t);
  return with_sign(b, product(b, zeros, y, t), p);
}

// In the product's dtype, opmath(t). beta = 0 ignores self.
template <class A>
NodeId add_to(const A& a, Builder& b, NodeId p, DType t) {
  const DType wide = b.dtype(p);
  // An integer scale is its truncated value.
  const auto scale = [&](const Number& n) {
    return is_float(wide) ? b.scalar(wide, n.real())
                          : b.integer_scalar(wide, n.integer());
  };
  const auto is = [&](const Number& n, int v) {
    return is_float(wide) ? n.real() == v : n.integer() == v;
  };
  if (t == DType::boolean) return p;
  if (!is(a.alpha, 1)) p = b.map(ScalarOp::mul, {scale(a.alpha), p});
  if (is(a.beta, 0)) return p;
  NodeId added = b.convert(b.convert(a.self.node(), t), wide);
  if (!is(a.beta, 1)) added = b.map(ScalarOp::mul, {scale(a.beta), added});
  return b.map(ScalarOp::add, {added, p});
}

bool guard_addmm(const Addmm& a, Guards& g) {
  const Operand &x = a.mat1, &y = a.mat2;
  return one_dtype(g, "E1", a.self, y) && one_dtype(g, "E2", x, y) &&
         g.shape("E3", x.rank() == 2, "mat1 must be a matrix") &&
         g.shape("E4", y.rank() == 2, "mat2 must be a matrix") &&
         multiplicable(g, "E5", x.size(1) == y.size(0), x, y) &&
         expandable(g, "E6", a.self.sizes(), {x.size(0), y.size(1)}) &&
         no_bool(g, "E7", x, y);
}

NodeId lower_addmm(const Addmm& a, Builder& b) {
  const DType t = common_type(a.mat1, a.mat2);
  NodeId p = product_to_scale(b, batched(b, a.mat1.node()),
                              batched(b, a.mat2.node()), t, a.alpha);
  p = b.reshape(p, {a.mat1.size(0), a.mat2.size(1)});
  return b.convert(add_to(a, b, p, t), t);
}

bool guard_baddbmm(const Baddbmm& a, Guards& g) {
  const Operand &x = a.batch1, &y = a.batch2;
  return g.shape("E1", x.rank() == 3, "batch1 must be a 3D tensor") &&
         g.shape("E2", y.rank() == 3, "batch2 must be a 3D tensor") &&
         expandable(g, "E3", a.self.sizes(),
                    {x.size(0), x.size(1), y.size(2)}) &&
         one_dtype(g, "E4", a.self, x) &&
         multiplicable(
             g, "E5", x.size(0) == y.size(0) && x.size(2) == y.size(1), x, y) &&
         one_dtype_unless_empty(g, "E6", x, y) && no_bool(g, "E7", x, y);
}

NodeId lower_baddbmm(const Baddbmm& a, Builder& b) {
  const DType t = common_type(a.batch1, a.batch2);
  const NodeId p =
      product_to_scale(b, a.batch1.node(), a.batch2.node(), t, a.alpha);
  return b.convert(add_to(a, b, p, t), t);
}

struct Linear : Arguments {
  Operand input = tensor("input");
  Operand weight = tensor("weight");
  std::optional<Operand> bias = maybe_tensor("bias");
};

bool guard_linear(const Linear& a, Guards& g) {
  const Operand &x = a.input, &w = a.weight;
  const auto& bias = a.bias;
  return g.shape("E1", x.rank() >= 1,
                 "both arguments to linear need to be at least 1D") &&
         g.shape("E2", w.rank() == 1 || w.rank() == 2,
                 "linear expects a matrix of weights") &&
         multiplicable(g, "E3", x.size(-1) == w.size(-1), x, w) &&
         one_dtype_unless_empty(g, "E4", x, w) &&
         (!bias || one_dtype(g, "E5", *bias, w)) &&
         g.shape("E6",
                 !bias || bias->numel() == 1 ||
                     (bias->rank() >= 1 && bias->size(-1) == w.size(0)),
                 "the bias must have one element per row of weights") &&
         no_bool(g, "E7", x, w);
}

// input @ transpose(weight) + bias; leading dimensions of input are rows.
NodeId lower_linear(const Linear& a, Builder& b) {
  const DType t = common_type(a.input, a.weight);
  Shape out = a.input.sizes();
  const std::int64_t terms = out.back();
  out.pop_back();
  const std::int64_t rows = element_count(out);
  NodeId w = a.weight.node();
  if (a.weight.rank() == 1) {
    w = b.reshape(w, {1, terms, 1});
  } else {
    out.push_back(a.weight.size(0));
    w = batched(b, b.permute(w, {1, 0}));
  }
  const NodeId x = b.reshape(a.input.node(), {1, rows, terms});
  NodeId p = b.reshape(product(b, x, w, t), out);
  if (a.bias && t != DType::boolean) {
    p = b.map(ScalarOp::add, {p, b.convert(a.bias->node(), b.dtype(p))});
  }
  return b.convert(p, t);
}

struct Attention : Arguments {
  Operand query = tensor("query");
  Operand key = tensor("key");
  Operand value = tensor("value");
  std::optional<Operand> mask = maybe_tensor("attn_mask");
  Number dropout = number("dropout_p", 0.0);
  bool is_causal = boolean("is_causal", false);
  std::optional<Number> scale = maybe_number("scale");
  bool groups = boolean("enable_gqa", false);
};

const char* unsupported_attention(const Attention& a) {
  if (a.groups) return "groups of heads";
  const double p = a.dropout.real();
  return p > 0 && p <= 1 ? "dropout, which draws" : nullptr;
}

// The batch dimensions of all three; no value where they do not fit.
std::optional<Shape> batch_of(const Attention& a) {
  const auto batch = [](const Operand& x) { return leading(x.sizes()); };
  Shape two, all;
  if (!kit::broadcast_shapes(batch(a.query), batch(a.key), &two) ||
      !kit::broadcast_shapes(two, batch(a.value), &all)) {
    return {};
  }
  return all;
}

// batch[..., L, S]
Shape scores_of(const Attention& a, Shape batch) {
  batch.push_back(a.query.size(-2));
  batch.push_back(a.key.size(-2));
  return batch;
}

bool guard_attention(const Attention& a, Guards& g) {
  const Operand &q = a.query, &k = a.key, &v = a.value;
  const auto masks = [&](DType t) {
    return t == DType::boolean || t == DType::f32 || t == q.dtype();
  };
  if (!one_dtype(g, "E1", q, k) || !one_dtype(g, "E1", q, v) ||
      !g.shape("E2", q.rank() >= 2 && k.rank() >= 2 && v.rank() >= 2,
               "query, key and value must be at least matrices") ||
      !g.types("E3", !a.mask || masks(a.mask->dtype()),
               "the mask must be bool, float or of the query's dtype") ||
      !g.shape("E4", !a.is_causal || !a.mask,
               "a mask and is_causal are not taken together") ||
      !g.types("E5", is_float(q.dtype()) || any_empty(q, k),
               "attention is implemented for floating-point types only",
               "NotImplementedError") ||
      !g.shape("E6", a.dropout.real() <= 1,
               "dropout probability has to be between 0 and 1") ||
      !multiplicable(g, "E7", q.size(-1) == k.size(-1), q, k) ||
      !multiplicable(g, "E8", k.size(-2) == v.size(-2), k, v)) {
    return false;
  }
  const std::optional<Shape> batch = batch_of(a);
  if (!multiplicable(g, "E9", batch.has_value(), q, k)) return false;
  Shape two;
  kit::broadcast_shapes(leading(q.sizes()), leading(k.sizes()), &two);
  return !a.mask ? g.shape("E10", true, "")
                 : expandable(g, "E10", a.mask->sizes(), scores_of(a, two));
}

// Is the second of the indices of [rows, columns] the greater one?
NodeId above_diagonal(Builder& b, std::int64_t rows, std::int64_t columns) {
  Term row, column, above;
  row.kind = column.kind = Term::Kind::variable;
  row.dtype = column.dtype = DType::i64;
  column.variable = 1;
  above.kind = Term::Kind::apply;
  above.dtype = DType::boolean;
  above.scalar = ScalarOp::gt;
  above.args = {1, 0};
  return b.formula(std::make_shared<const Formula>(
                       Formula{{row, column, std::move(above)}, 2}),
                   {}, {DType::boolean, {rows, columns}});
}

// softmax(factor query @ transpose(key) + mask) @ value in opmath.
std::vector<NodeId> lower_attention(const Attention& a, Builder& b) {
  const DType t = a.query.dtype(), wide = opmath(t);
  const Shape batch = *batch_of(a);
  const std::int64_t terms = a.query.size(-1);
  const Shape sizes = scores_of(a, batch);
  if (!is_float(t) || terms == 0 || element_count(sizes) == 0) return {};
  const double minus_inf = -std::numeric_limits<double>::infinity();
  const NodeId keys = b.permute(fold(b, a.key.node(), batch), {0, 2, 1});
  NodeId x = product(b, fold(b, a.query.node(), batch), keys, t);
  const double factor =
      a.scale ? a.scale->real() : 1 / std::sqrt(static_cast<double>(terms));
  x = b.map(ScalarOp::mul, {b.scalar(wide, factor), x});
  if (a.is_causal) {
    x = b.map(ScalarOp::select,
              {above_diagonal(b, sizes[sizes.size() - 2], sizes.back()),
               b.scalar(wide, minus_inf), x});
  } else if (a.mask) {
    const NodeId m = b.reshape(b.expand(a.mask->node(), sizes), b.sizes(x));
    x = a.mask->dtype() == DType::boolean
            ? b.map(ScalarOp::select, {m, x, b.scalar(wide, minus_inf)})
            : b.map(ScalarOp::add, {x, b.convert(m, wide)});
  }
  const NodeId weights = softmax_over(b, x, {2});
  const NodeId values = b.widened(fold(b, a.value.node(), batch));
  Shape out = sizes;
  out.back() = a.value.size(-1);
  return {b.convert(b.reshape(b.matmul(weights, values), out), t)};
}

constexpr Operation kOperations[] = {
    operation<Product, lower_mm, guard_mm>("aten.mm.default", "mm"),
    operation<Product, lower_bmm, guard_bmm>("aten.bmm.default", "bmm"),
    operation<Matmul, lower_matmul, guard_matmul>("aten.matmul.default",
                                                  "matmul"),
    operation<Addmm, lower_addmm, guard_addmm>("aten.addmm.default", "addmm"),
    operation<Baddbmm, lower_baddbmm, guard_baddbmm>("aten.baddbmm.default",
                                                     "baddbmm"),
    operation<Linear, lower_linear, guard_linear>("aten.linear.default",
                                                  "linear"),
    operation<Attention, lower_attention, guard_attention,
              unsupported_attention>(
        "aten.scaled_dot_product_attention.default",
        "scaled_dot_product_attention"),
};

}  // namespace

Family matmul() { return kOperations; }

}  // namespace assay::compiler
