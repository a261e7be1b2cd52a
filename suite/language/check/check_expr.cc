#include "suite/language/check/check_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "suite/language/check/arguments.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

using K = ValueKind;

K kind_of(const Param& p) {
  switch (p.kind) {
    case Param::Kind::tensor:
      return K::tensor;
    case Param::Kind::tensors:
      return K::tensors;
    case Param::Kind::number:
      return K::number;
    case Param::Kind::integer:
      return K::integer;
    case Param::Kind::integers:
      return K::shape;
    case Param::Kind::numbers:
      return K::numbers;
    case Param::Kind::boolean:
      return K::boolean;
    case Param::Kind::dtype:
      return K::dtype;
    case Param::Kind::string:
      return K::string;
  }
  return K::any;
}

// Dimension symbol `name` of a form's operands: is it a pack?
std::optional<bool> dimension(const Names& names, const std::string& name) {
  if (names.op == nullptr || names.form == nullptr) return std::nullopt;
  for (const Param& p : names.op->params) {
    const ShapePattern* pattern = pattern_of(p, names.form);
    if (pattern == nullptr) continue;
    for (const DimPattern& d : *pattern) {
      if (!d.symbol.empty() && d.symbol == name) return d.pack;
    }
  }
  return std::nullopt;
}

bool is_dimension_of_any(const OpSpec* op, const std::string& name) {
  if (op == nullptr) return false;
  const auto names = [&name](const ShapePattern& pattern) {
    return std::any_of(
        pattern.begin(), pattern.end(),
        [&name](const DimPattern& d) { return d.symbol == name; });
  };
  for (const Param& p : op->params) {
    if (p.shape && names(*p.shape)) return true;
  }
  for (const Form& f : op->forms) {
    for (const auto& s : f.shapes) {
      if (names(s.second)) return true;
    }
  }
  return false;
}

}  // namespace

bool is_numeric(ValueKind k) {
  return k == K::number || k == K::integer || k == K::any;
}

std::string quote(const Expr& e) {
  std::string s = to_string(e);
  if (s.size() > 40) s = s.substr(0, 37) + "...";
  return "'" + s + "'";
}

const ShapePattern* pattern_of(const Param& p, const Form* form) {
  if (form != nullptr) {
    const auto it = form->shapes.find(p.name);
    if (it != form->shapes.end()) return &it->second;
  }
  return p.shape ? &*p.shape : nullptr;
}

ExprChecker::ExprChecker(const Names& names, Faults* faults)
    : names_(names), faults_(faults) {}

K ExprChecker::fail(SourcePos pos, std::string message) {
  faults_->push_back({pos, std::move(message)});
  return K::any;
}

K ExprChecker::check(const Expr& e, bool is_static) {
  switch (e.kind) {
    case Expr::Kind::integer:
      return K::integer;
    case Expr::Kind::real:
      return K::number;
    case Expr::Kind::string:
      return K::string;
    case Expr::Kind::name:
      return name(e);
    case Expr::Kind::pack:
      return pack(e);
    case Expr::Kind::op:
      return operation(e, is_static);
    case Expr::Kind::call:
      return call(e, is_static);
    case Expr::Kind::access:
      return access(e, is_static);
    case Expr::Kind::list:
      return list(e, is_static);
    case Expr::Kind::reduce:
      return reduce(e, is_static);
    case Expr::Kind::fold:
      return fold(e, is_static);
  }
  return K::any;
}

void ExprChecker::expect(const Expr& e, K expected, bool is_static,
                         std::string_view what) {
  const K found = check(e, is_static);
  if (found == expected || found == K::any) return;
  if (expected == K::number && found == K::integer) return;
  // An element, say, whose value cannot be told to be whole.
  if (expected == K::integer && found == K::number) return;
  std::string hint;
  if (found == K::tensor) hint = "; index it, as in x[i...]";
  fail(e.pos, std::string(what) + " must be " + kind_name(expected) + ", " +
                  quote(e) + " is " + kind_name(found) + hint);
}

std::vector<std::string> ExprChecker::known_names() const {
  std::vector<std::string> out;
  for (const auto& i : names_.indices) out.push_back(i.first);
  for (const auto& d : names_.definitions) out.push_back(d.first);
  out.insert(out.end(), names_.outputs.begin(), names_.outputs.end());
  if (!names_.member.empty()) out.push_back(names_.member);
  if (names_.op != nullptr) {
    for (const Param& p : names_.op->params) {
      out.push_back(p.name);
      const ShapePattern* pattern =
          names_.form ? pattern_of(p, names_.form) : nullptr;
      if (pattern == nullptr) continue;
      for (const DimPattern& d : *pattern) {
        if (!d.symbol.empty()) out.push_back(d.symbol);
      }
    }
    for (const auto& d : names_.op->dtypes) out.push_back(d.first);
  }
  for (const std::string& t : dtype_names()) out.push_back(t);
  return out;
}

