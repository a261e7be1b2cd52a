// Formulas in a draft: their terms become values like those of any node, as
// long as indices are sums, quotients and remainders of the loops' variables.
#include <algorithm>

#include "compiler/graph/accumulate.h"
#include "compiler/nest/draft.h"

namespace assay::compiler {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Folds of as many terms may be written out, one value after another.
constexpr std::int64_t kMostUnrolled = 32;
static_assert(kMostUnrolled <= kReduceOrder.lanes);

std::optional<std::int64_t> number_of(const Formula& f, int id) {
  const Term& t = f.at(id);
  if (t.kind != Term::Kind::number) return std::nullopt;
  return static_cast<std::int64_t>(t.bits);
}

// The extents of the fold's ranges, if each is from 0 to a number.
std::optional<Shape> box_of(const Formula& f, const Term& fold) {
  Shape box;
  for (const Term::Range& r : fold.ranges) {
    const auto from = number_of(f, r.from), to = number_of(f, r.to);
    if (!from || !to || *from != 0 || *to < 1) return std::nullopt;
    box.push_back(*to);
  }
  return box;
}

bool has_variable(const Term& fold, int variable) {
  return std::any_of(
      fold.ranges.begin(), fold.ranges.end(),
      [&](const Term::Range& r) { return r.variable == variable; });
}

// Does a fold's term read a variable of a fold that it stands in? Folds in
// between are asked on their own.
bool reads_outer(const Formula& f, const Term& fold) {
  std::vector<bool> read(f.terms.size());
  read[at(fold.args[0])] = true;
  for (int id = fold.args[0]; id >= 0; --id) {
    const Term& t = f.at(id);
    if (!read[at(id)] || t.kind == Term::Kind::fold) continue;
    for (const int a : t.args) read[at(a)] = true;
    if (t.kind == Term::Kind::variable && !has_variable(fold, t.variable) &&
        std::any_of(f.terms.begin(), f.terms.end(), [&](const Term& other) {
          return has_variable(other, t.variable);
        })) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<int> folds_of(const Formula& f) {
  std::vector<int> folds;
  for (std::size_t i = 0; i < f.terms.size(); ++i) {
    if (f.terms[i].kind == Term::Kind::fold) {
      folds.push_back(static_cast<int>(i));
    }
  }
  return folds;
}

std::optional<Shape> folded_box(const Formula& f) {
  std::optional<Shape> common;
  for (const int fold : folds_of(f)) {
    const std::optional<Shape> box = box_of(f, f.at(fold));
    if (!box || (common && *common != *box)) return std::nullopt;
    common = box;
  }
  return common;
}

bool folds_windows(const Formula& f) {
  const std::optional<Shape> box = folded_box(f);
  return box && element_count(*box) <= kMostUnrolled;
}

class FormulaDraft {
 public:
  FormulaDraft(Draft* draft, const Placement& p, int k, NodeId id,
               const Index& index)
      : draft_(*draft),
        p_(p),
        kernel_(k),
        node_(p.body.at(id)),
        formula_(*node_.formula),
        variables_(at(formula_.variables)),
        made_(formula_.terms.size()),
        most_computed_(folds_of(formula_).empty() && !p.in_piece ? 1
                                                                 : kMostRows) {
    std::copy(index.begin(), index.end(), variables_.begin());
  }

  // The variables of a fold are those of the row.
  void enter(const Term& fold, const Index& row) {
    for (std::size_t d = 0; d < fold.ranges.size(); ++d) {
      variables_[at(fold.ranges[d].variable)] = row[d];
    }
  }
  void set(int term, Value v) { made_[at(term)] = draft_.push(std::move(v)); }

  std::optional<int> emit(int id) {
    std::optional<int>& v = made_[at(id)];
    if (!v) v = emit_new(id);
    return v;
  }
  std::optional<int> root() {
    return emit(static_cast<int>(formula_.terms.size()) - 1);
  }

 private:
  std::optional<int> emit_new(int id) {
    const Term& t = formula_.at(id);
    Value v;
    v.dtype = t.dtype;
    switch (t.kind) {
      case Term::Kind::number:
        v.kind = Value::Kind::scalar;
        v.bits = t.bits;
        return draft_.push(std::move(v));
      case Term::Kind::load:
        return load(t);
      case Term::Kind::fold:
        return unrolled(t);  // else it were made
      case Term::Kind::variable:
      case Term::Kind::apply:
        if (std::optional<IndexExpr> e = index_of(id)) {
          v.kind = Value::Kind::index;
          v.at = std::move(*e);
          return draft_.push(std::move(v));
        }
        if (const std::optional<bool> known = decided(t)) return truth(*known);
        if (t.dtype == DType::boolean && (t.scalar == ScalarOp::logical_and ||
                                          t.scalar == ScalarOp::logical_or)) {
          return junction(t);
        }
        v.kind = Value::Kind::apply;
        v.op = t.scalar;
        break;
      case Term::Kind::cast:
        v.kind = Value::Kind::convert;
        break;
      case Term::Kind::choose:
        return choice(t);
    }
    for (const int a : t.args) {
      const std::optional<int> arg = emit(a);
      if (!arg) return std::nullopt;
      v.args.push_back(*arg);
    }
    return draft_.push(std::move(v));
  }

  int truth(bool value) {
    Value v;
    v.kind = Value::Kind::scalar;
    v.dtype = DType::boolean;
    v.bits = value ? 1 : 0;
    return draft_.push(std::move(v));
  }
  std::optional<bool> truth_of(int value) const {
    const Value& v = draft_.kernel().values[at(value)];
    if (v.kind != Value::Kind::scalar || v.dtype != DType::boolean) {
      return std::nullopt;
    }
    return v.bits != 0;
  }

  // A comparison of indices that has one outcome at every point.
  std::optional<bool> decided(const Term& t) const {
    if (t.args.size() != 2) return std::nullopt;
    const bool strict = t.scalar == ScalarOp::lt || t.scalar == ScalarOp::ge;
    const bool loose = t.scalar == ScalarOp::le || t.scalar == ScalarOp::gt;
    if (!strict && !loose) return std::nullopt;
    const std::optional<Difference> a = difference_of(t.args[0]);
    const std::optional<Difference> b = difference_of(t.args[1]);
    if (!a || !b) return std::nullopt;
    const Difference d = less(a->plus + b->minus, a->minus + b->plus);
    // Of a < b or a <= b; the others say the opposite.
    const std::int64_t gap = strict ? 1 : 0;
    const bool negated = t.scalar == ScalarOp::ge || t.scalar == ScalarOp::gt;
    if (d.highest() + gap <= 0) return !negated;
    if (d.lowest() + gap > 0) return negated;
    return std::nullopt;
  }

  std::optional<int> junction(const Term& t) {
    const std::optional<int> a = emit(t.args[0]);
    const std::optional<int> b = a ? emit(t.args[1]) : std::nullopt;
    if (!b) return std::nullopt;
    return joined(t.scalar, *a, *b);
  }

  // logical_and or logical_or of two truth values.
  int joined(ScalarOp op, int a, int b) {
    const bool neutral = op == ScalarOp::logical_and;
    for (const auto& [x, other] : {std::pair{a, b}, std::pair{b, a}}) {
      const std::optional<bool> known = truth_of(x);
      if (known) return *known == neutral ? other : truth(!neutral);
    }
    return applied(op, DType::boolean, {a, b});
  }

  int applied(ScalarOp op, DType t, std::vector<int> args) {
    Value v;
    v.kind = Value::Kind::apply;
    v.dtype = t;
    v.op = op;
    v.args = std::move(args);
    return draft_.push(std::move(v));
  }

  // Of truth values, of which one is known: no choice, of which compilers make
  // no vectors.
  std::optional<int> choice(const Term& t) {
    const std::optional<int> when = emit(t.args[0]);
    if (!when) return std::nullopt;
    if (const auto known = truth_of(*when)) {
      return emit(t.args[*known ? 1 : 2]);
    }
    const std::optional<int> then = emit(t.args[1]);
    const std::optional<int> other = then ? emit(t.args[2]) : std::nullopt;
    if (!other) return std::nullopt;
    const auto unless = [&] {
      return applied(ScalarOp::logical_not, DType::boolean, {*when});
    };
    if (const auto known = truth_of(*then)) {
      return *known ? joined(ScalarOp::logical_or, *when, *other)
                    : joined(ScalarOp::logical_and, unless(), *other);
    }
    if (const auto known = truth_of(*other)) {
      return *known ? joined(ScalarOp::logical_or, unless(), *then)
                    : joined(ScalarOp::logical_and, *when, *then);
    }
    return applied(ScalarOp::select, t.dtype, {*when, *then, *other});
  }

  // A fold over a window that has the same few elements at every point. Each
  // has a lane of its own, and these are joined as reduce.inc does.
  std::optional<int> unrolled(const Term& t) {
    Shape extents;
    Index from;
    for (const Term::Range& r : t.ranges) {
      std::optional<IndexExpr> lo = index_of(r.from), hi = index_of(r.to);
      if (!lo || !hi || lo->terms != hi->terms ||
          hi->constant <= lo->constant) {
        return std::nullopt;
      }
      extents.push_back(hi->constant - lo->constant);
      from.push_back(std::move(*lo));
    }
    const std::int64_t count = element_count(extents);
    if (count > kMostUnrolled) return std::nullopt;
    Value zero;
    zero.kind = Value::Kind::scalar;
    zero.dtype = t.dtype;
    zero.bits = identity_of(t.combiner, t.dtype);
    const int identity = draft_.push(std::move(zero));
    const std::vector<std::optional<int>> outside = made_;
    std::vector<int> lanes;
    for (std::int64_t n = 0; n < count; ++n) {
      std::int64_t rest = n;
      for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) {
        variables_[at(t.ranges[d].variable)] =
            from[d] + IndexExpr::number(rest % extents[d]);
      }
      made_ = outside;
      const std::optional<int> term = emit(t.args[0]);
      if (!term) return std::nullopt;
      lanes.push_back(joined(t, identity, *term));
    }
    made_ = outside;
    std::size_t half = 1;
    while (2 * half < lanes.size()) half *= 2;
    for (; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half && l + half < lanes.size(); ++l) {
        lanes[l] = joined(t, lanes[l], lanes[l + half]);
      }
      lanes.resize(std::min(lanes.size(), half));
    }
    return joined(t, identity, lanes[0]);
  }

  int joined(const Term& t, int a, int b) {
    return applied(step_of(t.combiner), t.dtype, {a, b});
  }

  std::optional<int> load(const Term& t) {
    const NodeId operand = node_.args[at(t.operand)];
    const Shape& sizes = p_.body.at(operand).type.sizes;
    Index index;
    std::vector<std::size_t> by_element;  // dimensions
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      std::optional<IndexExpr> e =
          sizes[d] == 1 ? IndexExpr::number(0) : index_of(t.args[d]);
      if (!e) {
        if (by_element.size() == most_computed_) return std::nullopt;
        by_element.push_back(d);
        e = IndexExpr::number(0);
      } else if (largest(*e, draft_.kernel().extents()) >= sizes[d]) {
        return std::nullopt;
      }
      index.push_back(std::move(*e));
    }
    if (by_element.empty()) return draft_.emit(p_, kernel_, operand, index);
    return gather(t, operand, index, by_element);
  }

