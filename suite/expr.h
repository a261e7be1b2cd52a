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

// Visits `e` and every expression in it, bounds of ranges among them, an
// expression before its parts.
template <class Visit>
void each_part(const Expr& e, const Visit& visit) {
  visit(e);
  for (const ExprPtr& arg : e.args) each_part(*arg, visit);
  for (const Binder& b : e.binders) {
    if (b.from) each_part(*b.from, visit);
    if (b.to) each_part(*b.to, visit);
  }
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