K ExprChecker::symbol(const Expr& e, bool* found) {
  *found = true;
  if (const auto it = names_.indices.find(e.text); it != names_.indices.end()) {
    if (!it->second) return K::integer;
    return fail(e.pos, "'" + e.text + "' is a pack of indices; write " +
                           e.text + "...");
  }
  if (names_.op != nullptr) {
    if (const Param* p = names_.op->param(e.text)) return kind_of(*p);
    // One that is not declared is a fault of its parameter.
    const bool of_param =
        std::any_of(names_.op->params.begin(), names_.op->params.end(),
                    [&e](const Param& p) { return p.dtype_symbol == e.text; });
    if (of_param || names_.op->dtypes.contains(e.text)) return K::dtype;
  }
  if (names_.outputs.contains(e.text)) return K::tensor;
  if (!names_.member.empty() && names_.member == e.text) return K::integer;
  if (const auto pack = dimension(names_, e.text)) {
    return *pack ? K::shape : K::integer;
  }
  *found = false;
  return K::any;
}

K ExprChecker::name(const Expr& e) {
  used_names_.insert(e.text);
  bool found = false;
  const K kind = symbol(e, &found);
  if (found) return kind;
  if (const auto it = names_.definitions.find(e.text);
      it != names_.definitions.end()) {
    used_.insert(e.text);
    return fail(e.pos, "'" + e.text + "' is a definition; index it, as in " +
                           e.text +
                           (it->second->indices.empty() ? "[]" : "[i]"));
  }
  if (parse_dtype(e.text)) return K::dtype;
  if (e.text == "true" || e.text == "false") return K::boolean;
  if (e.text == "none") return K::none;
  if (e.text == "int" || e.text == "float") return K::string;
  if (is_dimension_of_any(names_.op, e.text)) {
    return fail(e.pos, "dimension symbol '" + e.text +
                           "' is not known here, where shapes may still be "
                           "wrong; write dim(x, d)");
  }
  const FunctionId f = find_function(e.text);
  const bool known = f != FunctionId::unknown;
  if (known || find_reduction(e.text)) {
    return fail(e.pos,
                "'" + e.text + "' is a function; call it, " +
                    (known ? usage(function(f)) : e.text + "(k < K: x[k])"));
  }
  return fail(e.pos, "unknown name '" + e.text + "'" +
                         did_you_mean(e.text, known_names()));
}

K ExprChecker::pack(const Expr& e) {
  used_names_.insert(e.text);
  if (const auto it = names_.indices.find(e.text); it != names_.indices.end()) {
    if (it->second) return K::shape;
    return fail(e.pos, "'" + e.text +
                           "' is a single index; write it "
                           "without '...'");
  }
  if (const auto pack = dimension(names_, e.text)) {
    if (*pack) return K::shape;
    return fail(e.pos, "'" + e.text +
                           "' is one dimension; write it without "
                           "'...'");
  }
  if (names_.op != nullptr) {
    const Param* p = names_.op->param(e.text);
    if (p != nullptr && p->kind == Param::Kind::integers) return K::shape;
  }
  if (is_dimension_of_any(names_.op, e.text)) {
    return fail(e.pos, "pack '" + e.text +
                           "...' is not known here, where "
                           "shapes may still be wrong; write shape(x)");
  }
  return fail(e.pos, "unknown pack '" + e.text + "...'" +
                         did_you_mean(e.text, known_names()));
}

K ExprChecker::operation(const Expr& e, bool is_static) {
  switch (e.op) {
    case Operator::logical_and:
    case Operator::logical_or:
    case Operator::logical_not:
      for (const ExprPtr& a : e.args) {
        expect(*a, K::boolean, is_static,
               fmt::format("an operand of '{}'", spelling(e.op)));
      }
      return K::boolean;
    case Operator::in:
      return member(e, is_static);
    default:
      break;
  }
  if (comparison_of(e.op)) return comparison(e, is_static);
  bool whole = true;
  const bool integral = e.op == Operator::floor_div || e.op == Operator::mod;
  for (const ExprPtr& a : e.args) {
    const K k = check(*a, is_static);
    whole = whole && k == K::integer;
    if (is_numeric(k)) continue;
    std::string hint;
    if (k == K::tensor) hint = "; index it, as in " + to_string(*a) + "[i...]";
    if (k == K::boolean) hint = "; write where(condition, 1, 0)";
    fail(a->pos,
         fmt::format("an operand of '{}' must be {}, {} is {}{}",
                     spelling(e.op), integral ? "an integer" : "a number",
                     quote(*a), kind_name(k), hint));
  }
  if (integral) return K::integer;
  return whole && e.op != Operator::div ? K::integer : K::number;
}

