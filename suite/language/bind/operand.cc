#include "suite/language/bind/operand.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/integer_math.h"
#include "core/text.h"

namespace assay::language {
namespace {

// bool < int < float where both are names of categories.
std::optional<int> category_rank(const Operand& v) {
  if (const auto* t = std::get_if<DType>(&v)) {
    if (*t == DType::boolean) return 0;
  }
  if (const auto* s = std::get_if<std::string>(&v)) {
    if (*s == "bool") return 0;
    if (*s == "int") return 1;
    if (*s == "float") return 2;
  }
  return std::nullopt;
}

[[noreturn]] void overflow(const Expr& e) {
  throw EvaluationStop{"'" + to_string(e) + "' does not fit 64 bits"};
}

Operand whole(Operator op, std::int64_t i, std::int64_t j, const Expr& e) {
  std::int64_t out = 0;
  switch (op) {
    case Operator::add:
      if (__builtin_add_overflow(i, j, &out)) overflow(e);
      return out;
    case Operator::sub:
      if (__builtin_sub_overflow(i, j, &out)) overflow(e);
      return out;
    case Operator::mul:
      if (__builtin_mul_overflow(i, j, &out)) overflow(e);
      return out;
    default:
      break;
  }
  if (j == 0) {
    throw EvaluationStop{"division by zero in '" + to_string(e) + "'"};
  }
  if (op == Operator::mod) return floor_mod(i, j);
  if (j == -1 && i == std::numeric_limits<std::int64_t>::min()) overflow(e);
  if (op == Operator::div && i % j != 0) {
    return static_cast<double>(i) / static_cast<double>(j);
  }
  return floor_div(i, j);
}

}  // namespace

std::string describe(const Operand& value) {
  struct Visitor {
    std::string operator()(None) const { return "none"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const {
      return "the integer " + std::to_string(i);
    }
    std::string operator()(double d) const {
      return "the number " + std::to_string(d);
    }
    std::string operator()(DType t) const {
      return "the dtype " + std::string(dtype_name(t));
    }
    std::string operator()(const std::string& s) const {
      return "the string '" + s + "'";
    }
    std::string operator()(const Shape& s) const {
      return "the shape " + shape_text(s);
    }
    std::string operator()(const TensorArg*) const { return "a tensor"; }
    std::string operator()(const std::vector<TensorArg>*) const {
      return "a list of tensors";
    }
    std::string operator()(const Numbers*) const { return "a list of numbers"; }
  };
  return std::visit(Visitor{}, value);
}

std::optional<double> number_of(const Operand& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) {
    return static_cast<double>(*i);
  }
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  if (const auto* d = std::get_if<double>(&v)) return *d;
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const Operand& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) return *i;
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  return std::nullopt;
}

std::optional<std::int64_t> whole_of(const Operand& v) {
  if (const auto i = integer_of(v)) return i;
  const auto d = number_of(v);
  if (d && std::trunc(*d) == *d && std::abs(*d) < 0x1p62) {
    return static_cast<std::int64_t>(*d);
  }
  return std::nullopt;
}

Operand negate(const Operand& a, const Expr& e) {
  if (const auto i = integer_of(a)) {
    if (*i == std::numeric_limits<std::int64_t>::min()) overflow(e);
    return -*i;
  }
  if (const auto d = number_of(a)) return -*d;
  throw EvaluationStop{"cannot negate " + describe(a)};
}

bool equal_operands(const Operand& a, const Operand& b) {
  const auto i = integer_of(a);
  const auto j = integer_of(b);
  if (i && j) return *i == *j;
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (x && y) return *x == *y;
  if (std::holds_alternative<std::string>(a) !=
      std::holds_alternative<std::string>(b)) {
    // category(a) == bool: the dtype's name is the category's.
    const auto p = category_rank(a);
    const auto q = category_rank(b);
    return p && q && *p == *q;
  }
  return a == b;
}

bool ordered(Operator op, const Operand& a, const Operand& b) {
  const auto decide = [op](auto x, auto y) {
    switch (op) {
      case Operator::lt:
        return x < y;
      case Operator::le:
        return x <= y;
      case Operator::gt:
        return x > y;
      default:
        return x >= y;
    }
  };
  const auto i = integer_of(a);
  const auto j = integer_of(b);
  if (i && j) return decide(*i, *j);
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (x && y) return decide(*x, *y);
  const auto p = category_rank(a);
  const auto q = category_rank(b);
  if (p && q) return decide(*p, *q);
  throw EvaluationStop{"cannot order " + describe(a) + " and " + describe(b)};
}

Operand arithmetic(Operator op, const Operand& a, const Operand& b,
                   const Expr& e) {
  const auto i = integer_of(a);
  const auto j = integer_of(b);
  if (i && j) return whole(op, *i, *j, e);
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (!x || !y) {
    throw EvaluationStop{fmt::format("'{}' cannot combine {} and {}",
                                     spelling(op), describe(a), describe(b))};
  }
  switch (op) {
    case Operator::add:
      return *x + *y;
    case Operator::sub:
      return *x - *y;
    case Operator::mul:
      return *x * *y;
    case Operator::div:
      return *x / *y;
    default:
      throw EvaluationStop{fmt::format("'{}' needs integers, found {} and {}",
                                       spelling(op), describe(a), describe(b))};
  }
}

}  // namespace assay::language
