// Evaluation of static expressions: requirements, shapes, dtypes, heights and
// the bounds of ranges. Works on invalid calls too: what cannot be evaluated
// (dimension 1 of a vector) is an error, not a value.
#include <algorithm>
#include <optional>
#include <type_traits>

#include "suite/bind.h"
#include "suite/functions.h"
#include "suite/static_elements.h"
#include "suite/static_operators.h"
#include "suite/static_reduction.h"

namespace assay {
namespace {

// More steps than a sensible requirement needs; a bound on hostile ones.
constexpr std::int64_t kMaxSteps = 5'000'000;
constexpr int kMaxDepth = 400;

using Scope = std::map<std::string, StaticValue>;

Operand to_operand(const StaticValue& v) {
  return std::visit([](const auto& x) { return Operand(x); }, v);
}

class Evaluator {
 public:
  explicit Evaluator(const Binding& b) : b_(b) {}

  Operand eval(const Expr& e, Scope& scope) {
    tick();
    if (++depth_ > kMaxDepth)
      throw EvaluationStop{"the evaluation is nested too deeply"};
    Operand v = dispatch(e, scope);
    --depth_;
    return v;
  }

 private:
  void tick() {
    if (++steps_ > kMaxSteps) {
      throw EvaluationStop{
          "the expression takes too many steps; narrow its ranges"};
    }
  }

  Operand dispatch(const Expr& e, Scope& scope) {
    switch (e.kind) {
      case Expr::Kind::integer:
        return e.integer;
      case Expr::Kind::real:
        return e.number;
      case Expr::Kind::string:
        return e.text;
      case Expr::Kind::name:
        return name(e, scope);
      case Expr::Kind::pack:
        return pack(e, scope);
      case Expr::Kind::op:
        return operation(e, scope);
      case Expr::Kind::call:
        return call(e, scope);
      case Expr::Kind::access:
        return access(e, scope);
      case Expr::Kind::list:
        return list(e, scope);
      case Expr::Kind::reduce:
        return reduce(e, scope);
    }
    throw EvaluationStop{"unknown kind of expression"};
  }

  Operand name(const Expr& e, const Scope& scope) {
    if (const auto it = scope.find(e.text); it != scope.end()) {
      return to_operand(it->second);
    }
    if (const auto it = b_.actuals.find(e.text); it != b_.actuals.end()) {
      return actual(it->second);
    }
    if (const auto it = b_.symbols.find(e.text); it != b_.symbols.end()) {
      return to_operand(it->second);
    }
    if (const std::optional<DType> t = parse_dtype(e.text)) return *t;
    if (e.text == "true") return true;
    if (e.text == "false") return false;
    if (e.text == "none") return None{};
    if (e.text == "int" || e.text == "float") return e.text;
    throw EvaluationStop{"'" + e.text + "' has no value here"};
  }

  static Operand actual(const Actual& a) {
    return std::visit(
        [](const auto& v) -> Operand {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, TensorArg> ||
                        std::is_same_v<T, std::vector<TensorArg>>) {
            return &v;
          } else {
            return v;
          }
        },
        a);
  }

  Operand pack(const Expr& e, const Scope& scope) {
    const auto in_scope = scope.find(e.text);
    const auto symbol = b_.symbols.find(e.text);
    const StaticValue* v = in_scope != scope.end()      ? &in_scope->second
                           : symbol != b_.symbols.end() ? &symbol->second
                                                        : nullptr;
    if (v == nullptr || !std::holds_alternative<Shape>(*v)) {
      throw EvaluationStop{"the pack '" + e.text + "...' has no value here"};
    }
    return std::get<Shape>(*v);
  }

  bool truth(const Expr& e, Scope& scope) {
    const Operand v = eval(e, scope);
    if (const auto* b = std::get_if<bool>(&v)) return *b;
    throw EvaluationStop{"'" + to_string(e) + "' is " + describe(v) +
                         ", expected true or false"};
  }

  std::int64_t integer(const Expr& e, Scope& scope) {
    const Operand v = eval(e, scope);
    if (const auto i = whole_of(v)) return *i;
    throw EvaluationStop{"'" + to_string(e) + "' is " + describe(v) +
                         ", expected an integer"};
  }