K ExprChecker::comparison(const Expr& e, bool is_static) {
  const K a = check(*e.args[0], is_static);
  const K b = check(*e.args[1], is_static);
  if (a == K::any || b == K::any) return K::boolean;
  if (a == K::none || b == K::none) {
    fail(e.pos, "nothing equals none; write given(x) or not given(x)");
    return K::boolean;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if ((i == 0 ? a : b) != K::tensor) continue;
    fail(e.args[i]->pos, "a tensor cannot be compared; index " +
                             quote(*e.args[i]) + ", as in " +
                             to_string(*e.args[i]) + "[i...]");
    return K::boolean;
  }
  const auto group = [](K k) {
    return k == K::integer || k == K::boolean ? K::number : k;
  };
  const bool category = (a == K::string && b == K::dtype) ||
                        (a == K::dtype && b == K::string) ||
                        (a == K::string && b == K::string);
  if (orders(e.op)
          ? !(group(a) == K::number && group(b) == K::number) && !category
          : group(a) != group(b) && !category) {
    fail(e.pos, fmt::format("'{}' cannot compare {} with {}", spelling(e.op),
                            kind_name(a), kind_name(b)));
  }
  return K::boolean;
}

K ExprChecker::member(const Expr& e, bool is_static) {
  const K a = check(*e.args[0], is_static);
  const Expr& set = *e.args[1];
  if (set.kind != Expr::Kind::list) {
    expect(set, K::shape, is_static, "what follows 'in'");
    return K::boolean;
  }
  if (set.args.empty()) fail(set.pos, "nothing is in an empty list");
  for (const ExprPtr& item : set.args) {
    const K k = check(*item, is_static);
    const bool same = k == a || k == K::any || a == K::any ||
                      (is_numeric(k) && is_numeric(a)) ||
                      (a == K::string && k == K::dtype);
    if (!same) {
      fail(item->pos, quote(*item) + " is " + kind_name(k) + ", but " +
                          quote(*e.args[0]) + " is " + kind_name(a));
    }
  }
  return K::boolean;
}

K ExprChecker::list(const Expr& e, bool is_static) {
  for (const ExprPtr& item : e.args) {
    const K k = check(*item, is_static);
    if (is_numeric(k) || k == K::shape) continue;
    fail(item->pos, "a list holds integers and packs, " + quote(*item) +
                        " is " + kind_name(k));
  }
  return K::shape;
}

void ExprChecker::enter(const std::vector<Binder>& binders, SourcePos pos) {
  for (const Binder& b : binders) {
    if (b.from) expect(*b.from, K::integer, true, "the start of a range");
    if (b.to) {
      expect(*b.to, b.pack ? K::shape : K::integer, true,
             b.pack ? "the range of a pack" : "the end of a range");
    }
    Expr probe;
    probe.kind = Expr::Kind::name;
    probe.text = b.name;
    bool taken = names_.indices.contains(b.name);
    if (!taken) {
      Faults ignored;
      symbol(probe, &taken);
    }
    if (taken || names_.definitions.contains(b.name) || b.name == "out" ||
        parse_dtype(b.name)) {
      fail(pos, "index '" + b.name +
                    "' has a name that is already in use; "
                    "choose another one");
    }
    names_.indices[b.name] = b.pack;
  }
}

void ExprChecker::leave(const std::vector<Binder>& binders) {
  for (const Binder& b : binders) names_.indices.erase(b.name);
}

K ExprChecker::fold(const Expr& e, bool is_static) {
  const std::map<std::string, bool> outer = names_.indices;
  expect(*e.binders[1].from, K::shape, is_static, "the start of a fold");
  Binder pack = e.binders[1];
  pack.from.reset();
  enter({e.binders[0], pack}, e.pos);
  expect(*e.args[0], K::shape, is_static, "what a fold makes of its pack");
  names_.indices = outer;
  return K::shape;
}

