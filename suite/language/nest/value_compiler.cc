#include "suite/language/nest/value_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suite/language/functions/promote.h"
#include "suite/language/nest/contraction.h"

namespace assay::language {
namespace {

using Op = ValueNode::Op;

bool is_truth(Op op) {
  return op == Op::compare || op == Op::logical_and || op == Op::logical_or ||
         op == Op::logical_not || op == Op::isnan || op == Op::isinf ||
         op == Op::signbit;
}

bool keeps_integers(Op op) {
  return op == Op::neg || op == Op::abs || op == Op::square || op == Op::add ||
         op == Op::sub || op == Op::mul || op == Op::max || op == Op::min ||
         op == Op::binary || op == Op::bitwise;
}

std::optional<Op> unary_of(FunctionId f) {
  using F = FunctionId;
  constexpr std::pair<F, Op> kUnary[] = {
      {F::abs, Op::abs},     {F::sign, Op::sign},
      {F::floor, Op::floor}, {F::ceil, Op::ceil},
      {F::trunc, Op::trunc}, {F::round_even, Op::round_even},
      {F::rsqrt, Op::rsqrt}, {F::isnan, Op::isnan},
      {F::isinf, Op::isinf}, {F::signbit, Op::signbit}};
  for (const auto& [function, op] : kUnary) {
    if (function == f) return op;
  }
  return std::nullopt;
}

bool is_truth(Operator op) {
  return op == Operator::logical_and || op == Operator::logical_or ||
         op == Operator::logical_not || comparison_of(op).has_value();
}

bool is_one(const ValueNode& v) {
  return (v.op == Op::integer && v.integer == 1) ||
         (v.op == Op::real && v.number == 1);
}

}  // namespace

ValueCompiler::ValueCompiler(Nest* nest, NestScope* scope)
    : nest_(*nest),
      scope_(*scope),
      index_(nest, *scope, [this](const Expr& e) { return condition(e); }) {}

int ValueCompiler::value(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::integer:
      return integer(e.integer);
    case Expr::Kind::real: {
      ValueNode node;
      node.op = e.text == "pi" ? Op::pi : Op::real;
      node.number = e.number;
      return add(node);
    }
    case Expr::Kind::name:
      return name(e);
    case Expr::Kind::op:
      return operation(e);
    case Expr::Kind::call:
      return call(e);
    case Expr::Kind::access:
      if (scope_.reads_elements(*e.args[0])) return element(e, nullptr);
      break;
    case Expr::Kind::reduce:
      return reduction(e);
    default:
      break;
  }
  return scope_.is_static(e) ? constant(e) : index(e);
}

int ValueCompiler::name(const Expr& e) {
  if (scope_.find(e.text) != nullptr) return index(e);
  const Actual* a = scope_.actual(e.text);
  const bool tensor = a != nullptr && std::holds_alternative<TensorArg>(*a);
  if (tensor || scope_.find_definition(e.text) >= 0) {
    // A rank-0 tensor or definition by its bare name.
    Expr access;
    access.kind = Expr::Kind::access;
    access.args = {std::make_shared<Expr>(e)};
    return element(access, nullptr);
  }
  return constant(e);
}

int ValueCompiler::operation(const Expr& e) {
  const auto arg = [&](std::size_t n) { return value(*e.args.at(n)); };
  switch (e.op) {
    case Operator::neg:
      return operation(Op::neg, arg(0));
    case Operator::add:
      return operation(Op::add, arg(0), arg(1));
    case Operator::sub:
      return operation(Op::sub, arg(0), arg(1));
    case Operator::div:
      return operation(Op::div, arg(0), arg(1));
    case Operator::mul:
      return product(e);
    default:
      break;
  }
  if (scope_.is_static(e)) return constant(e);
  // A truth value in a complex place is a real number.
  if (part_ >= 0 && !decides_ && is_truth(e.op)) {
    return by_part(condition(e), integer(0));
  }
  switch (e.op) {
    case Operator::logical_and:
    case Operator::logical_or:
      return logical(e);
    case Operator::logical_not:
      return operation(Op::logical_not, arg(0));
    case Operator::floor_div:
    case Operator::mod:
      return index(e);
    default:
      break;
  }
  const auto comparison = comparison_of(e.op);
  if (!comparison) give_up(e, "this operator gives no number");
  ValueNode node;
  node.op = Op::compare;
  node.comparison = *comparison;
  node.a = arg(0);
  node.b = arg(1);
  return add(node);
}

