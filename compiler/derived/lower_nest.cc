#include "compiler/derived/lower_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/derived/adjoint.h"
#include "compiler/derived/bands.h"
#include "compiler/derived/convolution.h"
#include "compiler/derived/depends.h"
#include "compiler/derived/index_values.h"
#include "compiler/derived/lines.h"
#include "compiler/derived/parts.h"
#include "compiler/derived/scalars.h"
#include "compiler/derived/scatter.h"
#include "compiler/derived/unsupported.h"
#include "compiler/derived/written_out.h"
#include "compiler/ops/dims.h"

namespace assay::compiler {
namespace {

using language::Elementary;
using language::IndexNode;
using language::Nest;
using language::Reduction;
using language::ReductionNode;
using language::ValueNode;

// One definition of a nest, as a formula.
class Definition {
 public:
  Definition(const Nest& nest, const Parts& parts, const NodeOfValue& node_of,
             const std::vector<NodeId>& definitions, Builder* graph)
      : nest_(nest),
        parts_(parts),
        node_of_(node_of),
        definitions_(definitions),
        graph_(*graph),
        f_(parts.wide(), !parts.has_floats()),
        known_(nest) {}

  // The node of definition number `n`, in its own type.
  NodeId temporary(std::size_t n) {
    const language::NestDefinition& d = nest_.definitions[n];
    set_extents(d.extents);
    return finish(value(d.body), d.extents);
  }

  // The node of the result: special values first, in order.
  NodeId result() {
    set_extents(nest_.out().extents);
    int body = value(nest_.out().body);
    for (std::size_t i = nest_.special.size(); i-- > 0;) {
      // Where none of the others holds: they stand outside of it.
      const language::NestClause& s = nest_.special[i];
      const int when = f_.truth(value(s.when));
      body = f_.choose(when, value(s.then), body);
    }
    return finish(f_.as(body, nest_.type.dtype), nest_.type.sizes);
  }

 private:
  void set_extents(const Shape& extents) {
    extents_ = extents;
    known_.clear();
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (extents[d] == 1) known_.set(static_cast<int>(d), 0);
    }
  }

  NodeId finish(int term, Shape sizes) {
    const DType t = f_.dtype(term);
    if (const auto operand = f_.whole_operand(term, sizes)) {
      const NodeId whole = operands_[static_cast<std::size_t>(*operand)];
      if (graph_.sizes(whole) == sizes) return whole;
    }
    f_.index_by(sizes.size());
    return graph_.formula(f_.take(term), operands_, {t, std::move(sizes)});
  }

  int written_out(int id) const { return compiler::written_out(nest_, id); }

  int value(int id) {
    using Op = ValueNode::Op;
    if (const int whole = written_out(id); whole != id) return value(whole);
    const ValueNode& v = nest_.node(id);
    switch (v.op) {
      case Op::integer:
        if (v.dtype == DType::u64) throw Unsupported{"numbers of u64"};
        return f_.integer(v.integer);
      case Op::real:
        return f_.real(v.number);
      case Op::pi:
        return f_.real(3.14159265358979323846);
      case Op::index:
        return index(v.a);
      case Op::element:
        return load(v.access);
      case Op::inside:
        return inside(v);
      case Op::either:
        return value(v.a);
      case Op::logical_and:
        return f_.choose(truth(v.a), truth(v.b), f_.boolean(false));
      case Op::logical_or:
        return f_.choose(truth(v.a), f_.boolean(true), truth(v.b));
      case Op::logical_not:
        return f_.apply(ScalarOp::logical_not, {truth(v.a)});
      case Op::where: {
        // No matter when.
        if (is_same_value(nest_, v.b, v.c)) return value(v.b);
        const int condition = truth(v.a);
        const int then = value(v.b);
        return f_.choose(condition, then, value(v.c));
      }
      case Op::round:
        // NaN is no whole number, and as a bool it is true.
        if (v.dtype == DType::boolean && is_nan(nest_, v.a)) {
          return f_.boolean(true);
        }
        return f_.rounded(value(v.a), v.dtype);
      case Op::reduce:
        return reduce(nest_.reduction(v.reduction));
      case Op::compare: {
        const int a = value(v.a);
        return f_.compare(scalar_of(v.comparison), a, value(v.b));
      }
      default:
        return v.b >= 0 ? binary(v) : unary(v);
    }
  }

  int truth(int id) { return f_.truth(value(id)); }