K ExprChecker::reduce(const Expr& e, bool is_static) {
  const std::map<std::string, bool> outer = names_.indices;
  enter(e.binders, e.pos);
  const bool which = e.reduction == Reduction::which;
  const std::string_view name = reduction_name(e.reduction);
  if (which && (is_static || e.binders.size() != 1 || e.binders[0].pack)) {
    fail(e.pos, "'which' gives one index of elements, which(k < K: condition)");
  }
  K k = K::boolean;
  if (is_logical(e.reduction) || which) {
    expect(*e.args[0], K::boolean, is_static,
           fmt::format("what '{}' counts", name));
  } else {
    k = check(*e.args[0], is_static);
    if (!is_numeric(k)) {
      fail(e.args[0]->pos,
           fmt::format("what '{}' takes must be a number, {} is {}", name,
                       quote(*e.args[0]), kind_name(k)));
    }
  }
  names_.indices = outer;
  switch (e.reduction) {
    case Reduction::any:
    case Reduction::all:
      return K::boolean;
    case Reduction::count:
    case Reduction::which:
      return K::integer;
    case Reduction::mean:
      return K::number;
    default:
      return k == K::integer ? K::integer : K::number;
  }
}

void ExprChecker::argument(const Expr& call, std::size_t n, char letter,
                           K found) {
  const Expr& arg = *call.args[n];
  const bool is_parameter =
      arg.kind == Expr::Kind::name || arg.kind == Expr::Kind::access;
  if (letter == 'p' ? is_parameter : accepts(letter, found)) return;
  std::string hint;
  if (found == K::tensor && letter == 'n') {
    hint = "; index it, as in " + to_string(arg) + "[i...]";
  }
  if (found == K::tensor && letter == 'd') {
    hint = "; write dtype(" + to_string(arg) + ")";
  }
  if (found == K::tensor && letter == 's') {
    hint = "; write shape(" + to_string(arg) + ")";
  }
  fail(arg.pos,
       fmt::format("argument {} of {} must be {}, {} is {}{}", n + 1, call.text,
                   expected_text(letter), quote(arg), kind_name(found), hint));
}

K ExprChecker::call(const Expr& e, bool is_static) {
  if (e.function == FunctionId::unknown) {
    std::vector<std::string> names;
    for (const Function& known : functions()) names.emplace_back(known.name);
    fail(e.pos,
         "unknown function '" + e.text + "'" + did_you_mean(e.text, names));
    for (const ExprPtr& a : e.args) check(*a, is_static);
    return K::any;
  }
  const Function& f = function(e.function);
  if (!accepts_arity(f, e.args.size())) {
    fail(e.pos, fmt::format("{} takes other arguments, {}; found {}", f.name,
                            usage(f), e.args.size()));
    for (const ExprPtr& a : e.args) check(*a, is_static);
    return f.result;
  }
  if (is_static && !f.in_static) {
    fail(e.pos, e.text +
                    " works on elements only and cannot stand in a "
                    "static expression");
  }
  if (e.is(FunctionId::inside) && e.args[0]->kind != Expr::Kind::access) {
    fail(e.args[0]->pos, "inside needs an element, inside(a[i], else 0)");
  }
  std::vector<K> kinds;
  for (std::size_t n = 0; n < e.args.size(); ++n) {
    const char letter = argument_letter(f, n);
    const std::size_t before = faults_->size();
    const K k = check(*e.args[n], is_static);
    if (faults_->size() == before) argument(e, n, letter, k);
    kinds.push_back(k);
  }
  return result(e, kinds);
}

// The kind of a call whose arguments are of the right kinds, or have already
// been reported.
K ExprChecker::result(const Expr& e, const std::vector<K>& kinds) {
  switch (e.function) {
    case FunctionId::where: {
      const K a = kinds[1];
      const K b = kinds[2];
      if (a == b || b == K::any || b == K::none) return a;
      if (a == K::any || a == K::none) return b;
      if (is_numeric(a) && is_numeric(b)) return K::number;
      return fail(e.pos, fmt::format("where chooses between {} and {}",
                                     kind_name(a), kind_name(b)));
    }
    case FunctionId::wrap:
      return kinds[0];
    case FunctionId::max:
    case FunctionId::min:
    case FunctionId::abs: {
      const bool whole = std::all_of(kinds.begin(), kinds.end(), [](K k) {
        return k == K::integer || k == K::shape;
      });
      return whole ? K::integer : K::number;
    }
    default:
      return function(e.function).result;
  }
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
      if (base.is(FunctionId::flat) && !one) {
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
    case K::numbers:
      if (!one) fail(e.pos, "a list takes one index, list[n]");
      return K::number;
    default:
      return fail(e.pos, "only tensors, lists and definitions have elements, " +
                             quote(base) + " is " + kind_name(k));
  }
}

}  // namespace assay::language
