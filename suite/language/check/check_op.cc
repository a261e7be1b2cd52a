#include "suite/language/check/check_op.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "suite/language/bind/bind.h"
#include "suite/language/check/check_expr.h"
#include "suite/language/check/check_layout.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

using K = ValueKind;

bool refers(const Expr& e) {
  if (e.kind == Expr::Kind::name) {
    return !parse_dtype(e.text) && e.text != "true" && e.text != "false";
  }
  if (e.kind == Expr::Kind::pack || e.kind == Expr::Kind::reduce ||
      e.kind == Expr::Kind::fold) {
    return true;
  }
  return std::any_of(e.args.begin(), e.args.end(),
                     [](const ExprPtr& a) { return refers(*a); });
}

// The value of an expression that names nothing.
std::optional<StaticValue> constant(const Expr& e) {
  if (refers(e)) return std::nullopt;
  const OpSpec none;
  Binding b;
  b.spec = &none;
  const Result<StaticValue> v = evaluate_static(e, b);
  if (!v) return std::nullopt;
  return *v;
}

void conjuncts(const ExprPtr& e, std::vector<ExprPtr>* out) {
  if (e->is(Operator::logical_and)) {
    conjuncts(e->args[0], out);
    conjuncts(e->args[1], out);
  } else {
    out->push_back(e);
  }
}

// Same value on both sides of a comparison.
std::optional<bool> reflexive(const Expr& e) {
  if (e.kind != Expr::Kind::op || e.args.size() != 2) return std::nullopt;
  if (to_string(*e.args[0]) != to_string(*e.args[1])) return std::nullopt;
  switch (e.op) {
    case Operator::eq:
    case Operator::le:
    case Operator::ge:
      return true;
    case Operator::ne:
    case Operator::lt:
    case Operator::gt:
      return false;
    default:
      return std::nullopt;
  }
}

class OpChecker {
 public:
  OpChecker(const OpSpec& op, Faults* faults) : op_(op), faults_(faults) {}

  void run() {
    memory();
    symbols();
    only();
    requirements();
    for (const Form& form : op_.forms) check_form(form);
    forms();
    case_contexts();
  }

 private:
  void fault(SourcePos pos, std::string message) {
    faults_->push_back({pos, std::move(message)});
  }

  void memory() {
    for (const Param& p : op_.params) {
      if (p.memory_from.empty()) continue;
      const Param* from = op_.param(p.memory_from);
      if (from != nullptr && from->kind == Param::Kind::integer &&
          from->optional) {
        continue;
      }
      fault(p.pos, "'memory_from' of '" + p.name + "' names '" + p.memory_from +
                       "', which is no parameter that is 'int or none'");
    }
  }

  void symbols() {
    std::vector<std::string> known;
    for (const auto& d : op_.dtypes) known.push_back(d.first);
    std::set<std::string> used;
    for (const Param& p : op_.params) {
      if (p.dtype_symbol.empty()) continue;
      used.insert(p.dtype_symbol);
      if (!op_.dtypes.contains(p.dtype_symbol)) {
        fault(p.pos, "parameter '" + p.name +
                         "' has the undeclared dtype "
                         "symbol '" +
                         p.dtype_symbol + "'" +
                         did_you_mean(p.dtype_symbol, known) +
                         "; declare it under 'dtypes'");
      }
      if (!p.shape) continue;
      for (const DimPattern& d : *p.shape) {
        if (op_.dtypes.contains(d.symbol)) {
          fault(p.pos, "'" + d.symbol +
                           "' is a dtype symbol and cannot be a "
                           "dimension of '" +
                           p.name + "'");
        }
        if (op_.param(d.symbol) != nullptr) {
          fault(p.pos, "'" + d.symbol +
                           "' is a parameter and cannot be a "
                           "dimension of '" +
                           p.name + "'");
        }
      }
    }
    for (const auto& d : op_.dtypes) {
      const SourcePos pos = d.second.pos;
      if (!used.contains(d.first)) {
        fault(pos, "dtype symbol '" + d.first +
                       "' belongs to no parameter; "
                       "remove it");
      }
      if (op_.param(d.first) != nullptr) {
        fault(pos, "'" + d.first +
                       "' is a parameter and a dtype symbol; "
                       "rename one of them");
      }
    }
  }

  void only() {
    if (!op_.only) return;
    Names names;
    names.op = &op_;
    ExprChecker(names, faults_).expect(*op_.only, K::boolean, true, "'only'");
  }

