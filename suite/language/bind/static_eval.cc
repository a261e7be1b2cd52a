#include "suite/language/bind/static_eval.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "suite/language/bind/element_test.h"
#include "suite/language/bind/operand.h"
#include "suite/language/bind/static_functions.h"
#include "suite/language/syntax/substitute.h"

namespace assay::language {
namespace {

// More steps than a sensible requirement needs; a bound on hostile ones.
constexpr std::int64_t kMaxSteps = 5'000'000;
constexpr int kMaxDepth = 400;

using Scope = std::map<std::string, StaticValue>;

Operand to_operand(const StaticValue& v) {
  return std::visit([](const auto& x) { return Operand(x); }, v);
}

// Elements that static expressions may read: those of shapes, lists and of
// tensors whose elements are known. All stop the evaluation where there is no
// such element; `e` is the access, for messages.

Operand read(const Expr& e, const TensorArg& t, std::int64_t linear) {
  if (t.value == nullptr) {
    throw EvaluationStop{"the elements of '" + to_string(*e.args[0]) +
                         "' are not known"};
  }
  if (is_float(t.type.dtype)) return t.value->number(linear);
  const std::int64_t value = t.value->integer(linear);
  if (t.type.dtype == DType::u64 && value < 0) {
    throw EvaluationStop{"an element of '" + to_string(*e.args[0]) +
                         "' is no integer of 64 bits with a sign"};
  }
  return value;
}

// `i` as a place among `n`.
std::size_t place(const Expr& e, std::int64_t i, std::size_t n) {
  if (i < 0 || static_cast<std::size_t>(i) >= n) {
    throw EvaluationStop{"index " + std::to_string(i) + " of '" + to_string(e) +
                         "' is out of range, there are " + std::to_string(n)};
  }
  return static_cast<std::size_t>(i);
}

// Trailing entries of `index` count; a dimension of size 1 repeats.
Operand element(const Expr& e, const TensorArg& t, const Shape& index) {
  const Shape& sizes = t.type.sizes;
  if (index.size() < sizes.size()) {
    throw EvaluationStop{
        "'" + to_string(e) + "' has " + std::to_string(index.size()) +
        " indices for a tensor of " + "rank " + std::to_string(sizes.size())};
  }
  const std::size_t extra = index.size() - sizes.size();
  std::int64_t linear = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t i = sizes[d] == 1 ? 0 : index[extra + d];
    if (i < 0 || i >= sizes[d]) {
      throw EvaluationStop{"'" + to_string(e) + "' is out of range"};
    }
    linear = linear * sizes[d] + i;
  }
  return read(e, t, linear);
}

// flat(x)[n].
Operand linear_element(const Expr& e, const TensorArg& t, const Shape& index) {
  if (index.size() != 1 || index[0] < 0 ||
      index[0] >= element_count(t.type.sizes)) {
    throw EvaluationStop{"'" + to_string(e) + "' is out of range"};
  }
  return read(e, t, index[0]);
}

// A reduction while its ranges are run through.
class ReductionState {
 public:
  explicit ReductionState(const Expr& e) : e_(e), kind_(e.reduction) {}

  bool done() const { return done_; }  // nothing more can change the result

  void take(const Operand& v) {
    if (is_logical(kind_)) return take_truth(v);
    if (!number_of(v)) {
      throw EvaluationStop{"'" + to_string(e_) + "' reduces " + describe(v)};
    }
    ++count_;
    total_ = total_ ? combined(*total_, v) : v;
  }

  // Stops the evaluation where the reduction is over nothing and has no value.
  Operand result() const {
    switch (kind_) {
      case Reduction::any:
        return any_;
      case Reduction::all:
        return all_;
      case Reduction::count:
        return count_;
      default:
        break;
    }
    if (total_ && kind_ == Reduction::mean) {
      return *number_of(*total_) / static_cast<double>(count_);
    }
    if (total_) return *total_;
    if (kind_ == Reduction::sum) return std::int64_t{0};
    if (kind_ == Reduction::prod) return std::int64_t{1};
    throw EvaluationStop{"'" + to_string(e_) + "' is over nothing"};
  }

