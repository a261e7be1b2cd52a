#include "suite/language/syntax/substitute.h"

#include <algorithm>

namespace assay::language {
namespace {

constexpr int kMaxNodes = 10'000;
constexpr int kMaxDepth = 2'000;
constexpr std::int64_t kMaxSteps = 1'000;  // of a fold

bool is_named(const Expr& e) {
  return e.kind == Expr::Kind::name || e.kind == Expr::Kind::pack;
}

void add_free(const Expr& e, std::set<std::string> bound,
              std::set<std::string>* out) {
  if (is_named(e) && !bound.contains(e.text)) out->insert(e.text);
  for (const Binder& b : e.binders) {
    if (b.from) add_free(*b.from, bound, out);
    if (b.to) add_free(*b.to, bound, out);
    bound.insert(b.name);
  }
  for (const ExprPtr& arg : e.args) add_free(*arg, bound, out);
}

bool count(const Expr& e, int depth, int* nodes) {
  if (++*nodes > kMaxNodes || depth > kMaxDepth) return false;
  const auto fits = [&](const ExprPtr& p) {
    return !p || count(*p, depth + 1, nodes);
  };
  return std::all_of(e.args.begin(), e.args.end(), fits) &&
         std::all_of(
             e.binders.begin(), e.binders.end(),
             [&fits](const Binder& b) { return fits(b.from) && fits(b.to); });
}

}  // namespace

ExprPtr substitute(const ExprPtr& e, const Substitution& by) {
  return rewritten(e, [&by](const Expr& part) -> ExprPtr {
    if (!is_named(part)) return nullptr;
    const auto it = by.find(part.text);
    return it == by.end() ? nullptr : it->second;
  });
}

std::set<std::string> free_names(const Expr& e) {
  std::set<std::string> out;
  add_free(e, {}, &out);
  return out;
}

std::set<std::string> bound_names(const Expr& e) {
  std::set<std::string> out;
  each_part(e, [&out](const Expr& part) {
    for (const Binder& b : part.binders) out.insert(b.name);
  });
  return out;
}

std::string captured_name(const Expr& body, const Substitution& by) {
  const std::set<std::string> bound = bound_names(body);
  for (const auto& [name, arg] : by) {
    for (const std::string& free : free_names(*arg)) {
      if (bound.contains(free)) return free;
    }
  }
  return "";
}

bool is_manageable(const Expr& e) {
  int nodes = 0;
  return count(e, 0, &nodes);
}

ExprPtr unrolled(const Expr& fold, std::int64_t n) {
  if (n > kMaxSteps) return nullptr;
  ExprPtr out = fold.binders[1].from;
  for (std::int64_t k = 0; k < n && out; ++k) {
    out = substitute(fold.args[0], {{fold.binders[0].name, integer_literal(k)},
                                    {fold.binders[1].name, out}});
    if (!is_manageable(*out)) out.reset();
  }
  return out;
}

}  // namespace assay::language