  void requirements() {
    Names names;
    names.op = &op_;
    // Every conjunct that an earlier requirement has made sure of.
    std::map<std::string, std::string> held;
    for (const Requirement& r : op_.requires_) {
      if (!r.that) continue;
      const std::size_t before = faults_->size();
      ExprChecker(names, faults_)
          .expect(*r.that, K::boolean, true, "a requirement");
      if (faults_->size() != before) continue;
      reachable(r, held);
      std::vector<ExprPtr> parts;
      conjuncts(r.that, &parts);
      for (const ExprPtr& part : parts) {
        held.emplace(to_string(*part), r.id);
      }
    }
  }

  void reachable(const Requirement& r,
                 const std::map<std::string, std::string>& held) {
    std::optional<bool> value;
    if (const auto v = constant(*r.that)) {
      if (const bool* b = std::get_if<bool>(&*v)) value = *b;
    }
    std::vector<ExprPtr> parts;
    conjuncts(r.that, &parts);
    if (parts.size() == 1 && !value) value = reflexive(*r.that);
    if (value) {
      fault(r.that->pos, "requirement " + r.id + " is always " +
                             (*value ? "true, so it can never refuse anything"
                                     : "false, so it refuses everything") +
                             "; correct or remove it");
      return;
    }
    std::set<std::string> by;
    for (const ExprPtr& part : parts) {
      const auto it = held.find(to_string(*part));
      if (it == held.end()) return;
      by.insert(it->second);
    }
    fault(r.pos, "requirement " + r.id + " is unreachable: " +
                     join({by.begin(), by.end()}, " and ") +
                     (by.size() > 1 ? " refuse" : " refuses") +
                     " the same before; remove it");
  }

