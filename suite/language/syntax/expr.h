// Expressions of the spec language as a tree (docs/spec-language.md,
// section 3).
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_EXPR_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_EXPR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "suite/language/functions/functions.h"
#include "suite/language/functions/operators.h"

namespace assay::language {

struct SourcePos {
  int line = 0;  // from 1; 0: not from a file
  int column = 0;
  int file = 0;  // 0: the one that is read; others: what specs share
  bool operator==(const SourcePos&) const = default;
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

// A range of an index: `k < n` (from is null), `k from a to b`, or, for a
// pack, `k... < SHAPE`. In the head of `out` neither bound is given.
struct Binder {
  std::string name;
  bool pack = false;
  ExprPtr from;
  ExprPtr to;
};

// Expressions are immutable: a rewrite makes another one, which may share parts
// with the first.
struct Expr {
  enum class Kind {
    integer,  // integer
    real,     // number; includes inf, nan, pi
    string,   // text
    name,     // text: symbol, parameter, index, definition, dtype
    pack,     // text: a pack's entries, `i...`
    op,       // op, args: two, or one of neg and logical_not
    call,     // function, text: its name, args
    access,   // args[0] indexed by args[1..]: a[i, j], list[n]
    list,     // args
    reduce,   // reduction, binders, args[0]
    fold,  // binders: k < n, and p... from its start; args[0]: what follows p
  };
  Kind kind = Kind::integer;
  Operator op = Operator::add;
  FunctionId function = FunctionId::unknown;
  Reduction reduction = Reduction::sum;
  SourcePos pos;
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  std::vector<ExprPtr> args;
  std::vector<Binder> binders;
  // `inside(a[..], else e)` is a call with args {a[..], e}.

  bool is(Operator o) const { return kind == Kind::op && op == o; }
  bool is(FunctionId f) const { return kind == Kind::call && function == f; }
  bool is(Reduction r) const { return kind == Kind::reduce && reduction == r; }
};

// A literal that stands in no text.
ExprPtr integer_literal(std::int64_t n);

// Does `test` hold for `e` or an expression in it, bounds of ranges among them?
// An expression is asked before its parts, and nothing after the first that
// holds.
template <class Test>
bool any_part(const Expr& e, const Test& test) {
  if (test(e)) return true;
  for (const ExprPtr& arg : e.args) {
    if (any_part(*arg, test)) return true;
  }
  for (const Binder& b : e.binders) {
    if (b.from && any_part(*b.from, test)) return true;
    if (b.to && any_part(*b.to, test)) return true;
  }
  return false;
}

// Visits `e` and every expression in it.
template <class Visit>
void each_part(const Expr& e, const Visit& visit) {
  any_part(e, [&visit](const Expr& part) {
    visit(part);
    return false;
  });
}

// `name[indices] = body`. Binders of `out` have no bounds.
struct Definition {
  std::string name;
  std::vector<Binder> indices;
  ExprPtr body;
  SourcePos pos;
};

// The text of an expression, fully parenthesised only where needed.
std::string to_string(const Expr& e);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_EXPR_H_
