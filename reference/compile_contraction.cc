// Recognises sums of products of elements with linear indices.
#include <algorithm>
#include <optional>

#include "reference/compile_scope.h"

namespace assay::reference {
namespace {

class Linearity {
 public:
  Linearity(const NodePlan& plan, const Reduction& r) : plan_(plan), r_(r) {}

  // By how much index node `i` grows with the slot of range `n`; nothing
  // where it is not linear in all of the reduction's slots.
  std::optional<std::int64_t> coefficient(int i, std::size_t n) const {
    using Op = IndexNode::Op;
    const IndexNode& x = plan_.indices[static_cast<std::size_t>(i)];
    switch (x.op) {
      case Op::constant:
        return 0;
      case Op::slot:
        return x.value == r_.ranges[n].slot ? 1 : 0;
      case Op::add:
      case Op::sub: {
        const auto p = coefficient(x.a, n);
        const auto q = coefficient(x.b, n);
        if (!p || !q) return std::nullopt;
        return x.op == Op::add ? *p + *q : *p - *q;
      }
      case Op::mul:
        for (const auto& [factor, other] :
             {std::pair{x.a, x.b}, std::pair{x.b, x.a}}) {
          const IndexNode& f = plan_.indices[static_cast<std::size_t>(factor)];
          if (f.op != Op::constant) continue;
          const auto p = coefficient(other, n);
          if (!p) return std::nullopt;
          return *p * f.value;
        }
        break;
      default:
        break;
    }
    if (independent(i)) return 0;
    return std::nullopt;
  }

  // Free of all of the reduction's slots.
  bool independent(int i) const {
    if (i < 0) return true;
    const IndexNode& x = plan_.indices[static_cast<std::size_t>(i)];
    switch (x.op) {
      case IndexNode::Op::constant:
        return true;
      case IndexNode::Op::slot:
        return std::none_of(
            r_.ranges.begin(), r_.ranges.end(),
            [&x](const Reduction::Range& s) { return s.slot == x.value; });
      case IndexNode::Op::element: {
        const Access& a = plan_.accesses[static_cast<std::size_t>(x.value)];
        return std::all_of(a.index.begin(), a.index.end(),
                           [this](int d) { return independent(d); });
      }
      case IndexNode::Op::select:
        return false;
      default:
        return independent(x.a) && independent(x.b);
    }
  }

 private:
  const NodePlan& plan_;
  const Reduction& r_;
};

}  // namespace

int PlanCompiler::contraction(const Reduction& r) {
  using Op = ValueNode::Op;
  if (r.kind != Reduction::Kind::sum && r.kind != Reduction::Kind::mean) {
    return -1;
  }
  const Linearity linear(plan_, r);
  for (const Reduction::Range& range : r.ranges) {
    if (!linear.independent(range.from) || !linear.independent(range.to)) {
      return -1;
    }
  }
  const auto node = [this](int i) -> const ValueNode& {
    return plan_.values[static_cast<std::size_t>(i)];
  };
  std::vector<int> terms = {r.body};
  if (node(r.body).op == Op::mul) terms = {node(r.body).a, node(r.body).b};
  if (node(r.body).op == Op::square) terms.assign(2, node(r.body).a);
  // The factors of a square of a set do not vary apart; the loops would let
  // them.
  const bool squared = node(r.body).op == Op::square;
  if (squared) return -1;
  Contraction c;
  for (const int term : terms) {
    const ValueNode& v = node(term);
    const bool guarded = v.op == Op::inside;
    if (v.op != Op::element && !guarded) return -1;
    if (guarded) {
      const ValueNode& otherwise = node(v.a);
      if (otherwise.op != Op::integer || otherwise.integer != 0) return -1;
    }
    Contraction::Factor f;
    f.access = v.access;
    f.guarded = guarded;
    const Access& a = plan_.accesses[static_cast<std::size_t>(v.access)];
    for (const int index : a.index) {
      std::vector<std::int64_t> row;
      int moving = 0;
      for (std::size_t n = 0; n < r.ranges.size(); ++n) {
        const auto k = linear.coefficient(index, n);
        if (!k) return -1;
        row.push_back(*k);
        if (*k != 0) ++moving;
      }
      // A guard on two summation indices at once cuts no box.
      if (guarded && moving > 1) return -1;
      f.coefficients.push_back(std::move(row));
    }
    c.factors.push_back(std::move(f));
  }
  plan_.contractions.push_back(std::move(c));
  return static_cast<int>(plan_.contractions.size()) - 1;
}

}  // namespace assay::reference
