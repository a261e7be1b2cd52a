// Elements that go to the places that an index names along one dimension.
#include <fmt/format.h>

#include <vector>

#include "compiler/ops/dims.h"
#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

struct Scatter : Unary {
  std::int64_t dim = integer("dim");
  Operand index = tensor("index");
  Operand src = tensor("src");
};

// One index for all of an entry of src.
struct IndexAdd : Unary {
  std::int64_t dim = integer("dim");
  Operand index = tensor("index");
  Operand source = tensor("source");
  Number alpha = number("alpha", 1);
};

std::size_t dimension(std::int64_t dim, const Operand& x) {
  return static_cast<std::size_t>(wrap_dim(dim, x.rank()));
}

bool is_index(DType t) { return t == DType::i64 || t == DType::i32; }

bool guard_scatter(const Scatter& a, Guards& g) {
  const Shape to = at_least_1d(a.self), from = at_least_1d(a.src),
              keys = at_least_1d(a.index);
  const bool none = a.index.numel() == 0;
  if (!dim_ok(g, "E1", a.dim, a.self.rank()) ||
      !g.types("E2", none || is_index(a.index.dtype()),
               "scatter(): Expected dtype int32/int64 for index") ||
      !g.types("E3", a.src.dtype() == a.self.dtype(),
               "scatter(): Expected self.dtype to be equal to src.dtype") ||
      !g.shape("E4",
               none || (keys.size() == to.size() && from.size() == to.size()),
               "Index tensor must have the same number of dimensions as self "
               "tensor and src tensor")) {
    return false;
  }
  const std::size_t dim = dimension(a.dim, a.self);
  bool fits = true;
  for (std::size_t d = 0; !none && d < keys.size(); ++d) {
    fits = fits && (d == dim || keys[d] <= to[d]) && keys[d] <= from[d];
  }
  return g.shape("E5", fits,
                 fmt::format("Expected index to be no larger than self apart "
                             "from dimension {} and to be no larger than src",
                             dim)) &&
         g.range("E6", a.index.node(), to[dim], "index out of bounds");
}

bool guard_index_add(const IndexAdd& a, Guards& g) {
  if (!dim_ok(g, "E1", a.dim, a.self.rank()) ||
      !g.shape("E2", a.index.rank() <= 1,
               "index_add_(): Index is supposed to be a vector",
               "IndexError") ||
      !g.types("E3", is_index(a.index.dtype()),
               "index_add_(): Expected dtype int32/int64 for index") ||
      !g.types("E4", a.source.dtype() == a.self.dtype(),
               "index_add_(): self and source expected to have the same "
               "dtype") ||
      !g.shape("E5", a.source.rank() == a.self.rank(),
               "index_add_(): source and self must have the same number of "
               "dimensions")) {
    return false;
  }
  const std::size_t dim = dimension(a.dim, a.self);
  Shape to = at_least_1d(a.self), from = at_least_1d(a.source);
  const std::int64_t places = to[dim];
  const bool has_all = from[dim] == a.index.numel();
  to[dim] = from[dim];
  return g.shape("E6", has_all,
                 "index_add_(): Number of indices should be equal to the size "
                 "of source in that dimension") &&
         g.shape("E7", from == to,
                 "source tensor shape must match self tensor shape, excluding "
                 "the specified dimension") &&
         (a.index.numel() == 0 || converts(g, "E9", a.alpha, a.self.dtype())) &&
         g.range("E8", a.index.node(), places, "index out of range in self");
}

NodeId in_lines(Builder& b, NodeId x, std::size_t dim) {
  return b.reshape(x, lines_along(static_cast<std::int64_t>(dim), b.sizes(x)));
}

// What `self` has, and then the terms of all its lines.
NodeId scattered(Builder& b, Combiner c, const Operand& self, NodeId key,
                 NodeId terms, std::size_t dim) {
  const NodeId start = b.as_number(b.reshape(self.node(), at_least_1d(self)));
  const NodeId y = b.scatter_onto(c, in_lines(b, start, dim),
                                  in_lines(b, b.convert(key, DType::i64), dim),
                                  in_lines(b, terms, dim));
  return b.reshape(b.convert(y, self.dtype()), self.sizes());
}

// Of several elements for one place the last stays. Lines that no index names
// are left to what the spec says of them.
template <Combiner kCombiner>
std::vector<NodeId> lower_scatter(const Scatter& a, Builder& b) {
  const std::size_t dim = dimension(a.dim, a.self);
  const Shape keys = at_least_1d(a.index);
  Shape all = at_least_1d(a.self);
  all[dim] = keys[dim];
  if (keys != all || element_count(keys) == 0) return {};
  NodeId terms = b.reshape(a.src.node(), at_least_1d(a.src));
  for (std::size_t d = 0; d < keys.size(); ++d) {
    if (b.sizes(terms)[d] == keys[d]) continue;
    terms = b.slice(terms, static_cast<std::int64_t>(d), 0, keys[d], 1);
  }
  return {scattered(b, kCombiner, a.self, b.reshape(a.index.node(), keys),
                    b.as_number(terms), dim)};
}

std::vector<NodeId> lower_index_add(const IndexAdd& a, Builder& b) {
  const std::size_t dim = dimension(a.dim, a.self);
  const Shape from = at_least_1d(a.source);
  if (element_count(from) == 0) return {};
  Shape column(from.size(), 1);
  column[dim] = from[dim];
  const NodeId key = b.expand(b.reshape(a.index.node(), column), from);
  NodeId terms = b.as_number(b.reshape(a.source.node(), from));
  if (a.alpha.real() != 1) {
    terms =
        b.map(ScalarOp::mul, {converted(b, a.alpha, b.dtype(terms)), terms});
  }
  return {scattered(b, Combiner::sum, a.self, key, terms, dim)};
}

constexpr Operation kOperations[] = {
    operation<Scatter, lower_scatter<Combiner::last>, guard_scatter>(
        "aten.scatter.src", "scatter"),
    operation<Scatter, lower_scatter<Combiner::sum>, guard_scatter>(
        "aten.scatter_add.default", "scatter_add"),
    operation<IndexAdd, lower_index_add, guard_index_add>(
        "aten.index_add.default", "index_add"),
};

}  // namespace

Family scatter() { return kOperations; }

}  // namespace assay::compiler