  int unary(const ValueNode& v) {
    using Op = ValueNode::Op;
    switch (v.op) {
      case Op::neg:
        // The least integer is not the greatest one's negative.
        if (is_infinite(nest_, v.a)) return f_.real(-*number_at(nest_, v.a));
        return f_.number(ScalarOp::neg, {value(v.a)});
      case Op::abs:
        return f_.number(ScalarOp::abs, {value(v.a)});
      case Op::sign:
        return f_.number(ScalarOp::sign, {value(v.a)});
      case Op::square: {
        const int x = value(v.a);
        return f_.number(ScalarOp::mul, {x, x});
      }
      case Op::floor:
      case Op::ceil:
      case Op::trunc:
      case Op::round_even:
        return rounded_to_whole(v);
      case Op::rsqrt:
        return function(ScalarOp::rsqrt, v.a);
      case Op::isnan:
        return f_.of_float(ScalarOp::isnan, value(v.a));
      case Op::isinf:
        return f_.of_float(ScalarOp::isinf, value(v.a));
      case Op::signbit:
        return f_.of_float(ScalarOp::signbit, value(v.a));
      case Op::elementary:
        break;
      default:
        throw Unsupported{"an operation that has no text"};
    }
    const auto op = scalar_of(v.elementary);
    if (!op) {
      throw Unsupported{
          fmt::format("{}, which has no text of ours",
                      language::function_name(language::id_of(v.elementary)))};
    }
    return function(*op, v.a);
  }

  // Of an element of a definition that is smaller than this one it is computed
  // once for each of those.
  int function(ScalarOp op, int x) {
    const ValueNode& v = nest_.node(written_out(x));
    if (v.op == ValueNode::Op::element) {
      const language::Access& a = nest_.access(v.access);
      const NodeId all = node_of(a);
      const DType t = graph_.dtype(all);
      if (a.is_definition() && is_wide_float(t) &&
          2 * element_count(a.sizes) <= element_count(extents_)) {
        return f_.load(operand(graph_.map(op, {all})), t, indices(a));
      }
    }
    return f_.floating(op, {value(x)});
  }

  // A quotient of whole numbers is rounded as one, and never passes through a
  // float that cannot hold it.
  int rounded_to_whole(const ValueNode& v) {
    using Op = ValueNode::Op;
    const ValueNode& inner = nest_.node(written_out(v.a));
    if (inner.op == Op::div && v.op == Op::floor) {
      // A shift, where both are whole.
      const auto places = power_of_two(inner.b);
      const int x = places ? value(inner.a) : 0;
      if (places && f_.is_whole(x) && f_.is_whole(*places)) {
        return f_.shifted_right(x, *places);
      }
    }
    if (inner.op == Op::div && v.op != Op::round_even) {
      const int a = value(inner.a);
      const int b = value(inner.b);
      if (f_.is_whole(a) && f_.is_whole(b)) {
        if (v.op == Op::floor) return f_.floor_div(a, b);
        return v.op == Op::ceil ? f_.ceil_div(a, b) : f_.trunc_div(a, b);
      }
      return f_.whole_quotient(scalar_of(v.op), a, b);
    }
    return f_.to_whole(scalar_of(v.op), value(v.a));
  }

  // n, where the node is exp2(n).
  std::optional<int> power_of_two(int id) {
    if (!is_function(nest_, id, Elementary::exp2)) return std::nullopt;
    return value(nest_.node(written_out(id)).a);
  }

  int binary(const ValueNode& v) {
    using Op = ValueNode::Op;
    if (v.op == Op::mul) {
      if (const auto n = power_of_two(v.b)) {
        return f_.times_power_of_two(value(v.a), *n);
      }
      if (is_function(nest_, v.a, Elementary::exp) &&
          is_function(nest_, v.b, Elementary::erfc)) {
        throw Unsupported{"exp times erfc, of which one overflows"};
      }
    }
    if (const auto sum = fused(v)) return *sum;
    const int a = value(v.a);
    // A product with 1 is the other factor.
    if (v.op == Op::mul && number_at(nest_, v.b) == 1.0 && !f_.is_whole(a))
      return a;
    const int b = value(v.b);
    if (const auto op = arithmetic_of(v.op)) return f_.number(*op, {a, b});
    switch (v.op) {
      case Op::div:
        return f_.floating(ScalarOp::div, {a, b});
      case Op::bitwise:
        return bitwise(v.bitwise, a, b);
      case Op::binary:
        return of_two(v.binary, a, b);
      case Op::special:
        return f_.floating(special_of(v.special, number_at(nest_, v.a)),
                           {a, b});
      default:
        if (opmath(v.dtype) != f_.wide()) throw Unsupported{"such a nextafter"};
        return f_.floating(nextafter_of(v.dtype), {a, b});
    }
  }