  Operand operation(const Expr& e, Scope& scope) {
    if (e.text == "and") {
      return truth(*e.args[0], scope) && truth(*e.args[1], scope);
    }
    if (e.text == "or") {
      return truth(*e.args[0], scope) || truth(*e.args[1], scope);
    }
    if (e.text == "not") return !truth(*e.args[0], scope);
    if (e.text == "in") return member(e, scope);
    const Operand a = eval(*e.args[0], scope);
    if (e.text == "neg") return negate(e, a);
    const Operand b = eval(*e.args[1], scope);
    if (e.text == "==") return equal_operands(a, b);
    if (e.text == "!=") return !equal_operands(a, b);
    if (e.text[0] == '<' || e.text[0] == '>') return ordered(e.text, a, b);
    return arithmetic(e, a, b);
  }

  bool member(const Expr& e, Scope& scope) {
    const Operand a = eval(*e.args[0], scope);
    const Expr& set = *e.args[1];
    if (set.kind == Expr::Kind::list) {
      for (const ExprPtr& item : set.args) {
        if (equal_operands(a, eval(*item, scope))) return true;
      }
      return false;
    }
    const Operand b = eval(set, scope);
    const auto* s = std::get_if<Shape>(&b);
    if (s == nullptr) {
      throw EvaluationStop{"'in' needs a list, found " + describe(b)};
    }
    return std::any_of(s->begin(), s->end(), [&a](std::int64_t v) {
      return equal_operands(a, Operand(v));
    });
  }

  Operand call(const Expr& e, Scope& scope) {
    const Function* f = find_function(e.text);
    if (f == nullptr || !accepts_arity(*f, e.args.size())) {
      throw EvaluationStop{"'" + to_string(e) +
                           "' is no call of a known function"};
    }
    if (e.text == "where") {
      return eval(*e.args[truth(*e.args[0], scope) ? 1 : 2], scope);
    }
    if (e.text == "given") {
      return !std::holds_alternative<None>(eval(*e.args[0], scope));
    }
    std::vector<Operand> args;
    for (const ExprPtr& a : e.args) args.push_back(eval(*a, scope));
    Result<Operand> out = apply_static(e.text, args);
    if (!out)
      throw EvaluationStop{out.error().message + " in '" + to_string(e) + "'"};
    return *out;
  }

  Operand list(const Expr& e, Scope& scope) {
    Shape out;
    for (const ExprPtr& item : e.args) append(*item, scope, &out);
    return out;
  }

  // An entry, or all entries of a pack or shape.
  void append(const Expr& e, Scope& scope, Shape* out) {
    const Operand v = eval(e, scope);
    if (const auto* s = std::get_if<Shape>(&v)) {
      out->insert(out->end(), s->begin(), s->end());
    } else if (const auto i = whole_of(v)) {
      out->push_back(*i);
    } else {
      throw EvaluationStop{"a list entry is " + describe(v) +
                           ", expected an integer"};
    }
  }

  Operand access(const Expr& e, Scope& scope) {
    const Expr& base = *e.args[0];
    if (const Definition* d = definition(base)) return defined(*d, e, scope);
    const bool flat = base.kind == Expr::Kind::call && base.text == "flat";
    const Operand v = eval(flat ? *base.args.at(0) : base, scope);
    Shape index;
    for (std::size_t i = 1; i < e.args.size(); ++i) {
      append(*e.args[i], scope, &index);
    }
    if (const auto* t = std::get_if<const TensorArg*>(&v)) {
      return flat ? linear_element(e, **t, index) : element(e, **t, index);
    }
    if (number_of(v)) return v;  // a Python number in a tensor's place
    if (index.size() != 1) {
      throw EvaluationStop{"'" + to_string(e) + "' needs one index"};
    }
    if (const auto* s = std::get_if<Shape>(&v)) {
      return (*s)[place(e, index[0], s->size())];
    }
    if (const auto* l = std::get_if<const std::vector<TensorArg>*>(&v)) {
      return &(**l)[place(e, index[0], (*l)->size())];
    }
    throw EvaluationStop{"cannot index " + describe(v)};
  }

