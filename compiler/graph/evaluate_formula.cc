#include "compiler/graph/evaluate_formula.h"

#include <algorithm>

#include "compiler/graph/accumulate.h"
#include "compiler/graph/apply.h"
#include "kit/cast_bits.h"

namespace assay::compiler {
namespace {

using Kind = Term::Kind;

class Evaluation {
 public:
  Evaluation(const Formula& formula, const Shape& index,
             const std::vector<Shape>& operand_sizes, const LoadElement& load)
      : formula_(formula),
        operand_sizes_(operand_sizes),
        load_(load),
        variables_(static_cast<std::size_t>(formula.variables), 0) {
    std::copy(index.begin(), index.end(), variables_.begin());
  }

  std::uint64_t value(int id) {
    const Term& t = formula_.at(id);
    switch (t.kind) {
      case Kind::number:
        return t.bits;
      case Kind::variable:
        return static_cast<std::uint64_t>(variable(t.variable));
      case Kind::load:
        return load(t);
      case Kind::apply: {
        std::uint64_t args[3] = {};
        for (std::size_t i = 0; i < t.args.size(); ++i) {
          args[i] = value(t.args[i]);
        }
        return apply(t.scalar, formula_.at(t.args[0]).dtype, args);
      }
      case Kind::cast:
        return kit::cast_bits(formula_.at(t.args[0]).dtype, value(t.args[0]),
                              t.dtype);
      case Kind::choose:
        return value(t.args[value(t.args[0]) != 0 ? 1 : 2]);
      case Kind::fold:
        break;
    }
    return fold(t);
  }

 private:
  std::int64_t& variable(int v) {
    return variables_[static_cast<std::size_t>(v)];
  }
  std::int64_t integer(int id) { return static_cast<std::int64_t>(value(id)); }

  // Out of range it reads the first element, as compiled code does.
  std::uint64_t load(const Term& t) {
    const auto n = static_cast<std::size_t>(t.operand);
    const Shape& sizes = operand_sizes_[n];
    Shape index;
    for (std::size_t d = 0; d < t.args.size(); ++d) {
      const std::int64_t i = integer(t.args[d]);
      index.push_back(i >= 0 && i < sizes[d] ? i : 0);
    }
    if (element_count(sizes) == 0) return 0;
    return load_(n, index);
  }

  std::uint64_t fold(const Term& t) {
    std::vector<std::int64_t> from, to;
    for (const Term::Range& r : t.ranges) {
      from.push_back(integer(r.from));
      to.push_back(integer(r.to));
      if (to.back() <= from.back()) return identity_of(t.combiner, t.dtype);
      variable(r.variable) = from.back();
    }
    Accumulator total(t.combiner, kReduceOrder, t.dtype);
    for (;;) {
      total.add(value(t.args[0]));
      std::size_t d = t.ranges.size();
      while (d-- > 0) {
        std::int64_t& v = variable(t.ranges[d].variable);
        if (++v < to[d]) break;
        v = from[d];
      }
      if (d == static_cast<std::size_t>(-1)) return total.result();
    }
  }

  const Formula& formula_;
  const std::vector<Shape>& operand_sizes_;
  const LoadElement& load_;
  Shape variables_;
};

}  // namespace

std::uint64_t evaluate(const Formula& formula, const Shape& index,
                       const std::vector<Shape>& operand_sizes,
                       const LoadElement& load) {
  return Evaluation(formula, index, operand_sizes, load)
      .value(static_cast<int>(formula.terms.size()) - 1);
}

}  // namespace assay::compiler
