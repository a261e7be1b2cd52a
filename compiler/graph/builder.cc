#include "compiler/graph/builder.h"

#include <algorithm>
#include <bit>

#include "kit/broadcast.h"
#include "kit/cast_bits.h"

namespace assay::compiler {
namespace {

GraphNode make(Op op, std::vector<NodeId> args, Type type) {
  GraphNode n;
  n.op = op;
  n.args = std::move(args);
  n.type = std::move(type);
  return n;
}

}  // namespace

NodeId Builder::add(GraphNode n) {
  body.nodes.push_back(std::move(n));
  return static_cast<NodeId>(body.nodes.size()) - 1;
}

NodeId Builder::input(const TensorType& t) {
  GraphNode n = make(Op::input, {}, {t.dtype, t.sizes});
  n.attr = {static_cast<std::int64_t>(body.inputs.size())};
  body.inputs.push_back(t);
  return add(std::move(n));
}

NodeId Builder::constant(Tensor t) {
  GraphNode n = make(Op::constant, {}, {t.dtype(), t.sizes()});
  n.attr = {static_cast<std::int64_t>(body.constants.size())};
  body.constants.push_back(std::move(t));
  return add(std::move(n));
}

NodeId Builder::scalar(DType t, double value) {
  GraphNode n = make(Op::scalar, {}, {t, {}});
  n.bits = kit::cast_bits(DType::f64, std::bit_cast<std::uint64_t>(value), t);
  return add(std::move(n));
}

NodeId Builder::integer_scalar(DType t, std::int64_t value) {
  GraphNode n = make(Op::scalar, {}, {t, {}});
  n.bits = kit::cast_bits(DType::i64, static_cast<std::uint64_t>(value), t);
  return add(std::move(n));
}

NodeId Builder::filled(DType t, const Shape& sizes, double value) {
  return expand(scalar(t, value), sizes);
}

NodeId Builder::map(ScalarOp op, std::vector<NodeId> args) {
  Shape common = sizes(args[0]);
  for (const NodeId a : args) {
    Shape next;
    if (kit::broadcast_shapes(common, sizes(a), &next)) common = next;
  }
  for (NodeId& a : args) a = expand(a, common);
  const DType result = result_of(op, dtype(args.back()));
  GraphNode n = make(Op::map, std::move(args), {result, std::move(common)});
  n.scalar = op;
  return add(std::move(n));
}

NodeId Builder::cast(Op op, NodeId x, DType to) {
  GraphNode n = make(op, {x}, {to, sizes(x)});
  if (is_lossy_cast(op)) n.cast = ledger.add(op, dtype(x), to, origin);
  return add(std::move(n));
}

NodeId Builder::convert(NodeId x, DType to) {
  const DType from = dtype(x);
  if (from == to) return x;
  if (is_lossless(from, to)) return cast(Op::widen, x, to);
  if (to == DType::boolean) {
    const NodeId wide = widened(x);
    return map(ScalarOp::ne, {wide, integer_scalar(dtype(wide), 0)});
  }
  if (is_float(to)) {
    // From a narrower float through f32, exactly; from f64 in one rounding.
    return cast(Op::round, widened(x), to);
  }
  if (is_float(from)) return cast(Op::truncate, widened(x), to);
  return cast(Op::wrap, x, to);
}

NodeId Builder::reshape(NodeId x, Shape new_sizes) {
  if (new_sizes == sizes(x)) return x;
  return add(make(Op::reshape, {x}, {dtype(x), std::move(new_sizes)}));
}

NodeId Builder::permute(NodeId x, Shape dims) {
  Shape out;
  for (const std::int64_t d : dims) {
    out.push_back(sizes(x)[static_cast<std::size_t>(d)]);
  }
  GraphNode n = make(Op::permute, {x}, {dtype(x), std::move(out)});
  n.attr = std::move(dims);
  return add(std::move(n));
}

NodeId Builder::slice(NodeId x, std::int64_t dim, std::int64_t start,
                      std::int64_t length, std::int64_t step) {
  GraphNode n = make(Op::slice, {x}, type(x));
  n.type.sizes[static_cast<std::size_t>(dim)] = length;
  n.attr = {dim, start, step};
  return add(std::move(n));
}

NodeId Builder::cat(std::vector<NodeId> parts, std::int64_t dim) {
  const auto d = static_cast<std::size_t>(dim);
  GraphNode n = make(Op::cat, {}, type(parts[0]));
  n.type.sizes[d] = 0;
  for (const NodeId p : parts) n.type.sizes[d] += sizes(p)[d];
  n.args = std::move(parts);
  n.attr = {dim};
  return add(std::move(n));
}

NodeId Builder::expand(NodeId x, const Shape& target) {
  if (sizes(x) == target) return x;
  Shape padded = sizes(x);
  if (padded.size() < target.size()) {
    padded.insert(padded.begin(), target.size() - padded.size(), 1);
  }
  x = reshape(x, std::move(padded));
  if (sizes(x) == target) return x;
  return add(make(Op::expand, {x}, {dtype(x), target}));
}

NodeId Builder::reduce(Combiner c, NodeId x, Shape dims) {
  const Shape all = sizes(x);
  const auto elements = [&](std::int64_t from, std::int64_t to) {
    return element_count({all.begin() + from, all.begin() + to});
  };
  for (std::size_t i = dims.size(); i-- > 1;) {
    const std::int64_t before = dims[i - 1] + 1;
    if (elements(before, dims[i]) > 1 &&
        elements(dims[i], dims.back() + 1) > 1) {
      const auto cut = dims.begin() + static_cast<std::ptrdiff_t>(i);
      const NodeId parts = reduce(c, x, {cut, dims.end()});
      return reduce(c, parts, {dims.begin(), cut});
    }
  }
  GraphNode n = make(Op::reduce, {x}, type(x));
  for (const std::int64_t d : dims) {
    n.type.sizes[static_cast<std::size_t>(d)] = 1;
  }
  n.combiner = c;
  std::int64_t last = rank(x) - 1;
  while (last > 0 && sizes(x)[static_cast<std::size_t>(last)] == 1) --last;
  const bool along = dims.empty() || dims.back() >= last;
  n.order = along ? kReduceOrder : kColumnOrder;
  n.attr = std::move(dims);
  return add(std::move(n));
}

NodeId Builder::matmul(NodeId a, NodeId b) {
  GraphNode n = make(Op::matmul, {a, b},
                     {dtype(a), {sizes(a)[0], sizes(a)[1], sizes(b)[2]}});
  n.order = kProductOrder;
  return add(std::move(n));
}

NodeId Builder::convolve(NodeId x, NodeId w, Shape attr, Shape out) {
  GraphNode n = make(Op::convolve, {x, w}, {dtype(x), std::move(out)});
  n.order = kProductOrder;
  n.attr = std::move(attr);
  return add(std::move(n));
}

NodeId Builder::window_sum(NodeId x, std::int64_t height, std::int64_t width) {
  GraphNode n = make(Op::window_sum, {x}, type(x));
  n.type.sizes[2] = height;
  n.type.sizes[3] = width;
  n.order = kProductOrder;
  return add(std::move(n));
}

NodeId Builder::as_number(NodeId x) {
  const DType t = dtype(x);
  if (is_float(t)) return widened(x);
  return convert(x, is_lossless(t, DType::i32) ? DType::i32 : DType::i64);
}

NodeId Builder::scan(Combiner c, NodeId x) {
  GraphNode n = make(Op::scan, {x}, type(x));
  n.combiner = c;
  return add(std::move(n));
}

NodeId Builder::scatter(Combiner c, NodeId key, NodeId x, std::int64_t places) {
  GraphNode n = make(Op::scatter, {key, x}, type(x));
  n.type.sizes[1] = places;
  n.combiner = c;
  return add(std::move(n));
}

NodeId Builder::scatter_onto(Combiner c, NodeId start, NodeId key, NodeId x) {
  GraphNode n = make(Op::scatter, {key, x, start}, type(start));
  n.combiner = c;
  return add(std::move(n));
}

// Few are found without room to sort all.
constexpr std::int64_t kMostSelected = 64;

NodeId Builder::order(NodeId x, bool descending, std::int64_t kept) {
  const Shape s = sizes(x);
  const bool selects = kept <= kMostSelected && kept < s[1];
  GraphNode n =
      make(Op::order, {x},
           {DType::i64, {selects ? 1 : 2, s[0], selects ? kept : s[1]}});
  n.attr = {descending ? 1 : 0};
  const NodeId all = slice(add(std::move(n)), 0, 0, 1, 1);
  return reshape(slice(all, 2, 0, kept, 1), {s[0], kept});
}

NodeId Builder::formula(std::shared_ptr<const Formula> f,
                        std::vector<NodeId> operands, Type type) {
  if (const Term& whole = f->terms.back(); whole.kind == Term::Kind::number) {
    GraphNode number = make(Op::scalar, {}, {whole.dtype, {}});
    number.bits = whole.bits;
    return expand(add(std::move(number)), type.sizes);
  }
  GraphNode n = make(Op::formula, std::move(operands), std::move(type));
  n.formula = std::move(f);
  return add(std::move(n));
}

NodeId Builder::gather(NodeId table, NodeId index) {
  GraphNode n = make(Op::gather, {table, index}, {dtype(table), sizes(index)});
  n.type.sizes.push_back(sizes(table)[1]);
  return add(std::move(n));
}

}  // namespace assay::compiler
