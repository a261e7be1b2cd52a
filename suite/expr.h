// Expressions of the spec language as a tree (docs/spec-language.md, 2).
#ifndef ASSAY_SUITE_EXPR_H_
#define ASSAY_SUITE_EXPR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay {

struct SourcePos {
  int line = 0;  // from 1; 0: not from a file
  int column = 0;
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

struct Expr {
  enum class Kind {
    integer,  // integer
    real,     // number; includes inf, nan, pi
    string,   // text
    name,     // text: symbol, parameter, index, definition, dtype
    pack,     // text: a pack's entries, `i...`
    op,       // text: + - * / // % neg not and or == != < <= > >= in
    call,     // text: function; args
    access,   // args[0] indexed by args[1..]: a[i, j], list[n]
    list,     // args
    reduce,   // text: sum prod max min mean any all count; binders, args[0]
  };
  Kind kind = Kind::integer;
  SourcePos pos;
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  std::vector<ExprPtr> args;
  std::vector<Binder> binders;
  // `inside(a[..], else e)` is the call "inside" with args {a[..], e}.
};

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

}  // namespace assay

#endif  // ASSAY_SUITE_EXPR_H_