int ValueCompiler::product(const Expr& e) {
  const int a = value(*e.args[0]);
  // x * x of one x is a square: its factors do not vary independently.
  if (to_string(*e.args[0]) == to_string(*e.args[1])) {
    return operation(Op::square, a);
  }
  const int b = value(*e.args[1]);
  if (is_one(nest_.node(a))) return b;
  return is_one(nest_.node(b)) ? a : operation(Op::mul, a, b);
}

int ValueCompiler::logical(const Expr& e) {
  const bool is_or = e.op == Operator::logical_or;
  // A static side that decides leaves the other unread.
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}}) {
    if (!scope_.is_static(*e.args[n])) continue;
    if (scope_.truth(*e.args[n]) == is_or) return integer(is_or);
    return value(*e.args[1 - n]);
  }
  const int a = value(*e.args[0]);
  return operation(is_or ? Op::logical_or : Op::logical_and, a,
                   value(*e.args[1]));
}

int ValueCompiler::call(const Expr& e) {
  ValueNode node;
  if (const auto f = elementary_of(e.function)) {
    node.op = Op::elementary;
    node.elementary = *f;
    node.a = value(*e.args.at(0));
    return add(node);
  }
  const auto binary = binary_of(e.function);
  const auto special = special_of(e.function);
  const auto bitwise = bitwise_of(e.function);
  if (binary || special || bitwise) {
    node.op = binary ? Op::binary : special ? Op::special : Op::bitwise;
    node.binary = binary.value_or(node.binary);
    node.special = special.value_or(node.special);
    node.bitwise = bitwise.value_or(node.bitwise);
    node.a = value(*e.args.at(0));
    node.b = value(*e.args.at(1));
    return add(node);
  }
  switch (e.function) {
    case FunctionId::nextafter:
      return after(e);
    case FunctionId::re:
      return part_of(e, 0);
    case FunctionId::im:
      return part_of(e, 1);
    case FunctionId::complex:
      return pair(e);
    case FunctionId::where:
      return choice(e);
    case FunctionId::either: {
      const int a = value(*e.args.at(0));
      return operation(Op::either, a, value(*e.args.at(1)));
    }
    case FunctionId::inside: {
      const Expr& access = *e.args.at(0);
      if (access.kind != Expr::Kind::access) {
        give_up(e, "only an element can be");
      }
      return element(access, e.args.at(1).get());
    }
    case FunctionId::round: {
      const DType type = scope_.dtype(*e.args.at(1));
      const int made = rounded(value(*e.args.at(0)), component(type));
      const bool number = is_complex(type) && scope_.is_static(*e.args.at(0));
      return part_ >= 0 && number ? by_part(made, integer(0)) : made;
    }
    case FunctionId::max:
    case FunctionId::min:
      if (e.args.size() > 1) return extreme(e);
      break;
    default:
      break;
  }
  if (const auto op = unary_of(e.function)) {
    return operation(*op, value(*e.args.at(0)));
  }
  if (scope_.is_static(e)) return constant(e);
  if (scope_.is_greatest_u64(e)) {
    return integer(DType::u64, integer_max(DType::u64));
  }
  return index(e);
}

int ValueCompiler::after(const Expr& e) {
  ValueNode node;
  node.op = Op::after;
  node.dtype = scope_.dtype(*e.args.at(2));
  if (!is_float(node.dtype)) give_up(e, "nextafter is of a float type");
  node.a = rounded(value(*e.args.at(0)), node.dtype);
  node.b = rounded(value(*e.args.at(1)), node.dtype);
  return add(node);
}

int ValueCompiler::part_of(const Expr& e, std::int64_t part) {
  const Expr& of = *e.args.at(0);
  if (of.kind != Expr::Kind::access && of.kind != Expr::Kind::name &&
      !of.is(FunctionId::inside)) {
    give_up(e, "only an element has parts");
  }
  const int outer = part_;
  part_ = index_.constant(part);
  const int node = value(of);
  part_ = outer;
  return node;
}

int ValueCompiler::pair(const Expr& e) {
  if (part_ < 0) give_up(e, "only 'out' of a complex type is made of two");
  const int part = part_;
  part_ = -1;  // what stands in either is one number
  const int real = value(*e.args.at(0));
  const int imaginary = value(*e.args.at(1));
  part_ = part;
  return by_part(real, imaginary);
}

