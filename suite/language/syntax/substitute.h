// Expressions rewritten: copies in which parts are replaced. What does not
// change is shared with the original.
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_SUBSTITUTE_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_SUBSTITUTE_H_

#include <map>
#include <set>
#include <string>

#include "suite/language/syntax/expr.h"

namespace assay::language {

// `replace` gives what is put in a part's place, or null to go on inside the
// part. The order is from outside in; replacements are not visited.
template <class Replace>
ExprPtr rewritten(const ExprPtr& e, const Replace& replace) {
  if (!e) return e;
  if (ExprPtr other = replace(*e)) return other;
  Expr copy = *e;
  bool changed = false;
  const auto part = [&](ExprPtr* p) {
    ExprPtr other = rewritten(*p, replace);
    changed = changed || other != *p;
    *p = std::move(other);
  };
  for (ExprPtr& arg : copy.args) part(&arg);
  for (Binder& b : copy.binders) {
    part(&b.from);
    part(&b.to);
  }
  return changed ? std::make_shared<const Expr>(std::move(copy)) : e;
}

// Names and packs by what stands in their place.
using Substitution = std::map<std::string, ExprPtr>;
ExprPtr substitute(const ExprPtr& e, const Substitution& by);

// The names in an expression, except its own indices.
std::set<std::string> free_names(const Expr& e);
// The indices that its reductions bind.
std::set<std::string> bound_names(const Expr& e);
// An index that a reduction of `body` binds and that is free in what is put
// into it, where it would change its meaning; empty if there is none.
std::string captured_name(const Expr& body, const Substitution& by);

// A fold of `n` steps written out: each step replaces the pack by the result so
// far. Null where that gets too long.
ExprPtr unrolled(const Expr& fold, std::int64_t n);

// Is it short and flat enough to recurse over? Substitution can double
// an expression's length in every step.
bool is_manageable(const Expr& e);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_SUBSTITUTE_H_
