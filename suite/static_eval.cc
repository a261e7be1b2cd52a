// Evaluation of static expressions: requirements, shapes, dtypes, heights and
// the bounds of ranges. Works on invalid calls too: what cannot be evaluated
// (dimension 1 of a vector) is an error, not a value.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "suite/bind.h"
#include "suite/functions.h"
#include "suite/static_functions.h"

namespace assay {
namespace {

// More steps than a sensible requirement needs; a bound on hostile ones.
constexpr std::int64_t kMaxSteps = 5'000'000;
constexpr int kMaxDepth = 400;

struct Stop {  // thrown and caught in this file
  std::string message;
};

using Scope = std::map<std::string, StaticValue>;

Operand to_operand(const StaticValue& v) {
  return std::visit([](const auto& x) { return Operand(x); }, v);
}

std::optional<double> number_of(const Operand& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) {
    return static_cast<double>(*i);
  }
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  if (const auto* d = std::get_if<double>(&v)) return *d;
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const Operand& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) return *i;
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  return std::nullopt;
}

// bool < int < float where both are names of categories.
std::optional<int> category_rank(const Operand& v) {
  if (const auto* t = std::get_if<DType>(&v)) {
    if (*t == DType::boolean) return 0;
  }
  if (const auto* s = std::get_if<std::string>(&v)) {
    if (*s == "bool") return 0;
    if (*s == "int") return 1;
    if (*s == "float") return 2;
  }
  return std::nullopt;
}

class Evaluator {
 public:
  explicit Evaluator(const Binding& b) : b_(b) {}

  Operand eval(const Expr& e, Scope& scope) {
    tick();
    if (++depth_ > kMaxDepth) throw Stop{"the evaluation is nested too deeply"};
    Operand v = dispatch(e, scope);
    --depth_;
    return v;
  }

 private:
  void tick() {
    if (++steps_ > kMaxSteps) {
      throw Stop{"the expression takes too many steps; narrow its ranges"};
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
    throw Stop{"unknown kind of expression"};
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
    throw Stop{"'" + e.text + "' has no value here"};
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
      throw Stop{"the pack '" + e.text + "...' has no value here"};
    }
    return std::get<Shape>(*v);
  }

  bool truth(const Expr& e, Scope& scope) {
    const Operand v = eval(e, scope);
    if (const auto* b = std::get_if<bool>(&v)) return *b;
    throw Stop{"'" + to_string(e) + "' is " + describe(v) +
               ", expected true or false"};
  }

