// Calls of functions and accesses of elements: arity, kinds of arguments,
// number of indices.
#include <algorithm>

#include "suite/check_expr.h"
#include "suite/suggest.h"

namespace assay {

using K = ValueKind;

void ExprChecker::argument(const Expr& call, std::size_t n, char letter,
                           K found) {
  const auto is = [found](std::initializer_list<K> kinds) {
    return found == K::any ||
           std::find(kinds.begin(), kinds.end(), found) != kinds.end();
  };
  bool good = true;
  const char* expected = "";
  switch (letter) {
    case 'n':
      good = is({K::number, K::integer});
      expected = "a number";
      break;
    case 'i':
      good = is({K::number, K::integer});
      expected = "an integer";
      break;
    case 'o':
      good = is({K::number, K::integer, K::none});
      expected = "an integer or none";
      break;
    case 'd':
      good = is({K::dtype});
      expected = "a dtype";
      break;
    case 's':
      good = is({K::shape});
      expected = "a shape, a pack or a list of integers";
      break;
    case 'q':
      good = is({K::shape, K::none});
      expected = "a list of integers or none";
      break;
    case 'w':
    case 'm':
      good = is({K::number, K::integer, K::shape});
      expected = "a number or a list of integers";
      break;
    case 'v':
      good = is({K::shape, K::tensors});
      expected = "a list";
      break;
    case 't':
      good = is({K::tensor});
      expected = "a tensor";
      break;
    case 'l':
      good = is({K::tensors});
      expected = "a list of tensors";
      break;
    case 'b':
      good = is({K::boolean});
      expected = "a truth value";
      break;
    case 'c':
      good = found != K::string && found != K::shape;
      expected = "a parameter or a dtype";
      break;
    case 'p':
      good = call.args[n]->kind == Expr::Kind::name ||
             call.args[n]->kind == Expr::Kind::access;
      expected = "a parameter";
      break;
    default:
      break;
  }
  if (good) return;
  std::string hint;
  if (found == K::tensor && letter == 'n') {
    hint = "; index it, as in " + to_string(*call.args[n]) + "[i...]";
  }
  if (found == K::tensor && letter == 'd') {
    hint = "; write dtype(" + to_string(*call.args[n]) + ")";
  }
  if (found == K::tensor && letter == 's') {
    hint = "; write shape(" + to_string(*call.args[n]) + ")";
  }
  fail(call.args[n]->pos, "argument " + std::to_string(n + 1) + " of " +
                              call.text + " must be " + expected + ", " +
                              quote(*call.args[n]) + " is " + kind_name(found) +
                              hint);
}

K ExprChecker::call(const Expr& e, bool is_static) {
  const Function* f = find_function(e.text);
  std::vector<K> kinds;
  if (f == nullptr) {
    std::vector<std::string> names;
    for (const Function& known : functions()) names.emplace_back(known.name);
    fail(e.pos,
         "unknown function '" + e.text + "'" + did_you_mean(e.text, names));
    for (const ExprPtr& a : e.args) check(*a, is_static);
    return K::any;
  }
  if (!accepts_arity(*f, e.args.size())) {
    fail(e.pos, e.text + " takes other arguments, " + std::string(f->usage) +
                    "; found " + std::to_string(e.args.size()));
    for (const ExprPtr& a : e.args) check(*a, is_static);
    return f->result;
  }
  if (is_static && !f->in_static) {
    fail(e.pos, e.text +
                    " works on elements only and cannot stand in a "
                    "static expression");
  }
  if (e.text == "inside" && e.args[0]->kind != Expr::Kind::access) {
    fail(e.args[0]->pos, "inside needs an element, inside(a[i], else 0)");
  }
  for (std::size_t n = 0; n < e.args.size(); ++n) {
    const char letter = argument_letter(*f, n);
    const std::size_t before = faults_->size();
    const K k = check(*e.args[n], is_static);
    if (faults_->size() == before) argument(e, n, letter, k);
    kinds.push_back(k);
  }
  if (e.text == "where") {
    const K a = kinds[1];
    const K b = kinds[2];
    if (a == b || b == K::any || b == K::none) return a;
    if (a == K::any || a == K::none) return b;
    if (is_numeric(a) && is_numeric(b)) return K::number;
    return fail(e.pos, std::string("where chooses between ") + kind_name(a) +
                           " and " + kind_name(b));
  }
  if (e.text == "wrap") return kinds[0];
  if (e.text == "max" || e.text == "min" || e.text == "abs") {
    const bool whole = std::all_of(kinds.begin(), kinds.end(), [](K k) {
      return k == K::integer || k == K::shape;
    });
    return whole ? K::integer : K::number;
  }
  return f->result;
}

bool ExprChecker::indices(const Expr& e, bool is_static) {
  bool single = true;
  for (std::size_t i = 1; i < e.args.size(); ++i) {
    const K k = check(*e.args[i], is_static);
    if (k == K::shape || k == K::any) {
      single = false;
    } else if (!is_numeric(k)) {
      fail(e.args[i]->pos, "an index must be an integer or a pack, " +
                               quote(*e.args[i]) + " is " + kind_name(k));
      single = false;
    }
  }
  return single;
}

K ExprChecker::element(const Expr& e, const std::string& tensor,
                       std::size_t given, bool single) {
  const Param* p = names_.op ? names_.op->param(tensor) : nullptr;
  if (p == nullptr || !single || p->scalar || names_.form == nullptr) {
    return K::number;
  }
  const ShapePattern* pattern = pattern_of(*p, names_.form);
  if (pattern == nullptr) return K::number;
  const bool has_pack = std::any_of(pattern->begin(), pattern->end(),
                                    [](const DimPattern& d) { return d.pack; });
  if (!has_pack && pattern->size() != given) {
    fail(e.pos, "'" + tensor + "' has " + std::to_string(pattern->size()) +
                    " dimensions, found " + std::to_string(given) + " indices");
  }
  return K::number;
}

K ExprChecker::access(const Expr& e, bool is_static) {
  const Expr& base = *e.args[0];
  const std::size_t given = e.args.size() - 1;
  if (base.kind == Expr::Kind::name && !names_.indices.contains(base.text) &&
      (names_.op == nullptr || names_.op->param(base.text) == nullptr)) {
    const auto it = names_.definitions.find(base.text);
    if (it != names_.definitions.end()) {
      used_.insert(base.text);
      const bool single = indices(e, is_static);
      const std::vector<Binder>& own = it->second->indices;
      const bool has_pack = std::any_of(own.begin(), own.end(),
                                        [](const Binder& b) { return b.pack; });
      if (single && !has_pack && own.size() != given) {
        fail(e.pos, "definition '" + base.text + "' has " +
                        std::to_string(own.size()) + " indices, found " +
                        std::to_string(given));
      }
      return K::number;
    }
  }
  const std::size_t before = faults_->size();
  const K k = check(base, is_static);
  const bool single = indices(e, is_static);
  if (k == K::any) return K::any;
  if (faults_->size() != before) {
    return k == K::tensors ? K::tensor : K::number;
  }
  const bool one = given == 1 && single;
  switch (k) {
    case K::tensor:
      if (base.kind == Expr::Kind::call && base.text == "flat" && !one) {
        fail(e.pos, "flat(x) takes one position, flat(x)[n]");
      }
      return base.kind == Expr::Kind::name
                 ? element(e, base.text, given, single)
                 : K::number;
    case K::tensors:
      if (!one) fail(e.pos, "a list takes one index, list[n]");
      return K::tensor;
    case K::shape:
      if (!one) fail(e.pos, "a shape takes one index, s[n]");
      return K::integer;
    default:
      return fail(e.pos, "only tensors, lists and definitions have elements, " +
                             quote(base) + " is " + kind_name(k));
  }
}

}  // namespace assay