// The first or the second, as `part_` says.
int ValueCompiler::by_part(int real, int imaginary) {
  ValueNode first;
  first.op = Op::compare;
  first.comparison = Comparison::eq;
  first.a = index(part_);
  first.b = integer(0);
  return operation(Op::where, add(first), real, imaginary);
}

// What is asked of integers and truth values is one thing for both parts.
int ValueCompiler::condition(const Expr& e) {
  const bool outer = std::exchange(decides_, true);
  const int node = value(e);
  decides_ = outer;
  return node;
}

int ValueCompiler::choice(const Expr& e) {
  if (scope_.is_static(*e.args.at(0))) {
    return value(*e.args.at(scope_.truth(*e.args[0]) ? 1 : 2));
  }
  const int decides = condition(*e.args[0]);
  const int then = value(*e.args.at(1));
  return operation(Op::where, decides, then, value(*e.args.at(2)));
}

int ValueCompiler::extreme(const Expr& e) {
  int all = value(*e.args[0]);
  for (std::size_t n = 1; n < e.args.size(); ++n) {
    all = operation(e.is(FunctionId::max) ? Op::max : Op::min, all,
                    value(*e.args[n]));
  }
  return all;
}

int ValueCompiler::reduction(const Expr& e) {
  if (scope_.is_static(e) &&
      !std::holds_alternative<double>(scope_.constant(e))) {
    return constant(e);
  }
  ReductionNode r;
  r.kind = e.reduction;
  const std::size_t outer = scope_.variable_count();
  for (const Binder& b : e.binders) {
    NestScope::Variable v{b.name, b.pack, {}};
    if (b.pack) {
      for (const std::int64_t n : scope_.shape(*b.to)) {
        v.slots.push_back(scope_.new_slot());
        r.ranges.push_back({v.slots.back(), -1, index_.constant(n)});
      }
    } else {
      const int from = b.from ? index_.index(*b.from) : -1;
      const int to = index_.index(*b.to);
      v.slots.push_back(scope_.new_slot());
      r.ranges.push_back({v.slots.back(), from, to});
    }
    scope_.enter(std::move(v));
  }
  r.body = is_logical(r.kind) ? condition(*e.args[0]) : value(*e.args[0]);
  scope_.leave(outer);
  if (auto c = recognise_contraction(nest_, r)) {
    nest_.contractions.push_back(std::move(*c));
    r.contraction = static_cast<int>(nest_.contractions.size()) - 1;
  }
  ValueNode node;
  node.op = Op::reduce;
  node.reduction = static_cast<int>(nest_.reductions.size());
  node.integral = is_logical(r.kind) || r.kind == Reduction::which ||
                  (r.kind != Reduction::mean && nest_.node(r.body).integral);
  nest_.reductions.push_back(std::move(r));
  return add(node);
}

int ValueCompiler::element(const Expr& e, const Expr* otherwise) {
  const Expr& base = *e.args[0];
  if (base.is(FunctionId::concat)) {
    if (otherwise != nullptr) give_up(e, "a concatenation has no guard");
    return concatenated(e);
  }
  const bool flat = base.is(FunctionId::flat);
  const bool stored = base.is(FunctionId::stored);
  const Expr& holder = flat || stored ? *base.args.at(0) : base;
  if (holder.kind == Expr::Kind::name) {
    // A Python number stands in the tensor's place.
    const Actual* a = scope_.actual(holder.text);
    if (a != nullptr && !std::holds_alternative<TensorArg>(*a)) {
      const int number = name(holder);
      return part_ < 0 ? number : by_part(number, integer(0));
    }
  }
  Source from = source(e, holder);
  if (flat) from.sizes = {element_count(from.sizes)};
  if (stored) from = as_stored(from, *base.args.at(1), e);
  ValueNode node;
  node.op = otherwise ? Op::inside : Op::element;
  node.dtype = from.dtype;
  node.integral = from.integral;
  node.access = access(from, index_.indices(e), e, otherwise != nullptr);
  if (otherwise != nullptr) node.a = value(*otherwise);
  const int made = add(node);
  const bool decides = decides_ && !is_float(from.dtype);
  if (part_ < 0 || from.complex || decides || from.id < 0) return made;
  if (otherwise != nullptr && !scope_.is_static(*otherwise)) {
    give_up(e, "beside a real element a number alone can be one of a complex");
  }
  return by_part(made, integer(0));  // a real number's imaginary part is 0
}

