// The text of an expression, with the parentheses that it needs and no more:
// parsing it again gives the same tree.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

#include "suite/language/syntax/expr.h"

namespace assay::language {
namespace {

enum Level { kOr, kAnd, kNot, kCompare, kAdd, kMultiply, kUnary, kPrimary };

Level level(const Expr& e) {
  if (e.kind != Expr::Kind::op) return kPrimary;
  switch (e.op) {
    case Operator::logical_or:
      return kOr;
    case Operator::logical_and:
      return kAnd;
    case Operator::logical_not:
      return kNot;
    case Operator::neg:
      return kUnary;
    case Operator::add:
    case Operator::sub:
      return kAdd;
    case Operator::mul:
    case Operator::div:
    case Operator::floor_div:
    case Operator::mod:
      return kMultiply;
    default:
      return kCompare;
  }
}

std::string print(const Expr& e, int least);

std::string join(const std::vector<ExprPtr>& args, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < args.size(); ++i) {
    out += (i > from ? ", " : "") + print(*args[i], kOr);
  }
  return out;
}

std::string real_text(const Expr& e) {
  if (!e.text.empty()) return e.text;
  if (std::isnan(e.number)) return "nan";
  if (std::isinf(e.number)) return "inf";
  char buffer[64];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, e.number);
  std::string out(buffer, r.ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string binder_text(const Binder& b) {
  std::string out = b.name + (b.pack ? "..." : "");
  if (b.from) {
    return out + " from " + print(*b.from, kAdd) + " to " + print(*b.to, kAdd);
  }
  return b.to ? out + " < " + print(*b.to, kAdd) : out;
}

std::string operation(const Expr& e) {
  const Level own = level(e);
  if (e.op == Operator::neg) return "-" + print(*e.args[0], kUnary);
  if (e.op == Operator::logical_not) return "not " + print(*e.args[0], kNot);
  // Comparisons do not associate, the others do to the left.
  const int left = own == kCompare ? kAdd : own;
  return fmt::format("{} {} {}", print(*e.args[0], left), spelling(e.op),
                     print(*e.args[1], own + 1));
}

std::string plain(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::integer:
      return std::to_string(e.integer);
    case Expr::Kind::real:
      return real_text(e);
    case Expr::Kind::string: {
      const char quote = e.text.find('\'') == std::string::npos ? '\'' : '"';
      return quote + e.text + quote;
    }
    case Expr::Kind::name:
      return e.text;
    case Expr::Kind::pack:
      return e.text + "...";
    case Expr::Kind::op:
      return operation(e);
    case Expr::Kind::call:
      if (e.is(FunctionId::inside)) {
        return "inside(" + print(*e.args[0], kOr) + ", else " +
               print(*e.args[1], kOr) + ")";
      }
      return e.text + "(" + join(e.args, 0) + ")";
    case Expr::Kind::access:
      return print(*e.args[0], kPrimary) + "[" + join(e.args, 1) + "]";
    case Expr::Kind::list:
      return "[" + join(e.args, 0) + "]";
    case Expr::Kind::fold:
      return "fold(" + binder_text(e.binders[0]) + ", " + e.binders[1].name +
             "... = " + print(*e.binders[1].from, kOr) + ": " +
             print(*e.args[0], kOr) + ")";
    case Expr::Kind::reduce: {
      std::string out = std::string(reduction_name(e.reduction)) + "(";
      for (std::size_t i = 0; i < e.binders.size(); ++i) {
        out += (i ? ", " : "") + binder_text(e.binders[i]);
      }
      return out + ": " + print(*e.args[0], kOr) + ")";
    }
  }
  return "?";
}

std::string print(const Expr& e, int least) {
  std::string text = plain(e);
  return level(e) < least ? "(" + text + ")" : text;
}

}  // namespace

std::string to_string(const Expr& e) { return print(e, kOr); }

ExprPtr integer_literal(std::int64_t n) {
  auto e = std::make_shared<Expr>();
  e->kind = Expr::Kind::integer;
  e->integer = n;
  e->number = static_cast<double>(n);
  return e;
}

}  // namespace assay::language