  // a * b + c of elements that a sum in doubles normalises: rounded once, so
  // that a product has its sign where f32 does not hold it.
  std::optional<int> fused(const ValueNode& v) {
    const ValueNode& m = nest_.node(written_out(v.a));
    if (v.op != ValueNode::Op::add || m.op != ValueNode::Op::mul ||
        parts_.of_sums() == f_.wide() || number_at(nest_, m.b) == 1.0) {
      return std::nullopt;
    }
    const int a = value(m.a);
    const int b = value(m.b);
    const int c = value(v.b);
    if (!f_.is_whole(a) || !f_.is_whole(b)) {
      return f_.floating(ScalarOp::fma, {a, b, c});
    }
    return f_.number(ScalarOp::add, {f_.number(ScalarOp::mul, {a, b}), c});
  }

  int bitwise(language::Bitwise op, int a, int b) {
    if (!f_.is_whole(a) || !f_.is_whole(b)) {
      throw Unsupported{"operations on bits of floats"};
    }
    return f_.number(scalar_of(op), {a, b});
  }

  int of_two(language::Binary op, int a, int b) {
    const bool whole = f_.is_whole(a) && f_.is_whole(b);
    if (whole && op == language::Binary::remainder) {
      return f_.rest(a, f_.floor_div(a, b), b);
    }
    if (whole && op == language::Binary::fmod) {
      return f_.rest(a, f_.trunc_div(a, b), b);
    }
    // In a float a negative power of a whole number is no whole number.
    if (whole && op == language::Binary::pow && !parts_.has_floats()) {
      return f_.number(ScalarOp::pow, {a, b});
    }
    if (op == language::Binary::pow) return f_.power(a, b);
    if (op == language::Binary::fmod) return f_.float_rest(a, b);
    return f_.floating(scalar_of(op), {a, b});
  }

  int index(int id) {
    using Op = IndexNode::Op;
    if (const auto number = known_.index(id)) return f_.integer(*number);
    const IndexNode& x = nest_.index(id);
    switch (x.op) {
      case Op::slot:
        return f_.variable(x.value == scanned_ ? along_
                                               : static_cast<int>(x.value));
      case Op::neg:
        return f_.apply(ScalarOp::neg, {index(x.a)});
      case Op::abs:
        return f_.apply(ScalarOp::abs, {index(x.a)});
      case Op::element:
        return f_.as(load(static_cast<int>(x.value)), DType::i64);
      case Op::select: {
        const int condition = truth(x.a);
        const int then = index(x.b);
        return f_.choose(condition, then, index(x.c));
      }
      default:
        break;
    }
    const int a = index(x.a);
    const int b = index(x.b);
    if (const auto op = arithmetic_of(x.op)) return f_.apply(*op, {a, b});
    switch (x.op) {
      case Op::floor_div:
        return f_.floor_div(a, b);
      case Op::ceil_div:
        return f_.ceil_div(a, b);
      default:
        return f_.rest(a, f_.floor_div(a, b), b);  // mod
    }
  }

  // What an access reads.
  NodeId node_of(const language::Access& a) {
    if (a.stored) throw Unsupported{"memory that is read as another type"};
    const NodeId node =
        a.is_definition()
            ? definitions_[static_cast<std::size_t>(a.definition())]
            : node_of_(a.source);
    if (graph_.dtype(node) == DType::u64) throw Unsupported{"u64"};
    return graph_.reshape(node, a.sizes);
  }

  // Which of the formula's operands that is.
  int operand(NodeId node) {
    const auto found = std::find(operands_.begin(), operands_.end(), node);
    if (found != operands_.end()) {
      return static_cast<int>(found - operands_.begin());
    }
    operands_.push_back(node);
    return static_cast<int>(operands_.size()) - 1;
  }

  std::vector<int> indices(const language::Access& a) {
    std::vector<int> out;
    for (const int i : a.index) out.push_back(index(i));
    return out;
  }

  int load(int access) {
    const language::Access& a = nest_.access(access);
    const int from = operand(node_of(a));
    return f_.load(from,
                   graph_.dtype(operands_[static_cast<std::size_t>(from)]),
                   indices(a));
  }