ValueCompiler::Source ValueCompiler::source(const TensorArg& tensor) {
  const DType t = tensor.type.dtype;
  const bool integral = !is_float(t) && !is_complex(t);
  return {tensor.ref.id, component(t), tensor.type.sizes, integral,
          is_complex(t)};
}

// The operand or definition that `holder` names; `e` is the whole access.
ValueCompiler::Source ValueCompiler::source(const Expr& e, const Expr& holder) {
  const TensorArg* tensor = nullptr;
  if (holder.kind == Expr::Kind::name) {
    if (const Actual* a = scope_.actual(holder.text)) {
      tensor = std::get_if<TensorArg>(a);
    } else if (const int d = scope_.find_definition(holder.text); d >= 0) {
      const auto n = static_cast<std::size_t>(d);
      return {-1 - d, DType::f64, nest_.definitions[n].extents};
    } else {
      give_up(holder, "this is neither a tensor nor a definition");
    }
  } else if (holder.kind == Expr::Kind::access &&
             holder.args[0]->kind == Expr::Kind::name) {
    const std::vector<TensorArg>* list = scope_.list(*holder.args[0]);
    if (list == nullptr) give_up(holder, "this is no list of tensors");
    const std::int64_t n = scope_.integer(*holder.args.at(1));
    if (n < 0 || n >= static_cast<std::int64_t>(list->size())) {
      give_up(holder, "the list has no such tensor");
    }
    tensor = &(*list)[static_cast<std::size_t>(n)];
  } else {
    give_up(e, "this cannot be indexed");
  }
  return source(*tensor);
}

// The same memory as elements of another type.
ValueCompiler::Source ValueCompiler::as_stored(Source from, const Expr& type,
                                               const Expr& e) {
  const DType t = scope_.dtype(type);
  if (from.id < 0 || from.complex || is_complex(t)) {
    give_up(e, "only memory of real operands is read as other real numbers");
  }
  from.held = from.dtype;
  from.dtype = t;
  from.integral = !is_float(t);
  const std::int64_t old = size_bytes(*from.held), now = size_bytes(t);
  if (old == now) return from;
  if (from.sizes.empty() || from.sizes.back() * old % now != 0) {
    give_up(e, "its last dimension does not hold whole elements of the type");
  }
  from.sizes.back() = from.sizes.back() * old / now;
  return from;
}

int ValueCompiler::access(const Source& source, const std::vector<int>& indices,
                          const Expr& e, bool guarded) {
  const Shape& sizes = source.sizes;
  if (indices.size() < sizes.size()) {
    give_up(e, fmt::format("there are {} indices for rank {}", indices.size(),
                           sizes.size()));
  }
  // The trailing indices apply; a dimension of size 1 repeats. A guard must
  // see the index itself: nothing would be outside of what repeats.
  const std::size_t extra = indices.size() - sizes.size();
  Access a;
  a.source = source.id;
  a.dtype = source.dtype;
  a.stored = source.held.has_value();
  a.held = source.held.value_or(source.dtype);
  a.sizes = sizes;
  a.strides = contiguous_strides(sizes);
  a.text = to_string(e);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const bool repeats = sizes[d] == 1 && !guarded;
    a.index.push_back(repeats ? index_.constant(0) : indices[extra + d]);
  }
  if (source.complex) {
    if (part_ < 0) give_up(e, "say which part: re(...) or im(...)");
    a.index.push_back(part_);
    a.sizes.push_back(2);
    a.strides = contiguous_strides(a.sizes);
  }
  nest_.accesses.push_back(std::move(a));
  return static_cast<int>(nest_.accesses.size()) - 1;
}