  std::int64_t integer(const Expr& e, Scope& scope) {
    const Operand v = eval(e, scope);
    if (const auto i = integer_of(v)) return *i;
    if (const auto d = number_of(v);
        d && std::trunc(*d) == *d && std::abs(*d) < 0x1p62) {
      return static_cast<std::int64_t>(*d);
    }
    throw Stop{"'" + to_string(e) + "' is " + describe(v) +
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
    if (e.text == "==") return equal(a, b);
    if (e.text == "!=") return !equal(a, b);
    if (e.text[0] == '<' || e.text[0] == '>') return order(e.text, a, b);
    return arithmetic(e, a, b);
  }

  bool member(const Expr& e, Scope& scope) {
    const Operand a = eval(*e.args[0], scope);
    const Expr& set = *e.args[1];
    if (set.kind == Expr::Kind::list) {
      for (const ExprPtr& item : set.args) {
        if (equal(a, eval(*item, scope))) return true;
      }
      return false;
    }
    const Operand b = eval(set, scope);
    const auto* s = std::get_if<Shape>(&b);
    if (s == nullptr) {
      throw Stop{"'in' needs a list, found " + describe(b)};
    }
    return std::any_of(s->begin(), s->end(), [&a](std::int64_t v) {
      return equal(a, Operand(v));
    });
  }

  static Operand negate(const Expr& e, const Operand& a) {
    if (const auto i = integer_of(a)) {
      if (*i == std::numeric_limits<std::int64_t>::min()) overflow(e);
      return -*i;
    }
    if (const auto d = number_of(a)) return -*d;
    throw Stop{"cannot negate " + describe(a)};
  }

  static bool equal(const Operand& a, const Operand& b) {
    const auto i = integer_of(a);
    const auto j = integer_of(b);
    if (i && j) return *i == *j;
    const auto x = number_of(a);
    const auto y = number_of(b);
    if (x && y) return *x == *y;
    if (std::holds_alternative<std::string>(a) !=
        std::holds_alternative<std::string>(b)) {
      // category(a) == bool: the dtype's name is the category's.
      const auto p = category_rank(a);
      const auto q = category_rank(b);
      return p && q && *p == *q;
    }
    return a == b;
  }

  static bool order(const std::string& op, const Operand& a,
                    const Operand& b) {
    const auto decide = [&op](auto x, auto y) {
      if (op == "<") return x < y;
      if (op == "<=") return x <= y;
      if (op == ">") return x > y;
      return x >= y;
    };
    const auto i = integer_of(a);
    const auto j = integer_of(b);
    if (i && j) return decide(*i, *j);
    const auto x = number_of(a);
    const auto y = number_of(b);
    if (x && y) return decide(*x, *y);
    const auto p = category_rank(a);
    const auto q = category_rank(b);
    if (p && q) return decide(*p, *q);
    throw Stop{"cannot order " + describe(a) + " and " + describe(b)};
  }

  [[noreturn]] static void overflow(const Expr& e) {
    throw Stop{"'" + to_string(e) + "' does not fit 64 bits"};
  }

  static Operand arithmetic(const Expr& e, const Operand& a,
                            const Operand& b) {
    const auto i = integer_of(a);
    const auto j = integer_of(b);
    if (i && j) return whole(e, *i, *j);
    const auto x = number_of(a);
    const auto y = number_of(b);
    if (!x || !y) {
      throw Stop{"'" + e.text + "' cannot combine " + describe(a) + " and " +
                 describe(b)};
    }
    if (e.text == "+") return *x + *y;
    if (e.text == "-") return *x - *y;
    if (e.text == "*") return *x * *y;
    if (e.text == "/") return *x / *y;
    throw Stop{"'" + e.text + "' needs integers, found " + describe(a) +
               " and " + describe(b)};
  }

  static Operand whole(const Expr& e, std::int64_t i, std::int64_t j) {
    std::int64_t out = 0;
    bool bad = false;
    if (e.text == "+") {
      bad = __builtin_add_overflow(i, j, &out);
    } else if (e.text == "-") {
      bad = __builtin_sub_overflow(i, j, &out);
    } else if (e.text == "*") {
      bad = __builtin_mul_overflow(i, j, &out);
    } else {
      if (j == 0) throw Stop{"division by zero in '" + to_string(e) + "'"};
      if (j == -1) {
        bad = __builtin_sub_overflow(std::int64_t{0}, i, &out);
        if (e.text == "%") {
          out = 0;
          bad = false;
        }
      } else {
        const std::int64_t q = i / j;
        const std::int64_t r = i % j;
        const bool down = r != 0 && (r < 0) != (j < 0);
        if (e.text == "/" && r != 0) {
          return static_cast<double>(i) / static_cast<double>(j);
        }
        out = e.text == "%" ? (down ? r + j : r) : (down ? q - 1 : q);
      }
    }
    if (bad) overflow(e);
    return out;
  }

  Operand call(const Expr& e, Scope& scope) {
    const Function* f = find_function(e.text);
    if (f == nullptr || !accepts_arity(*f, e.args.size())) {
      throw Stop{"'" + to_string(e) + "' is no call of a known function"};
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
    if (!out) throw Stop{out.error().message + " in '" + to_string(e) + "'"};
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
    } else if (const auto i = integer_of(v)) {
      out->push_back(*i);
    } else if (const auto d = number_of(v);
               d && std::trunc(*d) == *d && std::abs(*d) < 0x1p62) {
      out->push_back(static_cast<std::int64_t>(*d));
    } else {
      throw Stop{"a list entry is " + describe(v) + ", expected an integer"};
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
      throw Stop{"'" + to_string(e) + "' needs one index"};
    }
    if (const auto* s = std::get_if<Shape>(&v)) {
      return (*s)[place(e, index[0], s->size())];
    }
    if (const auto* l = std::get_if<const std::vector<TensorArg>*>(&v)) {
      return &(**l)[place(e, index[0], (*l)->size())];
    }
    throw Stop{"cannot index " + describe(v)};
  }

  static std::size_t place(const Expr& e, std::int64_t i, std::size_t n) {
    if (i < 0 || static_cast<std::size_t>(i) >= n) {
      throw Stop{"index " + std::to_string(i) + " of '" + to_string(e) +
                 "' is out of range, there are " + std::to_string(n)};
    }
    return static_cast<std::size_t>(i);
  }

  static Operand element(const Expr& e, const TensorArg& t,
                         const Shape& index) {
    const Shape& sizes = t.type.sizes;
    if (index.size() < sizes.size()) {
      throw Stop{"'" + to_string(e) + "' has " +
                 std::to_string(index.size()) + " indices for a tensor of " +
                 "rank " + std::to_string(sizes.size())};
    }
    const std::size_t extra = index.size() - sizes.size();
    std::int64_t linear = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      // A dimension of size 1 repeats.
      const std::int64_t i = sizes[d] == 1 ? 0 : index[extra + d];
      if (i < 0 || i >= sizes[d]) {
        throw Stop{"'" + to_string(e) + "' is out of range"};
      }
      linear = linear * sizes[d] + i;
    }
    return read(e, t, linear);
  }

