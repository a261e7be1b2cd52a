// Elements by indices.
#include <fmt/format.h>

#include <memory>

#include "compiler/ops/dims.h"
#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

struct Gather : Unary {
  std::int64_t dim = integer("dim");
  Operand index = tensor("index");
  bool sparse_grad = boolean("sparse_grad", false);
};

bool guard_gather(const Gather& a, Guards& g) {
  const Shape from = at_least_1d(a.self), to = at_least_1d(a.index);
  const bool none = a.index.numel() == 0;
  if (!dim_ok(g, "E1", a.dim, a.self.rank()) ||
      !g.types("E2",
               none || a.index.dtype() == DType::i64 ||
                   a.index.dtype() == DType::i32,
               "gather(): Expected dtype int32/int64 for index") ||
      !g.shape("E3", none || from.size() == to.size(),
               "Index tensor must have the same number of dimensions as input "
               "tensor")) {
    return false;
  }
  const auto d = static_cast<std::size_t>(wrap_dim(a.dim, a.self.rank()));
  bool fits = true;
  for (std::size_t k = 0; !none && k < to.size(); ++k) {
    fits = fits && (k == d || to[k] <= from[k]);
  }
  return g.shape("E4", fits,
                 fmt::format("Size does not match at dimension {} expected "
                             "index to be no larger than self apart from that "
                             "dimension",
                             d)) &&
         g.range("E5", a.index.node(), from[d], "index out of bounds");
}

// out[i...] = x[i..., with the index's element in place of that along dim]
NodeId lower_gather(const Gather& a, Builder& b) {
  const Shape from = at_least_1d(a.self), to = at_least_1d(a.index);
  const DType t = a.self.dtype(), index_type = a.index.dtype();
  if (a.index.numel() == 0 || a.self.numel() == 0) {
    return b.filled(t, a.index.sizes(), 0);
  }
  const auto d = static_cast<std::size_t>(wrap_dim(a.dim, a.self.rank()));
  Formula f;
  f.variables = static_cast<int>(to.size());
  const auto add = [&f](Term term) {
    f.terms.push_back(std::move(term));
    return static_cast<int>(f.terms.size()) - 1;
  };
  std::vector<int> place;
  for (int v = 0; v < f.variables; ++v) {
    Term here;
    here.kind = Term::Kind::variable;
    here.dtype = DType::i64;
    here.variable = v;
    place.push_back(add(std::move(here)));
  }
  Term index;
  index.kind = Term::Kind::load;
  index.dtype = index_type;
  index.operand = 1;
  index.args = place;
  place[d] = add(std::move(index));
  if (index_type != DType::i64) {
    Term wide;
    wide.kind = Term::Kind::cast;
    wide.dtype = DType::i64;
    wide.args = {place[d]};
    place[d] = add(std::move(wide));
  }
  Term element;
  element.kind = Term::Kind::load;
  element.dtype = t;
  element.args = place;
  add(std::move(element));
  const NodeId out = b.formula(
      std::make_shared<const Formula>(std::move(f)),
      {b.reshape(a.self.node(), from), b.reshape(a.index.node(), to)}, {t, to});
  return b.reshape(out, a.index.sizes());
}

constexpr Operation kOperations[] = {
    operation<Gather, lower_gather, guard_gather>("aten.gather.default",
                                                  "gather"),
};

}  // namespace

Family indexing() { return kOperations; }

}  // namespace assay::compiler
