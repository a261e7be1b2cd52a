#include "compiler/graph/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/float_bits.h"

namespace assay::compiler {
namespace {

using Kind = Term::Kind;

class FormulaRules {
 public:
  FormulaRules(const Formula& formula, const std::vector<DType>& operand_types,
               const std::vector<Shape>& operand_sizes, std::size_t rank)
      : formula_(formula),
        operand_types_(operand_types),
        operand_sizes_(operand_sizes),
        defined_(static_cast<std::size_t>(formula.variables), 0) {
    std::fill_n(defined_.begin(), std::min(rank, defined_.size()), 1);
  }

  // Of the term and all that it needs.
  std::string check(int id) {
    const Term& t = formula_.at(id);
    for (const int a : t.args) {
      if (a < 0 || a >= id) return "an operand that does not stand before it";
    }
    if (t.kind == Kind::fold) return fold(id);
    for (const int a : t.args) {
      if (std::string fault = check(a); !fault.empty()) return fault;
    }
    return own(t);
  }

 private:
  DType dtype(const Term& t, std::size_t i) const {
    return formula_.at(t.args[i]).dtype;
  }

  std::string own(const Term& t) const {
    switch (t.kind) {
      case Kind::number:
        return t.args.empty() ? "" : "a number with operands";
      case Kind::variable:
        return variable(t);
      case Kind::load:
        return load(t);
      case Kind::apply:
        return apply(t);
      case Kind::cast:
        return t.args.size() == 1 ? "" : "a cast of one operand";
      case Kind::choose:
        if (t.args.size() != 3 || dtype(t, 0) != DType::boolean ||
            dtype(t, 1) != t.dtype || dtype(t, 2) != t.dtype) {
          return "a choice by a bool between two of its own dtype";
        }
        return "";
      case Kind::fold:
        break;
    }
    return "";
  }

  std::string variable(const Term& t) const {
    const auto v = static_cast<std::size_t>(t.variable);
    if (t.variable < 0 || v >= defined_.size() || !defined_[v]) {
      return "a variable that nothing defines here";
    }
    return t.dtype == DType::i64 ? "" : "variables are of i64";
  }

  std::string load(const Term& t) const {
    const auto n = static_cast<std::size_t>(t.operand);
    if (t.operand < 0 || n >= operand_types_.size()) return "no such operand";
    if (t.dtype != operand_types_[n]) return "loads another dtype";
    if (t.args.size() != operand_sizes_[n].size()) return "another rank";
    for (std::size_t i = 0; i < t.args.size(); ++i) {
      if (dtype(t, i) != DType::i64) return "indices are of i64";
    }
    return "";
  }

  std::string apply(const Term& t) const {
    const ScalarOpInfo& op = info(t.scalar);
    if (t.args.size() != static_cast<std::size_t>(op.arity)) {
      return "another number of operands";
    }
    for (std::size_t i = 0; i < t.args.size(); ++i) {
      if (dtype(t, i) != dtype(t, 0) || !accepts(op.domain, dtype(t, i))) {
        return fmt::format("{} of {}", op.name, dtype_name(dtype(t, i)));
      }
    }
    return t.dtype == result_of(t.scalar, dtype(t, 0)) ? ""
                                                       : "another result dtype";
  }

  std::string fold(int id) {
    const Term& t = formula_.at(id);
    if (t.args.size() != 1 || dtype(t, 0) != t.dtype) {
      return "a fold of one term of its own dtype";
    }
    if (!accepts(Domain::ordered, t.dtype)) {
      return "accumulates in f64, f32, integers or bool";
    }
    for (const Term::Range& r : t.ranges) {
      for (const int end : {r.from, r.to}) {
        if (end < 0 || end >= id || formula_.at(end).dtype != DType::i64) {
          return "a range without ends";
        }
        if (std::string fault = check(end); !fault.empty()) return fault;
      }
    }
    for (const Term::Range& r : t.ranges) {
      const auto v = static_cast<std::size_t>(r.variable);
      if (r.variable < 0 || v >= defined_.size() || defined_[v]) {
        return "a variable that is another's";
      }
      defined_[v] = 1;
    }
    std::string fault = check(t.args[0]);
    for (const Term::Range& r : t.ranges) {
      defined_[static_cast<std::size_t>(r.variable)] = 0;
    }
    return fault;
  }

  const Formula& formula_;
  const std::vector<DType>& operand_types_;
  const std::vector<Shape>& operand_sizes_;
  std::vector<char> defined_;  // variables, where the check stands
};

std::string number_text(const Term& t) {
  if (is_float(t.dtype)) {
    return fmt::format("{}", decode_float(t.dtype, t.bits));
  }
  return fmt::format("{}", static_cast<std::int64_t>(t.bits));
}

std::string text_of(const Formula& f, int id) {
  const Term& t = f.at(id);
  std::vector<std::string> args;
  for (const int a : t.args) args.push_back(text_of(f, a));
  switch (t.kind) {
    case Kind::number:
      return number_text(t);
    case Kind::variable:
      return fmt::format("i{}", t.variable);
    case Kind::load:
      return fmt::format("a{}[{}]", t.operand, fmt::join(args, ", "));
    case Kind::apply:
      return fmt::format("{}({})", info(t.scalar).name, fmt::join(args, ", "));
    case Kind::cast:
      return fmt::format("{}({})", dtype_name(t.dtype), args[0]);
    case Kind::choose:
      return fmt::format("({} ? {} : {})", args[0], args[1], args[2]);
    case Kind::fold:
      break;
  }
  std::vector<std::string> ranges;
  for (const Term::Range& r : t.ranges) {
    ranges.push_back(fmt::format("i{} from {} to {}", r.variable,
                                 text_of(f, r.from), text_of(f, r.to)));
  }
  return fmt::format("{}({}: {})", combiner_name(t.combiner),
                     fmt::join(ranges, ", "), args[0]);
}

}  // namespace

std::string fault_of(const Formula& formula,
                     const std::vector<DType>& operand_types,
                     const std::vector<Shape>& operand_sizes, DType result,
                     const Shape& sizes) {
  if (formula.terms.empty()) return "no terms";
  if (formula.variables < static_cast<int>(sizes.size())) {
    return "a variable for each dimension is due";
  }
  if (formula.terms.back().dtype != result) return "another result dtype";
  FormulaRules rules(formula, operand_types, operand_sizes, sizes.size());
  return rules.check(static_cast<int>(formula.terms.size()) - 1);
}

std::int64_t work_of(const Formula& formula) {
  std::int64_t work = 1;
  for (const Term& t : formula.terms) {
    for (const Term::Range& r : t.ranges) {
      const Term& from = formula.at(r.from);
      const Term& to = formula.at(r.to);
      if (from.kind != Kind::number || to.kind != Kind::number) continue;
      work *= std::max<std::int64_t>(
          static_cast<std::int64_t>(to.bits - from.bits), 1);
    }
  }
  return work;
}

std::string to_text(const Formula& formula) {
  return text_of(formula, static_cast<int>(formula.terms.size()) - 1);
}

}  // namespace assay::compiler