 private:
  void take_truth(const Operand& v) {
    const bool* t = std::get_if<bool>(&v);
    if (t == nullptr) {
      throw EvaluationStop{"'" + to_string(*e_.args[0]) + "' is " +
                           describe(v) + ", expected true or false"};
    }
    any_ = any_ || *t;
    all_ = all_ && *t;
    if (kind_ != Reduction::count || *t) ++count_;
    done_ = (kind_ == Reduction::any && *t) || (kind_ == Reduction::all && !*t);
  }

  Operand combined(const Operand& total, const Operand& v) const {
    if (kind_ == Reduction::max) {
      return *apply_static(FunctionId::max, {total, v});
    }
    if (kind_ == Reduction::min) {
      return *apply_static(FunctionId::min, {total, v});
    }
    const auto op = kind_ == Reduction::prod ? Operator::mul : Operator::add;
    return arithmetic(op, total, v, e_);
  }

  const Expr& e_;
  Reduction kind_;
  std::optional<Operand> total_;
  std::int64_t count_ = 0;
  bool any_ = false;
  bool all_ = true;
  bool done_ = false;
};

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
      case Expr::Kind::fold:
        return fold(e, scope);
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
                        std::is_same_v<T, Numbers> ||
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
    switch (e.op) {
      case Operator::logical_and:
        return truth(*e.args[0], scope) && truth(*e.args[1], scope);
      case Operator::logical_or:
        return truth(*e.args[0], scope) || truth(*e.args[1], scope);
      case Operator::logical_not:
        return !truth(*e.args[0], scope);
      case Operator::in:
        return member(e, scope);
      default:
        break;
    }
    const Operand a = eval(*e.args[0], scope);
    if (e.op == Operator::neg) return negate(a, e);
    const Operand b = eval(*e.args[1], scope);
    if (e.op == Operator::eq) return equal_operands(a, b);
    if (e.op == Operator::ne) return !equal_operands(a, b);
    if (orders(e.op)) return ordered(e.op, a, b);
    return arithmetic(e.op, a, b, e);
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
    if (e.function == FunctionId::unknown ||
        !accepts_arity(function(e.function), e.args.size())) {
      throw EvaluationStop{"'" + to_string(e) +
                           "' is no call of a known function"};
    }
    if (e.function == FunctionId::where) {
      return eval(*e.args[truth(*e.args[0], scope) ? 1 : 2], scope);
    }
    if (e.function == FunctionId::given) {
      return !std::holds_alternative<None>(eval(*e.args[0], scope));
    }
    std::vector<Operand> args;
    for (const ExprPtr& a : e.args) args.push_back(eval(*a, scope));
    Result<Operand> out = apply_static(e.function, args);
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
    const bool flat = base.is(FunctionId::flat);
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
    if (const auto* n = std::get_if<const Numbers*>(&v)) {
      return (**n)[place(e, index[0], (*n)->size())];
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

  Operand fold(const Expr& e, Scope& scope) {
    const ExprPtr written = unrolled(e, integer(*e.binders[0].to, scope));
    if (written) return eval(*written, scope);
    throw EvaluationStop{"'" + to_string(e) + "' takes too many steps"};
  }

  Operand reduce(const Expr& e, Scope& scope) {
    const auto test =
        ElementTest::of(e, [&](const Expr& part) { return eval(part, scope); });
    if (test) return test->holds_for_all();
    ReductionState r(e);
    each(e, 0, scope, &r);
    return r.result();
  }

  // Runs over the ranges from binder `n` on, innermost last.
  void each(const Expr& e, std::size_t n, Scope& scope, ReductionState* r) {
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
                 ReductionState* r) {
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
                         "' is a tensor or a list, expected a value"};
          } else {
            return StaticValue(x);
          }
        },
        v);
  } catch (const EvaluationStop& s) {
    return Error{s.message};
  }
}

}  // namespace assay::language
