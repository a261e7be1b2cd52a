#include "suite/language/nest/row_cuts.h"

#include <algorithm>
#include <set>
#include <utility>

namespace assay::language {
namespace {

// Walks all that a result's row reads, from the last definition back.
class Walk {
 public:
  explicit Walk(const Nest& nest) : nest_(nest) {}

  // The indices of definition `n` are its first slots, so that its dimension
  // `row` (or kWhole) is a slot.
  void definition(int n, int row) {
    if (!seen_.emplace(n, row).second) return;
    const int outer = std::exchange(row_, row);
    value(nest_.definitions[static_cast<std::size_t>(n)].body);
    row_ = outer;
  }

  void clauses() {
    for (const NestClause& c : nest_.special) {
      value(c.when);
      value(c.then);
    }
  }

  void set_row(int row) { row_ = row; }
  bool failed() const { return failed_; }
  RowCuts cuts() && { return std::move(cuts_); }

 private:
  bool is_row(int i) const {
    const IndexNode& node = nest_.index(i);
    return row_ != kWhole && node.op == IndexNode::Op::slot &&
           node.value == row_;
  }

  void value(int i) {
    if (i < 0 || failed_) return;
    const ValueNode& v = nest_.node(i);
    if (v.op == ValueNode::Op::index) {
      index(v.a);
      return;
    }
    if (v.access >= 0) access(nest_.access(v.access));
    if (v.op == ValueNode::Op::reduce) {
      const ReductionNode& r = nest_.reduction(v.reduction);
      for (const ReductionNode::Range& range : r.ranges) {
        index(range.from);
        index(range.to);
      }
      value(r.body);
    }
    value(v.a);
    value(v.b);
    value(v.c);
  }

  // An index that is computed with: it must not hang on the row.
  void index(int i) {
    if (i < 0 || failed_) return;
    const IndexNode& node = nest_.index(i);
    switch (node.op) {
      case IndexNode::Op::constant:
        return;
      case IndexNode::Op::slot:
        failed_ = failed_ || is_row(i);
        return;
      case IndexNode::Op::element:
        access(nest_.access(static_cast<int>(node.value)));
        return;
      case IndexNode::Op::select:
        value(node.a);
        break;
      default:
        index(node.a);
        break;
    }
    index(node.b);
    index(node.c);
  }

  void access(const Access& a) {
    int dimension = kWhole;
    for (std::size_t d = 0; d < a.index.size(); ++d) {
      if (!is_row(a.index[d])) {
        index(a.index[d]);
        continue;
      }
      // A diagonal, or bytes of other rows.
      const bool last = d + 1 == a.index.size();
      failed_ = failed_ || dimension != kWhole || (a.stored && last);
      dimension = static_cast<int>(d);
    }
    if (failed_) return;
    if (a.is_definition()) {
      definition(a.definition(), dimension);
      return;
    }
    const auto [at, fresh] = cuts_.emplace(a.source, dimension);
    failed_ = !fresh && at->second != dimension;
  }

  const Nest& nest_;
  RowCuts cuts_;
  std::set<std::pair<int, int>> seen_;
  int row_ = kWhole;
  bool failed_ = false;
};

bool same(const IndexNode& x, const IndexNode& y) {
  return x.op == y.op && x.value == y.value && x.a == y.a && x.b == y.b &&
         x.c == y.c;
}

bool same(const ValueNode& x, const ValueNode& y) {
  // NaN is like itself.
  const bool number =
      x.number == y.number || (x.number != x.number && y.number != y.number);
  return number && x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
         x.integer == y.integer && x.elementary == y.elementary &&
         x.binary == y.binary && x.special == y.special &&
         x.bitwise == y.bitwise && x.comparison == y.comparison &&
         x.dtype == y.dtype && x.out_of_range == y.out_of_range &&
         x.access == y.access && x.reduction == y.reduction;
}

bool same(const ReductionNode& x, const ReductionNode& y) {
  return x.kind == y.kind && x.body == y.body &&
         std::equal(x.ranges.begin(), x.ranges.end(), y.ranges.begin(),
                    y.ranges.end(), [](const auto& a, const auto& b) {
                      return a.slot == b.slot && a.from == b.from &&
                             a.to == b.to;
                    });
}

bool same(const Access& x, const Access& y) {
  return x.source == y.source && x.dtype == y.dtype && x.stored == y.stored &&
         x.index == y.index;
}

bool same(const NestDefinition& x, const NestDefinition& y) {
  return x.body == y.body;
}

template <class T>
bool all_same(const std::vector<T>& x, const std::vector<T>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const T& a, const T& b) { return same(a, b); });
}

}  // namespace

std::optional<RowCuts> row_cuts(const Nest& nest, int dimension) {
  Walk walk(nest);
  walk.definition(static_cast<int>(nest.definitions.size()) - 1, dimension);
  walk.set_row(dimension);
  walk.clauses();
  if (walk.failed()) return std::nullopt;
  return std::move(walk).cuts();
}

bool same_but_for_sizes(const Nest& a, const Nest& b) {
  return all_same(a.indices, b.indices) && all_same(a.values, b.values) &&
         all_same(a.reductions, b.reductions) &&
         all_same(a.accesses, b.accesses) &&
         all_same(a.definitions, b.definitions);
}

}  // namespace assay::language