  void check_form(const Form& form) {
    Names names;
    names.op = &op_;
    if (form.when) {
      ExprChecker(names, faults_)
          .expect(*form.when, K::boolean, true, "the condition of a form");
    }
    names.form = &form;
    if (form.is_list()) list_length(form, &names);
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      const OutputSpec& out = form.output(k);
      output_name(out);
      check_output(out, names);
      names.outputs.insert(form.name);
    }
    check_relations(form, std::move(names));
  }

  // The members' number is a symbol from here on.
  void list_length(const Form& form, Names* names) {
    ExprChecker(*names, faults_)
        .expect(*form.length, K::integer, true, "the length of a list");
    const std::string& name = form.member;
    const bool taken =
        op_.param(name) != nullptr || parse_dtype(name) ||
        op_.dtypes.contains(name) ||
        std::any_of(op_.params.begin(), op_.params.end(), [&](const Param& p) {
          const auto* own = pattern_of(p, &form);
          return own != nullptr && has_symbol(*own, name);
        });
    if (taken) {
      fault(form.pos, "the number of a list's members is called '" + name +
                          "', a name that is already in use; choose another "
                          "one");
    }
    names->member = name;
  }

  static bool has_symbol(const ShapePattern& pattern, const std::string& name) {
    return std::any_of(pattern.begin(), pattern.end(),
                       [&](const DimPattern& d) { return d.symbol == name; });
  }

  // Outputs without a value are read by a relation, or nothing is promised.
  void check_relations(const Form& form, Names names) {
    names.outputs.clear();
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      names.outputs.insert(form.output_name(k));
    }
    if (form.relations.empty()) return;
    std::set<std::string> read;
    for (const OutputSpec& relation : form.relations) {
      read.merge(check_output(relation, names, K::boolean));
    }
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      if (!form.output(k).open || read.contains(form.output_name(k))) continue;
      fault(form.output(k).pos, "output '" + form.output_name(k) +
                                    "' has no value, and no relation reads it");
    }
  }

  void output_name(const OutputSpec& out) {
    const std::string& name = out.name;
    if (name.empty() || name == "out") return;
    bool taken = op_.param(name) != nullptr || op_.dtypes.contains(name) ||
                 parse_dtype(name).has_value();
    for (const Form& form : op_.forms) {
      for (std::size_t k = 0; k < form.output_count(); ++k) {
        const auto& value = form.output(k).value;
        taken = taken || std::any_of(value.begin(), value.end(),
                                     [&](const Definition& d) {
                                       return d.name == name;
                                     });
      }
    }
    if (!taken) return;
    fault(out.pos, "output '" + name +
                       "' has a name that is already in use; choose another "
                       "one");
  }

  // `kind` is that of its elements, `any` where the value says it. Returns the
  // names that its definitions use.
  std::set<std::string> check_output(const OutputSpec& out, Names names,
                                     K kind = K::any) {
    Names of_type = names;
    of_type.outputs.clear();  // types follow from the operands alone
    ExprChecker statics(of_type, faults_);
    if (out.result_dtype) {
      statics.expect(*out.result_dtype, K::dtype, true, "the result's dtype");
    }
    if (out.result_shape) {
      statics.expect(*out.result_shape, K::shape, true, "the result's shape");
    }
    if (out.layout) check_layout(out, of_type, faults_);
    std::set<std::string> words;
    std::set<std::string> used = definitions(out, kind, &names, &words);
    if (!out.value.empty() && out.value.back().name == "out") {
      used.merge(after_value(out, names));
    }
    unused(out, used);
    return words;
  }

  // Returns the definitions that others read; `words` are all names in them.
  std::set<std::string> definitions(const OutputSpec& out, K kind, Names* names,
                                    std::set<std::string>* words) {
    std::set<std::string> used;
    for (std::size_t i = 0; i < out.value.size(); ++i) {
      const Definition& d = out.value[i];
      const bool last = i + 1 == out.value.size();
      head(d, last, *names);
      ExprChecker checker(*names, faults_);
      checker.enter(d.indices, d.pos);
      const K k = checker.check(*d.body, false);
      if (k == K::tensor) {
        fault(d.body->pos, "a definition gives one element, '" +
                               to_string(*d.body) +
                               "' is a tensor; index "
                               "it, as in " +
                               to_string(*d.body) + "[i...]");
      } else if (k != K::number && k != K::integer && k != K::boolean &&
                 k != K::any) {
        fault(d.body->pos, "a definition gives a number or a truth value, '" +
                               to_string(*d.body) + "' is " + kind_name(k));
      } else if (last && kind == K::boolean && k != K::boolean && k != K::any) {
        fault(d.body->pos, "a relation is a condition, '" + to_string(*d.body) +
                               "' is " + kind_name(k));
      }
      which_alone(*d.body, d.name == "out");
      used.insert(checker.used().begin(), checker.used().end());
      words->insert(checker.used_names().begin(), checker.used_names().end());
      if (d.name != "out") names->definitions[d.name] = &d;
    }
    return used;
  }

  void unused(const OutputSpec& out, const std::set<std::string>& used) {
    for (const Definition& d : out.value) {
      if (d.name != "out" && !used.contains(d.name)) {
        fault(d.pos, "definition '" + d.name + "' is never used; remove it");
      }
    }
  }

  // An index that is open has no further arithmetic.
  void which_alone(const Expr& e, bool whole_output) {
    if (e.is(Reduction::which) && !whole_output) {
      fault(e.pos,
            "'which' leaves its index open, so it stands alone, as in "
            "out[i...] = which(k < K: condition)");
    }
    for (const ExprPtr& a : e.args) which_alone(*a, false);
  }

  void head(const Definition& d, bool last, const Names& names) {
    if (last != (d.name == "out")) {
      fault(d.pos, last ? "the last definition must be that of 'out', found '" +
                              d.name + "'"
                        : "'out' must be the last definition");
    }
    if (d.name != "out" &&
        (names.definitions.contains(d.name) || op_.param(d.name) != nullptr ||
         op_.dtypes.contains(d.name) || parse_dtype(d.name))) {
      fault(d.pos, "definition '" + d.name +
                       "' has a name that is already in "
                       "use; choose another one");
    }
    int packs = 0;
    for (const Binder& b : d.indices) {
      packs += b.pack;
      if (d.name == "out" && b.to) {
        fault(d.pos, "index '" + b.name +
                         "' of 'out' ranges over the result; "
                         "remove its range");
      }
      if (d.name != "out" && !b.to) {
        fault(d.pos, "index '" + b.name + "' of '" + d.name +
                         "' needs a range, as in " + d.name + "[" + b.name +
                         (b.pack ? "... < SHAPE" : " < n") + "]; or write " +
                         d.name + "(" + b.name + (b.pack ? "..." : "") +
                         "), which needs none");
      }
    }
    if (packs > 1) {
      fault(d.pos, "a definition has at most one pack of indices");
    }
  }

  // What sees the indices of `out` and all definitions, which it returns if
  // it reads them.
  std::set<std::string> after_value(const OutputSpec& out, const Names& names) {
    ExprChecker checker(names, faults_);
    const std::vector<Binder>& indices = out.value.back().indices;
    // Faults of the head were reported with the definition.
    Faults ignored;
    ExprChecker elements(names, faults_);
    std::vector<Binder> heads = indices;
    for (Binder& b : heads) b.from = b.to = nullptr;
    const std::size_t before = faults_->size();
    elements.enter(heads, out.value.back().pos);
    faults_->resize(before);
    for (const Accuracy& a : out.accuracy) {
      if (a.when) {
        checker.expect(*a.when, K::boolean, true, "the condition of a bound");
      }
      bound(elements, a.ulp, "ulp", false);
      bound(elements, a.abs, "abs", false);
      bound(elements, a.subnormal_ulp, "subnormal_ulp", false);
      bound(checker, a.height, "height", true);
      bound(checker, a.tree, "tree", true);
    }
    accuracy_reachable(out);
    for (const Special& s : out.special) {
      elements.expect(*s.when, K::boolean, false,
                      "the condition of a special "
                      "value");
      elements.expect(*s.then, K::number, false, "a special value");
    }
    for (const Undefined& u : out.undefined) {
      elements.expect(*u.when, K::boolean, false,
                      "the condition of an undefined result");
    }
    return elements.used();
  }

  void bound(ExprChecker& checker, const ExprPtr& e, const char* name,
             bool is_static) {
    if (!e) return;
    checker.expect(*e, K::number, is_static, name);
    const auto v = constant(*e);
    if (!v) return;
    double number = std::nan("");
    if (const auto* i = std::get_if<std::int64_t>(&*v)) {
      number = static_cast<double>(*i);
    } else if (const auto* d = std::get_if<double>(&*v)) {
      number = *d;
    } else {
      return;
    }
    if (std::isfinite(number) && number >= 0) return;
    fault(e->pos, std::string("'") + name + "' is " + to_string(*e) +
                      "; a bound is a finite number that is not negative");
  }

  void accuracy_reachable(const OutputSpec& out) {
    std::set<DType> covered;
    const Accuracy* all = nullptr;
    std::set<DType> every(kAllDTypes.begin(), kAllDTypes.end());
    for (const Accuracy& a : out.accuracy) {
      const std::set<DType> own =
          a.for_dtypes.empty()
              ? every
              : std::set<DType>(a.for_dtypes.begin(), a.for_dtypes.end());
      const bool nothing_left =
          std::includes(covered.begin(), covered.end(), own.begin(), own.end());
      if (nothing_left) {
        fault(a.pos, "accuracy " + a.id + " never applies: " +
                         (all ? all->id + " applies to all dtypes"
                              : "all its dtypes are decided by entries "
                                "before it") +
                         "; remove or reorder it");
      }
      if (a.when || a.torch) continue;
      covered.insert(own.begin(), own.end());
      if (a.for_dtypes.empty() && all == nullptr) all = &a;
    }
  }

  // An entry without a condition takes all that comes to it.
  void forms() {
    for (const Form& form : op_.forms) {
      if (form.is_list() != op_.returns_list()) {
        fault(form.pos, "form " + form.id + " and " + op_.forms.front().id +
                            ": an operation always returns a list, or never");
      }
      if (form.output_count() == op_.output_count()) continue;
      fault(form.pos, "form " + form.id + " has " +
                          std::to_string(form.output_count()) + " outputs, " +
                          op_.forms.front().id + " has " +
                          std::to_string(op_.output_count()) +
                          "; an operation always has as many");
    }
    for (std::size_t i = 0; i + 1 < op_.forms.size(); ++i) {
      if (op_.forms[i].when) continue;
      const Form& next = op_.forms[i + 1];
      fault(next.pos, "form " + next.id +
                          " is unreachable: " + op_.forms[i].id +
                          " has no 'when' and takes everything");
    }
  }

  void case_contexts() {
    for (const CaseGroup& c : op_.cases) {
      std::set<std::string> seen;
      for (const std::string& name : c.contexts) {
        if (!seen.insert(name).second) {
          fault(c.pos, "case " + c.id + " names context '" + name +
                           "' twice; remove one");
        }
      }
    }
  }

  const OpSpec& op_;
  Faults* faults_;
};

}  // namespace

void check_op(const OpSpec& op, Faults* faults) { OpChecker(op, faults).run(); }

}  // namespace assay::language