  const Definition* definition(const Expr& base) const {
    if (base.kind != Expr::Kind::name || b_.form == nullptr) return nullptr;
    if (b_.actuals.contains(base.text)) return nullptr;
    for (const Definition& d : b_.form->value) {
      if (d.name == base.text) return &d;
    }
    return nullptr;
  }

  // A definition that reads no unknown elements is static too.
  Operand defined(const Definition& d, const Expr& e, Scope& scope) {
    Shape index;
    for (std::size_t i = 1; i < e.args.size(); ++i) {
      append(*e.args[i], scope, &index);
    }
    const std::size_t packs = static_cast<std::size_t>(
        std::count_if(d.indices.begin(), d.indices.end(),
                      [](const Binder& b) { return b.pack; }));
    const std::size_t single = d.indices.size() - packs;
    if (packs > 1 || index.size() < single ||
        (packs == 0 && index.size() != single)) {
      throw EvaluationStop{"'" + to_string(e) +
                           "' does not fit the indices of '" + d.name + "'"};
    }
    Scope inner;
    std::size_t next = 0;
    for (const Binder& b : d.indices) {
      if (!b.pack) {
        inner[b.name] = index[next++];
        continue;
      }
      const std::size_t n = index.size() - single;
      const auto first = index.begin() + static_cast<std::ptrdiff_t>(next);
      inner[b.name] = Shape(first, first + static_cast<std::ptrdiff_t>(n));
      next += n;
    }
    return eval(*d.body, inner);
  }

  Operand reduce(const Expr& e, Scope& scope) {
    StaticReduction r(e);
    each(e, 0, scope, &r);
    return r.result();
  }

  // Runs over the ranges from binder `n` on, innermost last.
  void each(const Expr& e, std::size_t n, Scope& scope, StaticReduction* r) {
    if (n == e.binders.size()) {
      tick();
      r->take(eval(*e.args[0], scope));
      return;
    }
    const Binder& b = e.binders[n];
    const auto saved = scope.find(b.name) == scope.end()
                           ? std::optional<StaticValue>()
                           : scope[b.name];
    if (b.pack) {
      each_pack(e, n, scope, r);
    } else {
      const std::int64_t from = b.from ? integer(*b.from, scope) : 0;
      const std::int64_t to = integer(*b.to, scope);
      for (std::int64_t i = from; i < to && !r->done(); ++i) {
        scope[b.name] = i;
        each(e, n + 1, scope, r);
      }
    }
    if (saved) {
      scope[b.name] = *saved;
    } else {
      scope.erase(b.name);
    }
  }

  void each_pack(const Expr& e, std::size_t n, Scope& scope,
                 StaticReduction* r) {
    const Binder& b = e.binders[n];
    const Operand v = eval(*b.to, scope);
    const auto* sizes = std::get_if<Shape>(&v);
    if (sizes == nullptr) {
      throw EvaluationStop{"the range of '" + b.name + "...' is " +
                           describe(v) + ", expected a shape"};
    }
    for (const std::int64_t s : *sizes) {
      if (s <= 0) return;
    }
    Shape index(sizes->size(), 0);
    while (!r->done()) {
      scope[b.name] = index;
      each(e, n + 1, scope, r);
      std::size_t d = index.size();
      while (d > 0 && ++index[d - 1] == (*sizes)[d - 1]) index[--d] = 0;
      if (d == 0) return;
    }
  }

  const Binding& b_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<StaticValue> evaluate_static(const Expr& e, const Binding& b,
                                    const Scope& indices) {
  try {
    Scope scope = indices;
    const Operand v = Evaluator(b).eval(e, scope);
    return std::visit(
        [&e](const auto& x) -> Result<StaticValue> {
          if constexpr (std::is_pointer_v<std::decay_t<decltype(x)>>) {
            return Error{"'" + to_string(e) +
                         "' is a tensor or a list of them, expected a value"};
          } else {
            return StaticValue(x);
          }
        },
        v);
  } catch (const EvaluationStop& s) {
    return Error{s.message};
  }
}

}  // namespace assay
