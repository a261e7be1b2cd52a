#include "suite/static_operators.h"

#include <cmath>
#include <limits>

namespace assay {
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

Operand whole(const Expr& e, std::int64_t i, std::int64_t j) {
  std::int64_t out = 0;
  bool bad = false;
  if (e.text == "+") {
    bad = __builtin_add_overflow(i, j, &out);
  } else if (e.text == "-") {
    bad = __builtin_sub_overflow(i, j, &out);
  } else if (e.text == "*") {
    bad = __builtin_mul_overflow(i, j, &out);
  } else {
    if (j == 0)
      throw EvaluationStop{"division by zero in '" + to_string(e) + "'"};
    if (j == -1) {
      bad = __builtin_sub_overflow(std::int64_t{0}, i, &out);
      if (e.text == "%") {
        out = 0;
        bad = false;
      }
    } else {
      const std::int64_t q = i / j;
      const std::int64_t r = i % j;
      const bool down = r != 0 && (r < 0) != (j < 0);
      if (e.text == "/" && r != 0) {
        return static_cast<double>(i) / static_cast<double>(j);
      }
      out = e.text == "%" ? (down ? r + j : r) : (down ? q - 1 : q);
    }
  }
  if (bad) overflow(e);
  return out;
}

}  // namespace

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

Operand negate(const Expr& e, const Operand& a) {
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

bool ordered(const std::string& op, const Operand& a, const Operand& b) {
  const auto decide = [&op](auto x, auto y) {
    if (op == "<") return x < y;
    if (op == "<=") return x <= y;
    if (op == ">") return x > y;
    return x >= y;
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

Operand arithmetic(const Expr& e, const Operand& a, const Operand& b) {
  const auto i = integer_of(a);
  const auto j = integer_of(b);
  if (i && j) return whole(e, *i, *j);
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (!x || !y) {
    throw EvaluationStop{"'" + e.text + "' cannot combine " + describe(a) +
                         " and " + describe(b)};
  }
  if (e.text == "+") return *x + *y;
  if (e.text == "-") return *x - *y;
  if (e.text == "*") return *x * *y;
  if (e.text == "/") return *x / *y;
  throw EvaluationStop{"'" + e.text + "' needs integers, found " + describe(a) +
                       " and " + describe(b)};
}

}  // namespace assay
