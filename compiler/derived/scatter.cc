#include "compiler/derived/scatter.h"

#include <algorithm>
#include <utility>

#include "compiler/derived/depends.h"

namespace assay::compiler {
namespace {

using language::IndexNode;
using language::Nest;
using language::Reduction;
using language::ReductionNode;
using language::ValueNode;
using Op = ValueNode::Op;

// Fewer terms are compared with every place side by side.
constexpr std::int64_t kLeastTerms = 16;

void split(const Nest& nest, int id, std::vector<int>* conjuncts) {
  const ValueNode& v = nest.node(id);
  if (v.op == Op::logical_and) {
    split(nest, v.a, conjuncts);
    split(nest, v.b, conjuncts);
  } else {
    conjuncts->push_back(id);
  }
}

bool is_zero(const Nest& nest, int id) {
  const ValueNode& v = nest.node(id);
  if (v.op == Op::neg) return is_zero(nest, v.a);
  return (v.op == Op::integer && v.integer == 0) ||
         (v.op == Op::real && v.number == 0);
}

// The dimension that it is the index along.
std::optional<int> place(const Nest& nest, int id, int rank) {
  const ValueNode& v = nest.node(id);
  if (v.op != Op::index) return std::nullopt;
  const IndexNode& i = nest.index(v.a);
  if (i.op != IndexNode::Op::slot || i.value >= rank) return std::nullopt;
  return static_cast<int>(i.value);
}

// "key == i", and what of it is which.
bool names_place(const Nest& nest, int id, int rank, Scatter* s) {
  const ValueNode& v = nest.node(id);
  if (v.op != Op::compare || v.comparison != language::Comparison::eq) {
    return false;
  }
  for (const auto& [a, b] : {std::pair{v.a, v.b}, std::pair{v.b, v.a}}) {
    const std::optional<int> d = place(nest, a, rank);
    if (!d || value_depends_on(nest, b, *d)) continue;
    s->dimension = *d;
    s->key = b;
    return nest.node(b).integral || nest.node(b).op == Op::index;
  }
  return false;
}

std::optional<std::int64_t> count_of(const Nest& nest,
                                     const ReductionNode::Range& r) {
  const IndexNode& to = nest.index(r.to);
  if (r.from >= 0 || to.op != IndexNode::Op::constant) return std::nullopt;
  return to.value;
}

}  // namespace

std::optional<Scatter> recognise_scatter(const Nest& nest,
                                         const ReductionNode& r, int rank) {
  if (r.ranges.size() != 1) return std::nullopt;
  const std::optional<std::int64_t> terms = count_of(nest, r.ranges[0]);
  if (!terms || *terms < kLeastTerms) return std::nullopt;
  Scatter s;
  s.terms = *terms;
  int condition = r.body;
  if (r.kind == Reduction::sum) {
    const ValueNode& v = nest.node(r.body);
    if (v.op != Op::where || !is_zero(nest, v.c)) return std::nullopt;
    condition = v.a;
    s.value = v.b;
  } else if (r.kind != Reduction::count && r.kind != Reduction::any) {
    return std::nullopt;
  }
  std::vector<int> conjuncts;
  split(nest, condition, &conjuncts);
  const auto names =
      std::find_if(conjuncts.begin(), conjuncts.end(),
                   [&](int c) { return names_place(nest, c, rank, &s); });
  if (names == conjuncts.end()) return std::nullopt;
  conjuncts.erase(names);
  s.conditions = std::move(conjuncts);
  const auto depends = [&](int id) {
    return value_depends_on(nest, id, s.dimension);
  };
  if (depends(s.value) ||
      std::any_of(s.conditions.begin(), s.conditions.end(), depends)) {
    return std::nullopt;
  }
  return s;
}

}  // namespace assay::compiler