  int inside(const ValueNode& v) {
    const language::Access& a = nest_.access(v.access);
    int condition = f_.boolean(true);
    for (std::size_t d = 0; d < a.index.size(); ++d) {
      const int i = index(a.index[d]);
      const int above = f_.compare(ScalarOp::ge, i, f_.integer(0));
      const int below =
          f_.compare(ScalarOp::lt, index(a.index[d]), f_.integer(a.sizes[d]));
      condition = f_.apply(
          ScalarOp::logical_and,
          {condition, f_.apply(ScalarOp::logical_and, {above, below})});
    }
    const int element = load(v.access);
    return f_.choose(condition, element, value(v.a));
  }

  // In the type that reals are computed in.
  NodeId wide(const language::Access* a) {
    return graph_.convert(node_of(*a), f_.wide());
  }

  // The element here of a convolution, or a transposed one, if the sum is that.
  std::optional<int> convolved(const ReductionNode& r) {
    const auto c = recognise_convolution(nest_, r, extents_);
    if (!c) return std::nullopt;
    return here(
        lower_convolution(*c, wide(c->x), wide(c->w), extents_, &graph_));
  }

  std::optional<int> spread(const ReductionNode& r) {
    if (depth_ > 0) return std::nullopt;
    const auto a = recognise_adjoint(nest_, r, extents_);
    if (!a) return std::nullopt;
    return here(lower_adjoint(*a, wide(a->x), wide(a->w), extents_, &graph_));
  }

  // The element here of what runs along a dimension.
  std::optional<int> running(const ReductionNode& r) {
    Combiner combiner = Combiner::sum;
    if (r.kind == Reduction::prod) combiner = Combiner::product;
    if (r.kind == Reduction::max) combiner = Combiner::maximum;
    if (r.kind == Reduction::min) combiner = Combiner::minimum;
    const bool counts = r.kind == Reduction::count;
    if (r.kind != Reduction::sum && !counts && combiner == Combiner::sum) {
      return std::nullopt;
    }
    const std::optional<int> along =
        depth_ > 0 ? std::nullopt : runs_along(nest_, r, extents_);
    if (!along || element_count(extents_) == 0) return std::nullopt;
    Definition terms = along_dimension(r.ranges[0].slot, *along, extents_);
    const int term = counts ? terms.f_.as(terms.truth(r.body), DType::i64)
                            : terms.f_.arithmetic(terms.value(r.body));
    const NodeId x = terms.finish(term, extents_);
    return here(graph_.scan(combiner,
                            graph_.reshape(x, lines_along(*along, extents_))));
  }

  // What lowers values of which range `slot` lies along dimension `d`.
  Definition along_dimension(int slot, int d, const Shape& extents) {
    Definition out(nest_, parts_, node_of_, definitions_, &graph_);
    out.set_extents(extents);
    out.scanned_ = slot;
    out.along_ = d;
    out.depth_ = 1;
    return out;
  }

  // The element here of the terms whose key names it.
  std::optional<int> scattered(const ReductionNode& r) {
    if (depth_ > 0 || element_count(extents_) == 0) return std::nullopt;
    const std::optional<Scatter> s =
        recognise_scatter(nest_, r, static_cast<int>(extents_.size()));
    if (!s) return std::nullopt;
    Shape extents = extents_;
    extents[static_cast<std::size_t>(s->dimension)] = s->terms;
    const auto all = [&](Definition* d, int term, const Shape& of) {
      const NodeId x = graph_.expand(d->finish(term, of), extents);
      return graph_.reshape(x, lines_along(s->dimension, extents));
    };
    // One key for all of a dimension that it does not hang on.
    const int slot = r.ranges[0].slot;
    Shape key_extents = extents;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const int at = static_cast<int>(d);
      if (at == s->dimension) continue;
      if (!value_depends_on(nest_, s->key, at)) key_extents[d] = 1;
    }
    Definition keys = along_dimension(slot, s->dimension, key_extents);
    const NodeId key =
        all(&keys, keys.f_.as(keys.value(s->key), DType::i64), key_extents);
    Definition terms = along_dimension(slot, s->dimension, extents);
    int term = s->value < 0 ? terms.f_.integer(1)
                            : terms.f_.arithmetic(terms.value(s->value));
    for (const int c : s->conditions) {
      term = terms.f_.choose(terms.truth(c), term, terms.f_.integer(0));
    }
    const NodeId x = all(&terms, term, extents);
    const int sum =
        here(graph_.scatter(Combiner::sum, key, x,
                            extents_[static_cast<std::size_t>(s->dimension)]));
    return r.kind == Reduction::any ? f_.truth(sum) : sum;
  }