  // Those indices are computed: elements, or what may be out of range.
  std::optional<int> gather(const Term& t, NodeId operand, const Index& index,
                            const std::vector<std::size_t>& dims) {
    const std::optional<BufferView> view =
        strided_view(p_.body, p_.roots.stored, operand, Op::formula);
    const NodeId base =
        view_base(p_.body, p_.roots.stored, operand, Op::formula);
    if (!view || p_.producer[at(base)] >= kernel_ || p_.buffer[at(base)] < 0) {
      return std::nullopt;
    }
    Value v;
    v.kind = Value::Kind::gather;
    v.dtype = t.dtype;
    v.buffer = p_.buffer[at(base)];
    v.at = offset_of(index, view->strides) + IndexExpr::number(view->offset);
    for (const std::size_t d : dims) {
      const std::optional<int> row = emit(t.args[d]);
      if (!row) return std::nullopt;
      v.args.push_back(*row);
      v.rows.push_back(p_.body.at(operand).type.sizes[d]);
      v.row_strides.push_back(view->strides[d]);
    }
    return draft_.push(std::move(v));
  }

  // What is never negative, by its words or as what is left of a difference.
  std::optional<IndexExpr> index_of(int id) const {
    if (std::optional<IndexExpr> e = plain_index_of(id)) return e;
    const std::optional<Difference> d = difference_of(id);
    if (!d || !d->minus.terms.empty() || d->lowest() < 0) return std::nullopt;
    IndexExpr e = d->plus;
    e.constant -= d->minus.constant;
    return e;
  }

