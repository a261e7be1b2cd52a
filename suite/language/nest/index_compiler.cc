#include "suite/language/nest/index_compiler.h"

#include "suite/language/syntax/substitute.h"

namespace assay::language {
namespace {

using Op = IndexNode::Op;

constexpr std::int64_t kFirstTag = std::int64_t{1} << 52;

// Does it rearrange packs?
bool is_pack_function(const Expr& e) {
  if (e.kind != Expr::Kind::call) return false;
  switch (e.function) {
    case FunctionId::put:
    case FunctionId::insert:
    case FunctionId::drop:
    case FunctionId::swap:
    case FunctionId::permute:
    case FunctionId::unpermute:
    case FunctionId::pick:
    case FunctionId::reduce:
    case FunctionId::weave:
    case FunctionId::unravel:
      return true;
    default:
      return false;
  }
}

}  // namespace

int IndexCompiler::add(IndexNode node) {
  nest_.indices.push_back(node);
  return static_cast<int>(nest_.indices.size()) - 1;
}

int IndexCompiler::constant(std::int64_t n) { return add({Op::constant, n}); }

int IndexCompiler::binary(IndexNode::Op op, int a, int b) {
  const auto is = [this](int i, std::int64_t n) {
    return nest_.index(i).op == Op::constant && nest_.index(i).value == n;
  };
  if (nest_.index(a).op == Op::constant && b >= 0 &&
      nest_.index(b).op == Op::constant) {
    const std::int64_t x = nest_.index(a).value;
    const std::int64_t y = nest_.index(b).value;
    if (op == Op::add) return constant(x + y);
    if (op == Op::sub) return constant(x - y);
    if (op == Op::mul) return constant(x * y);
  }
  if (op == Op::mul && is(b, 1)) return a;
  if (op == Op::mul && is(a, 1)) return b;
  if ((op == Op::add || op == Op::sub) && is(b, 0)) return a;
  return add({op, 0, a, b});
}

int IndexCompiler::index(const Expr& e) {
  if (e.kind == Expr::Kind::name) {
    if (const NestScope::Variable* v = scope_.find(e.text)) {
      if (v->pack) give_up(e, "a pack stands where one index is needed");
      return add({Op::slot, v->slots[0]});
    }
  }
  if (scope_.is_static(e)) return constant(scope_.integer(e));
  switch (e.kind) {
    case Expr::Kind::op:
      return operation(e);
    case Expr::Kind::access:
      return entry(e);
    case Expr::Kind::call:
      return call(e);
    default:
      give_up(e, "this is no index");
  }
}

int IndexCompiler::operation(const Expr& e) {
  const auto arg = [&](std::size_t n) { return index(*e.args.at(n)); };
  switch (e.op) {
    case Operator::neg:
      return add({Op::neg, 0, arg(0)});
    case Operator::add:
      return binary(Op::add, arg(0), arg(1));
    case Operator::sub:
      return binary(Op::sub, arg(0), arg(1));
    case Operator::mul:
      return binary(Op::mul, arg(0), arg(1));
    case Operator::floor_div:
      return binary(Op::floor_div, arg(0), arg(1));
    case Operator::mod:
      return binary(Op::mod, arg(0), arg(1));
    default:
      give_up(e, "this operator gives no index");
  }
}

// An entry of a pack, or an element of an integer tensor.
int IndexCompiler::entry(const Expr& e) {
  if (!scope_.reads_elements(*e.args[0])) {
    const Pack p = pack(*e.args[0]);
    const std::int64_t n = scope_.integer(*e.args.at(1));
    if (n < 0 || n >= static_cast<std::int64_t>(p.size())) {
      give_up(e, "the entry is out of range");
    }
    return p[static_cast<std::size_t>(n)];
  }
  const ValueNode& v = nest_.node(value_(e));
  if (v.op != ValueNode::Op::element || is_float(v.dtype)) {
    give_up(e, "an index must be an integer tensor's element");
  }
  return add({Op::element, v.access});
}

int IndexCompiler::call(const Expr& e) {
  const auto arg = [&](std::size_t n) { return index(*e.args.at(n)); };
  switch (e.function) {
    case FunctionId::floor_div:
      return binary(Op::floor_div, arg(0), arg(1));
    case FunctionId::ceil_div:
      return binary(Op::ceil_div, arg(0), arg(1));
    case FunctionId::abs:
      return add({Op::abs, 0, arg(0)});
    case FunctionId::max:
      return binary(Op::max, arg(0), arg(1));
    case FunctionId::min:
      return binary(Op::min, arg(0), arg(1));
    case FunctionId::floor:
    case FunctionId::ceil:
      return quotient(e);
    case FunctionId::where: {
      if (scope_.is_static(*e.args.at(0))) {
        return arg(scope_.truth(*e.args[0]) ? 1 : 2);
      }
      IndexNode n{Op::select};
      n.a = value_(*e.args[0]);
      n.b = arg(1);
      n.c = arg(2);
      return add(n);
    }
    case FunctionId::ravel:
      return ravel(e);
    case FunctionId::at: {
      Expr rewritten = e;
      rewritten.args[0] = tagged(e.args.at(0));
      return untagged(scope_.integer(rewritten));
    }
    default:
      give_up(e, "this function gives no index");
  }
}

// floor(a / b) and ceil(a / b); whole numbers are their own.
int IndexCompiler::quotient(const Expr& e) {
  const Expr& whole = *e.args.at(0);
  if (!whole.is(Operator::div)) return index(whole);
  return binary(e.is(FunctionId::floor) ? Op::floor_div : Op::ceil_div,
                index(*whole.args[0]), index(*whole.args[1]));
}

int IndexCompiler::ravel(const Expr& e) {
  const Pack p = pack(*e.args.at(0));
  const Shape s = scope_.shape(*e.args.at(1));
  if (p.size() != s.size()) give_up(e, "index and shape differ in length");
  int position = constant(0);
  for (std::size_t d = 0; d < p.size(); ++d) {
    position = binary(Op::mul, position, constant(s[d]));
    position = binary(Op::add, position, p[d]);
  }
  return position;
}

IndexCompiler::Pack IndexCompiler::unravel(const Expr& e) {
  int rest = index(*e.args.at(0));
  const Shape s = scope_.shape(*e.args.at(1));
  Pack p(s.size());
  for (std::size_t d = s.size(); d-- > 0;) {
    const int n = constant(s[d]);
    p[d] = binary(Op::mod, rest, n);
    rest = binary(Op::floor_div, rest, n);
  }
  return p;
}

bool IndexCompiler::is_pack(const Expr& e) const {
  if (e.kind == Expr::Kind::pack || e.kind == Expr::Kind::list ||
      e.kind == Expr::Kind::fold) {
    return true;
  }
  if (e.kind == Expr::Kind::name) {
    const NestScope::Variable* v = scope_.find(e.text);
    if (v != nullptr) return v->pack;
    const Actual* a = scope_.actual(e.text);
    return a != nullptr && std::holds_alternative<Shape>(*a);
  }
  if (e.is(FunctionId::where)) {
    return is_pack(*e.args.at(1)) || is_pack(*e.args.at(2));
  }
  if (is_pack_function(e)) return true;
  return e.kind == Expr::Kind::call && scope_.is_static(e) &&
         std::holds_alternative<Shape>(scope_.constant(e));
}

ExprPtr IndexCompiler::tag(int index_node) {
  tags_.push_back(index_node);
  return integer_literal(kFirstTag + static_cast<std::int64_t>(tags_.size()) -
                         1);
}

int IndexCompiler::untagged(std::int64_t value) {
  const std::int64_t n = value - kFirstTag;
  if (n >= 0 && n < static_cast<std::int64_t>(tags_.size())) {
    return tags_[static_cast<std::size_t>(n)];
  }
  return constant(value);
}

// The same expression with every index variable replaced by a tag: static.
ExprPtr IndexCompiler::tagged(const ExprPtr& e) {
  if (scope_.is_static(*e)) return e;
  if (!is_pack(*e)) return tag(index(*e));
  if (e->kind == Expr::Kind::fold) {
    const ExprPtr written = unrolled(*e, scope_.integer(*e->binders[0].to));
    if (!written) give_up(*e, "the fold takes too many steps");
    return tagged(written);
  }
  if (e->is(FunctionId::where)) {
    return tagged(e->args.at(scope_.truth(*e->args.at(0)) ? 1 : 2));
  }
  auto copy = std::make_shared<Expr>(*e);
  if (e->kind == Expr::Kind::pack || e->kind == Expr::Kind::name ||
      e->is(FunctionId::unravel)) {
    copy->kind = Expr::Kind::list;
    copy->args.clear();
    for (const int i : pack(*e)) copy->args.push_back(tag(i));
    return copy;
  }
  for (ExprPtr& a : copy->args) a = tagged(a);
  return copy;
}

IndexCompiler::Pack IndexCompiler::pack(const Expr& e) {
  if (e.kind == Expr::Kind::pack || e.kind == Expr::Kind::name) {
    if (const NestScope::Variable* v = scope_.find(e.text)) {
      if (!v->pack) give_up(e, "one index stands where a pack is needed");
      Pack p;
      for (const int slot : v->slots) p.push_back(add({Op::slot, slot}));
      return p;
    }
  }
  if (e.is(FunctionId::unravel) && !scope_.is_static(e)) return unravel(e);
  Pack p;
  const ExprPtr rewritten = tagged(std::make_shared<Expr>(e));
  for (const std::int64_t v : scope_.shape(*rewritten)) {
    p.push_back(untagged(v));
  }
  return p;
}

std::vector<int> IndexCompiler::indices(const Expr& e) {
  std::vector<int> out;
  for (std::size_t n = 1; n < e.args.size(); ++n) {
    if (is_pack(*e.args[n])) {
      for (const int i : pack(*e.args[n])) out.push_back(i);
    } else {
      out.push_back(index(*e.args[n]));
    }
  }
  return out;
}

}  // namespace assay::language