  // The element at the indices that are asked for.
  int here(NodeId whole) {
    std::vector<int> indices;
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      indices.push_back(f_.variable(static_cast<int>(d)));
    }
    return f_.load(operand(graph_.reshape(whole, extents_)),
                   graph_.dtype(whole), indices);
  }

  int reduce(const ReductionNode& r) {
    std::optional<int> whole = convolved(r);
    if (!whole) whole = spread(r);
    if (!whole) whole = running(r);
    if (!whole) whole = scattered(r);
    if (whole) return *whole;
    const auto of = [&](Combiner c, const auto& body) {
      return fold(r, 0, c, body);
    };
    const auto number = [&] { return f_.arithmetic(value(r.body)); };
    const auto summed = [&] {
      const DType outside = f_.wide();
      f_.set_wide(parts_.of_sums());
      const int term = number();
      f_.set_wide(outside);
      return term;
    };
    switch (r.kind) {
      case Reduction::sum:
        return of(Combiner::sum, summed);
      case Reduction::prod:
        return of(Combiner::product, number);
      case Reduction::max:
        return of(Combiner::maximum, number);
      case Reduction::min:
        return of(Combiner::minimum, number);
      case Reduction::mean: {
        const int sum = of(Combiner::sum, summed);
        const auto terms = known_.terms(r);
        const int count =
            terms ? f_.integer(*terms)
                  : of(Combiner::sum, [&] { return f_.integer(1); });
        return f_.floating(ScalarOp::div, {sum, count});
      }
      case Reduction::any:
        return of(Combiner::maximum, [&] { return truth(r.body); });
      case Reduction::all:
        return of(Combiner::minimum, [&] { return truth(r.body); });
      case Reduction::count:
        return of(Combiner::sum,
                  [&] { return f_.as(truth(r.body), DType::i64); });
      case Reduction::which:
        break;
    }
    // The first index for which it holds.
    const int slot = r.ranges.front().slot;
    return of(Combiner::minimum, [&] {
      const int holds = truth(r.body);
      const int here = f_.variable(slot);
      return f_.choose(holds, here, f_.integer(INT64_MAX));
    });
  }

  // The fold over ranges `first` and on. A range whose ends hang on another of
  // them is a fold inside of the other's.
  template <class Body>
  int fold(const ReductionNode& r, std::size_t first, Combiner combiner,
           const Body& body) {
    std::vector<Term::Range> ranges;
    std::vector<int> slots;
    std::size_t n = first;
    for (; n < r.ranges.size(); ++n) {
      const ReductionNode::Range& range = r.ranges[n];
      const auto hangs = [&](int i) { return depends_on(nest_, i, slots); };
      if (hangs(range.from) || hangs(range.to)) break;
      const int from = range.from < 0 ? f_.integer(0) : index(range.from);
      ranges.push_back({range.slot, from, index(range.to)});
      slots.push_back(range.slot);
    }
    ++depth_;
    const int term = n == r.ranges.size() ? body() : fold(r, n, combiner, body);
    --depth_;
    return fold_within_bands(f_, combiner, std::move(ranges), term);
  }

  const Nest& nest_;
  const Parts& parts_;
  const NodeOfValue& node_of_;
  const std::vector<NodeId>& definitions_;
  Builder& graph_;
  FormulaBuilder f_;
  Shape extents_;      // of the definition
  IndexValues known_;  // its indices that have one value
  int depth_ = 0;      // folds around what is lowered
  // A slot whose terms lie along a dimension.
  int scanned_ = -1, along_ = -1;
  std::vector<NodeId> operands_;
};

}  // namespace

Result<NodeId> lower_nest(const Nest& nest, const NodeOfValue& node_of,
                          Builder* builder) {
  const Parts parts(nest);
  std::vector<NodeId> definitions;
  try {
    for (std::size_t n = 0; n + 1 < nest.definitions.size(); ++n) {
      definitions.push_back(
          Definition(nest, parts, node_of, definitions, builder).temporary(n));
    }
    return Definition(nest, parts, node_of, definitions, builder).result();
  } catch (const Unsupported& u) {
    return Error{u.what};
  }
}

}  // namespace assay::compiler