  // plus - minus, of which no variable is in both.
  struct Difference {
    IndexExpr plus, minus;
    Shape extents;

    std::int64_t lowest() const {
      return plus.constant - largest(minus, extents);
    }
    std::int64_t highest() const {
      return largest(plus, extents) - minus.constant;
    }
  };

  Difference less(IndexExpr plus, IndexExpr minus) const {
    for (IndexTerm& p : plus.terms) {
      for (IndexTerm& m : minus.terms) {
        if (!(p.atom == m.atom)) continue;
        const std::int64_t both = std::min(p.factor, m.factor);
        p.factor -= both;
        m.factor -= both;
      }
    }
    const auto none = [](const IndexTerm& t) { return t.factor == 0; };
    for (IndexExpr* e : {&plus, &minus}) {
      e->terms.erase(std::remove_if(e->terms.begin(), e->terms.end(), none),
                     e->terms.end());
    }
    const std::int64_t both = std::min(plus.constant, minus.constant);
    plus.constant -= both;
    minus.constant -= both;
    return {std::move(plus), std::move(minus), draft_.kernel().extents()};
  }

  std::optional<Difference> difference_of(int id) const {
    if (const std::optional<IndexExpr> e = plain_index_of(id)) {
      return less(*e, {});
    }
    const Term& t = formula_.at(id);
    if (t.dtype != DType::i64) return std::nullopt;
    if (const auto n = number_of(formula_, id)) {
      return less(IndexExpr::number(std::max<std::int64_t>(*n, 0)),
                  IndexExpr::number(std::max<std::int64_t>(-*n, 0)));
    }
    if (t.kind != Term::Kind::apply || t.args.empty()) return std::nullopt;
    const std::optional<Difference> a = difference_of(t.args[0]);
    if (!a) return std::nullopt;
    if (t.scalar == ScalarOp::neg) return less(a->minus, a->plus);
    if (t.scalar == ScalarOp::abs) {
      if (a->lowest() >= 0) return a;
      if (a->highest() <= 0) return less(a->minus, a->plus);
      return std::nullopt;
    }
    const std::optional<Difference> b =
        t.args.size() == 2 ? difference_of(t.args[1]) : std::nullopt;
    if (!b) return std::nullopt;
    const auto apart = [&] {
      return less(a->plus + b->minus, a->minus + b->plus);
    };
    const bool number = b->plus.terms.empty() && b->minus.terms.empty();
    const std::int64_t n = b->plus.constant - b->minus.constant;
    switch (t.scalar) {
      case ScalarOp::add:
        return less(a->plus + b->plus, a->minus + b->minus);
      case ScalarOp::sub:
        return apart();
      case ScalarOp::mul:
        if (!number) return std::nullopt;
        if (n < 0) return less(a->minus * -n, a->plus * -n);
        return less(a->plus * n, a->minus * n);
      case ScalarOp::maximum:
      case ScalarOp::minimum: {
        const bool up = t.scalar == ScalarOp::maximum;
        if (apart().lowest() >= 0) return up ? a : b;
        if (apart().highest() <= 0) return up ? b : a;
        return std::nullopt;
      }
      case ScalarOp::floor_div: {
        if (!number || n < 1 || !a->minus.terms.empty()) return std::nullopt;
        // As many times n added before, and taken away after, as it takes.
        const std::int64_t times = (a->minus.constant + n - 1) / n;
        const IndexExpr shifted =
            a->plus + IndexExpr::number(times * n - a->minus.constant);
        return less(divide(shifted, n, draft_.kernel().extents()),
                    IndexExpr::number(times));
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<IndexExpr> plain_index_of(int id) const {
    const Term& t = formula_.at(id);
    if (t.dtype != DType::i64) return std::nullopt;
    if (t.kind == Term::Kind::variable) return variables_[at(t.variable)];
    if (const auto n = number_of(formula_, id)) {
      if (*n < 0) return std::nullopt;
      return IndexExpr::number(*n);
    }
    if (t.kind != Term::Kind::apply || t.args.size() != 2) return std::nullopt;
    const std::optional<IndexExpr> a = plain_index_of(t.args[0]);
    const std::optional<IndexExpr> b = plain_index_of(t.args[1]);
    if (!a || !b) return std::nullopt;
    const auto number = [](const IndexExpr& e) { return e.terms.empty(); };
    const Shape extents = draft_.kernel().extents();
    switch (t.scalar) {
      case ScalarOp::add:
        return *a + *b;
      case ScalarOp::mul:
        if (number(*b)) return *a * b->constant;
        if (number(*a)) return *b * a->constant;
        return std::nullopt;
      case ScalarOp::floor_div:
      case ScalarOp::trunc_div:
        if (!number(*b) || b->constant < 1) return std::nullopt;
        return divide(*a, b->constant, extents);
      case ScalarOp::sub:
        return difference(t, *a, *b, extents);
      case ScalarOp::maximum:
        if (largest(*a, extents) <= b->constant) return b;
        if (largest(*b, extents) <= a->constant) return a;
        return std::nullopt;
      case ScalarOp::minimum:
        if (largest(*a, extents) <= b->constant) return a;
        if (largest(*b, extents) <= a->constant) return b;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // a - b: a number that a certainly has, or what a division leaves.
  std::optional<IndexExpr> difference(const Term& t, const IndexExpr& a,
                                      const IndexExpr& b,
                                      const Shape& extents) const {
    if (b.terms.empty() && a.constant >= b.constant) {
      IndexExpr less = a;
      less.constant -= b.constant;
      return less;
    }
    const Term& product = formula_.at(t.args[1]);
    if (product.kind != Term::Kind::apply || product.scalar != ScalarOp::mul) {
      return std::nullopt;
    }
    const auto by = number_of(formula_, product.args[1]);
    const Term& quotient = formula_.at(product.args[0]);
    if (!by || *by < 1 || quotient.kind != Term::Kind::apply ||
        quotient.scalar != ScalarOp::floor_div ||
        number_of(formula_, quotient.args[1]) != by ||
        plain_index_of(quotient.args[0]) != a) {
      return std::nullopt;
    }
    return modulo(a, *by, extents);
  }

  Draft& draft_;
  const Placement& p_;
  int kernel_;
  const GraphNode& node_;
  const Formula& formula_;
  Index variables_;                       // what each is in this kernel
  std::vector<std::optional<int>> made_;  // per term
  // Computed indices of one load. Where most elements are read where they lie,
  // as around a padded plane, a choice is faster than a gather in vectors; a
  // window has many loads for each of its results, and a piece few elements
  // where indices are computed.
  std::size_t most_computed_;
};

std::optional<int> Draft::emit_formula(const Placement& p, int k, NodeId id,
                                       const Index& index) {
  return FormulaDraft(this, p, k, id, index).root();
}

bool Draft::add_folds(const Placement& p, int k, NodeId id, const Index& index,
                      Stage stage) {
  const Formula& f = *p.body.at(id).formula;
  const std::vector<int> folds = folds_of(f);
  if (kernel_.stages.size() + folds.size() >= kMostStages) return false;
  const bool fresh = kernel_.stages.empty();
  FormulaDraft terms(this, p, k, id, index);
  const Index row(point_.end() - static_cast<std::ptrdiff_t>(row_dims_.size()),
                  point_.end());
  const int last = static_cast<int>(f.terms.size()) - 1;
  for (const int fold : folds) {
    const Term& t = f.at(fold);
    // It has another result for each row, and is no stage before it.
    if (reads_outer(f, t)) return false;
    terms.enter(t, row);
    const std::optional<int> v = terms.emit(t.args[0]);
    if (!v) return false;
    Stage reduce;
    reduce.kind = Stage::Kind::reduce;
    reduce.value = *v;
    reduce.combiner = t.combiner;
    reduce.order = kReduceOrder;
    if (fold == last) {
      reduce.buffer = stage.buffer;
      reduce.at = stage.at;
      stage_of_[id] = static_cast<int>(kernel_.stages.size());
    }
    Value result;
    result.kind = Value::Kind::reduced;
    result.dtype = t.dtype;
    result.stage = static_cast<int>(kernel_.stages.size());
    kernel_.stages.push_back(std::move(reduce));
    terms.set(fold, std::move(result));
  }
  if (folds.back() != last) {
    const std::optional<int> v = terms.root();
    if (!v) return false;
    stage.kind = Stage::Kind::row;
    stage.value = *v;
    stage_of_[id] = static_cast<int>(kernel_.stages.size());
    kernel_.stages.push_back(std::move(stage));
  }
  return fresh || kernel_.values.size() <= kMostValues;
}

}  // namespace assay::compiler
