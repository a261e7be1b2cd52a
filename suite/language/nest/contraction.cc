#include "suite/language/nest/contraction.h"

#include <algorithm>

namespace assay::language {
namespace {

class Linearity {
 public:
  Linearity(const Nest& nest, const ReductionNode& r) : nest_(nest), r_(r) {}

  // By how much index node `i` grows with the slot of range `n`; nothing
  // where it is not linear in all of the reduction's slots.
  std::optional<std::int64_t> coefficient(int i, std::size_t n) const {
    using Op = IndexNode::Op;
    const IndexNode& x = nest_.index(i);
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
          const IndexNode& f = nest_.index(factor);
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
    const IndexNode& x = nest_.index(i);
    switch (x.op) {
      case IndexNode::Op::constant:
        return true;
      case IndexNode::Op::slot:
        return std::none_of(
            r_.ranges.begin(), r_.ranges.end(),
            [&x](const ReductionNode::Range& s) { return s.slot == x.value; });
      case IndexNode::Op::element: {
        const Access& a = nest_.access(static_cast<int>(x.value));
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
  const Nest& nest_;
  const ReductionNode& r_;
};

}  // namespace

std::optional<Contraction> recognise_contraction(const Nest& nest,
                                                 const ReductionNode& r) {
  using Op = ValueNode::Op;
  if (r.kind != Reduction::sum && r.kind != Reduction::mean) {
    return std::nullopt;
  }
  const Linearity linear(nest, r);
  for (const ReductionNode::Range& range : r.ranges) {
    if (!linear.independent(range.from) || !linear.independent(range.to)) {
      return std::nullopt;
    }
  }
  // No square: its factors do not vary independently, but in the loops they
  // would.
  const ValueNode& body = nest.node(r.body);
  std::vector<int> terms = {r.body};
  if (body.op == Op::mul) terms = {body.a, body.b};
  Contraction c;
  for (const int term : terms) {
    const ValueNode& v = nest.node(term);
    const bool guarded = v.op == Op::inside;
    if (v.op != Op::element && !guarded) return std::nullopt;
    if (guarded) {
      const ValueNode& otherwise = nest.node(v.a);
      if (otherwise.op != Op::integer || otherwise.integer != 0) {
        return std::nullopt;
      }
    }
    Contraction::Factor f;
    f.access = v.access;
    f.guarded = guarded;
    for (const int index : nest.access(v.access).index) {
      std::vector<std::int64_t> row;
      int moving = 0;
      for (std::size_t n = 0; n < r.ranges.size(); ++n) {
        const auto k = linear.coefficient(index, n);
        if (!k) return std::nullopt;
        row.push_back(*k);
        if (*k != 0) ++moving;
      }
      // A guard on two summation indices at once cuts no box.
      if (guarded && moving > 1) return std::nullopt;
      f.coefficients.push_back(std::move(row));
    }
    c.factors.push_back(std::move(f));
  }
  return c;
}

}  // namespace assay::language