// A choice by the index along the dimension, tensor after tensor.
int ValueCompiler::concatenated(const Expr& e) {
  const Expr& call = *e.args[0];
  const std::vector<TensorArg>* list = scope_.list(*call.args.at(0));
  if (list == nullptr) give_up(call, "this is no list of tensors");
  std::vector<int> at = index_.indices(e);
  std::int64_t d = scope_.integer(*call.args.at(1));
  if (d < 0) d += static_cast<std::int64_t>(at.size());
  if (d < 0 || d >= static_cast<std::int64_t>(at.size())) {
    give_up(e, "the dimension is out of range");
  }
  const auto dimension = static_cast<std::size_t>(d);
  const int position = at[dimension];
  struct Part {
    std::int64_t end;
    int node;
  };
  std::vector<Part> parts;
  std::int64_t start = 0;
  for (const TensorArg& t : *list) {
    // PyTorch skips a tensor of shape [0], whatever the others' rank.
    if (t.type.sizes.size() != at.size()) continue;
    const std::int64_t n = t.type.sizes[dimension];
    if (n == 0) continue;
    at[dimension] =
        index_.binary(IndexNode::Op::sub, position, index_.constant(start));
    ValueNode node;
    const Source from = source(t);
    node.op = Op::element;
    node.dtype = from.dtype;
    node.integral = from.integral;
    node.access = access(from, at, e, false);
    start += n;
    const int made = add(node);
    const bool is_real = part_ >= 0 && !from.complex;
    parts.push_back({start, is_real ? by_part(made, integer(0)) : made});
  }
  // No element of an empty result is ever evaluated.
  if (parts.empty()) return integer(0);
  int whole = parts.back().node;
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    ValueNode before;
    before.op = Op::compare;
    before.comparison = Comparison::lt;
    before.a = index(position);
    before.b = integer(parts[i].end);
    whole = operation(Op::where, add(before), parts[i].node, whole);
  }
  return whole;
}

int ValueCompiler::add(ValueNode node) {
  const auto each_child = [&](auto property) {
    for (const int child :
         {node.op == Op::index ? -1 : node.a, node.b, node.c}) {
      if (child >= 0 && !(nest_.node(child).*property)) return false;
    }
    return true;
  };
  if (node.op == Op::integer || node.op == Op::real || node.op == Op::pi) {
    node.invariant = true;
  } else if (node.op != Op::element && node.op != Op::inside &&
             node.op != Op::index && node.op != Op::reduce) {
    node.invariant = each_child(&ValueNode::invariant);
  }
  if (is_truth(node.op)) node.integral = true;
  if (node.op == Op::round) node.integral = !is_float(node.dtype);
  if (node.op == Op::where) {
    // The condition does not matter.
    node.integral = nest_.node(node.b).integral && nest_.node(node.c).integral;
  } else if (keeps_integers(node.op)) {
    node.integral = each_child(&ValueNode::integral);
  }
  nest_.values.push_back(node);
  return static_cast<int>(nest_.values.size()) - 1;
}

int ValueCompiler::integer(DType t, std::uint64_t bits) {
  ValueNode node;
  node.op = Op::integer;
  node.dtype = t;
  node.integer = static_cast<std::int64_t>(bits);
  node.integral = true;
  return add(node);
}

int ValueCompiler::index(const Expr& e) { return index(index_.index(e)); }

int ValueCompiler::index(int index_node) {
  ValueNode node;
  node.op = Op::index;
  node.a = index_node;
  node.integral = true;
  return add(node);
}

int ValueCompiler::operation(Op op, int a, int b, int c) {
  ValueNode node;
  node.op = op;
  node.a = a;
  node.b = b;
  node.c = c;
  return add(node);
}

// A conversion that rounds nothing is none: an intermediate that keeps more
// precision than its dtype must not lose it to a promotion.
int ValueCompiler::rounded(int node, DType t) {
  const ValueNode v = nest_.node(node);
  if (v.op == Op::where) {
    ValueNode choice = v;
    choice.b = rounded(v.b, t);
    choice.c = rounded(v.c, t);
    return add(choice);
  }
  if (v.op == Op::element && !nest_.access(v.access).is_definition() &&
      represents(t, v.dtype)) {
    return node;
  }
  ValueNode r;
  r.op = Op::round;
  r.a = node;
  r.dtype = t;
  r.out_of_range = v.integral ? OutOfRange::wraps : OutOfRange::unspecified;
  return add(r);
}

int ValueCompiler::constant(const Expr& e) {
  const StaticValue v = scope_.constant(e);
  if (const auto* b = std::get_if<bool>(&v)) return integer(*b ? 1 : 0);
  if (const auto* i = std::get_if<std::int64_t>(&v)) return integer(*i);
  if (const auto* d = std::get_if<double>(&v)) {
    ValueNode node;
    node.number = *d;
    return add(node);
  }
  give_up(e, "a number is needed here");
}

}  // namespace assay::language