  static Operand linear_element(const Expr& e, const TensorArg& t,
                                const Shape& index) {
    if (index.size() != 1 || index[0] < 0 ||
        index[0] >= element_count(t.type.sizes)) {
      throw Stop{"'" + to_string(e) + "' is out of range"};
    }
    return read(e, t, index[0]);
  }

  static Operand read(const Expr& e, const TensorArg& t,
                      std::int64_t linear) {
    if (t.value == nullptr) {
      throw Stop{"the elements of '" + to_string(*e.args[0]) +
                 "' are not known"};
    }
    if (is_float(t.type.dtype)) return t.value->number(linear);
    return t.value->integer(linear);
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
      throw Stop{"'" + to_string(e) + "' does not fit the indices of '" +
                 d.name + "'"};
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
    Reduction r(e.text);
    each(e, 0, scope, &r);
    return r.result(e);
  }

  struct Reduction {
    explicit Reduction(const std::string& name) : op(name) {}
    std::string op;
    std::optional<Operand> total;
    std::int64_t count = 0;
    bool any = false, all = true, done = false;

    Operand result(const Expr& e) const {
      if (op == "any") return any;
      if (op == "all") return all;
      if (op == "count") return count;
      if (total && op == "mean") {
        return *number_of(*total) / static_cast<double>(count);
      }
      if (total) return *total;
      if (op == "sum") return std::int64_t{0};
      if (op == "prod") return std::int64_t{1};
      throw Stop{"'" + to_string(e) + "' is over nothing"};
    }
  };

  // Runs over the ranges from binder `n` on, innermost last.
  void each(const Expr& e, std::size_t n, Scope& scope, Reduction* r) {
    if (n == e.binders.size()) {
      tick();
      one(e, scope, r);
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
      for (std::int64_t i = from; i < to && !r->done; ++i) {
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

  void each_pack(const Expr& e, std::size_t n, Scope& scope, Reduction* r) {
    const Binder& b = e.binders[n];
    const Operand v = eval(*b.to, scope);
    const auto* sizes = std::get_if<Shape>(&v);
    if (sizes == nullptr) {
      throw Stop{"the range of '" + b.name + "...' is " + describe(v) +
                 ", expected a shape"};
    }
    for (const std::int64_t s : *sizes) {
      if (s <= 0) return;
    }
    Shape index(sizes->size(), 0);
    while (!r->done) {
      scope[b.name] = index;
      each(e, n + 1, scope, r);
      std::size_t d = index.size();
      while (d > 0 && ++index[d - 1] == (*sizes)[d - 1]) index[--d] = 0;
      if (d == 0) return;
    }
  }

  void one(const Expr& e, Scope& scope, Reduction* r) {
    const Expr& body = *e.args[0];
    ++r->count;
    if (r->op == "any" || r->op == "all" || r->op == "count") {
      const bool t = truth(body, scope);
      r->any = r->any || t;
      r->all = r->all && t;
      if (r->op == "count" && !t) --r->count;
      r->done = (r->op == "any" && t) || (r->op == "all" && !t);
      return;
    }
    const Operand v = eval(body, scope);
    if (!number_of(v)) {
      throw Stop{"'" + to_string(e) + "' reduces " + describe(v)};
    }
    if (!r->total) {
      r->total = v;
    } else if (r->op == "max" || r->op == "min") {
      r->total = *apply_static(r->op, {*r->total, v});
    } else {
      r->total = combine(r->op == "prod" ? "*" : "+", *r->total, v);
    }
  }

  static Operand combine(const char* op, const Operand& a, const Operand& b) {
    Expr e;
    e.kind = Expr::Kind::op;
    e.text = op;
    // Operands for the message of an overflow.
    const auto zero = std::make_shared<Expr>();
    e.args = {zero, zero};
    return arithmetic(e, a, b);
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
  } catch (const Stop& s) {
    return Error{s.message};
  }
}

}  // namespace assay
