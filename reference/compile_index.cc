// Index expressions: integers over index variables, and packs of them.
//
// The functions that rearrange packs (drop, insert, weave, ...) are applied by
// the suite's own evaluator, so that there is one implementation of each:
// every index in the pack is replaced by a number that stands for it, a tag.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "reference/compile_scope.h"

namespace assay::reference {
namespace {

constexpr std::int64_t kFirstTag = std::int64_t{1} << 52;

constexpr std::array<std::string_view, 11> kPackFunctions = {
    "put",  "insert", "drop",  "swap",    "permute", "unpermute",
    "pick", "reduce", "weave", "unravel", "where"};

bool is_pack_function(const Expr& e) {
  return e.kind == Expr::Kind::call &&
         std::find(kPackFunctions.begin(), kPackFunctions.end(), e.text) !=
             kPackFunctions.end();
}

ExprPtr integer_literal(std::int64_t n) {
  auto e = std::make_shared<Expr>();
  e->kind = Expr::Kind::integer;
  e->integer = n;
  e->number = static_cast<double>(n);
  return e;
}

}  // namespace

int PlanCompiler::index_constant(std::int64_t n) {
  plan_.indices.push_back({IndexNode::Op::constant, n});
  return static_cast<int>(plan_.indices.size()) - 1;
}

int PlanCompiler::index_binary(IndexNode::Op op, int a, int b) {
  using Op = IndexNode::Op;
  const auto at = [this](int i) {
    return plan_.indices[static_cast<std::size_t>(i)];
  };
  if (at(a).op == Op::constant && b >= 0 && at(b).op == Op::constant) {
    const std::int64_t x = at(a).value;
    const std::int64_t y = at(b).value;
    if (op == Op::add) return index_constant(x + y);
    if (op == Op::sub) return index_constant(x - y);
    if (op == Op::mul) return index_constant(x * y);
  }
  if (op == Op::mul && b >= 0) {
    if (at(b).op == Op::constant && at(b).value == 1) return a;
    if (at(a).op == Op::constant && at(a).value == 1) return b;
  }
  if ((op == Op::add || op == Op::sub) && at(b).op == Op::constant &&
      at(b).value == 0) {
    return a;
  }
  plan_.indices.push_back({op, 0, a, b});
  return static_cast<int>(plan_.indices.size()) - 1;
}

int PlanCompiler::ravel(const Pack& p, const Shape& s) {
  int position = index_constant(0);
  for (std::size_t d = 0; d < p.size(); ++d) {
    position = index_binary(IndexNode::Op::mul, position, index_constant(s[d]));
    position = index_binary(IndexNode::Op::add, position, p[d]);
  }
  return position;
}

int PlanCompiler::index(const Expr& e) {
  using Op = IndexNode::Op;
  if (e.kind == Expr::Kind::name) {
    if (const Entry* v = find(e.text)) {
      if (v->pack) give_up(e, "a pack stands where one index is needed");
      plan_.indices.push_back({Op::slot, v->slots[0]});
      return static_cast<int>(plan_.indices.size()) - 1;
    }
  }
  if (is_static(e)) return index_constant(constant_integer(e));
  const auto arg = [&](std::size_t n) { return index(*e.args.at(n)); };
  if (e.kind == Expr::Kind::op) {
    if (e.text == "neg") return index_binary(Op::neg, arg(0), -1);
    if (e.text == "+") return index_binary(Op::add, arg(0), arg(1));
    if (e.text == "-") return index_binary(Op::sub, arg(0), arg(1));
    if (e.text == "*") return index_binary(Op::mul, arg(0), arg(1));
    if (e.text == "//") return index_binary(Op::floor_div, arg(0), arg(1));
    if (e.text == "%") return index_binary(Op::mod, arg(0), arg(1));
    give_up(e, "this operator gives no index");
  }
  if (e.kind == Expr::Kind::access) {
    if (!reads_elements(*e.args[0])) {
      const Pack p = pack(*e.args[0]);
      const std::int64_t n = constant_integer(*e.args.at(1));
      if (n < 0 || n >= static_cast<std::int64_t>(p.size())) {
        give_up(e, "the entry is out of range");
      }
      return p[static_cast<std::size_t>(n)];
    }
    const int node = element(e, nullptr);
    const ValueNode& v = plan_.values[static_cast<std::size_t>(node)];
    if (v.op != ValueNode::Op::element || is_float(v.dtype)) {
      give_up(e, "an index must be an integer tensor's element");
    }
    plan_.indices.push_back({Op::element, v.access});
    return static_cast<int>(plan_.indices.size()) - 1;
  }
  if (e.kind != Expr::Kind::call) give_up(e, "this is no index");
  if (e.text == "floor_div") return index_binary(Op::floor_div, arg(0), arg(1));
  if (e.text == "ceil_div") return index_binary(Op::ceil_div, arg(0), arg(1));
  if (e.text == "abs") return index_binary(Op::abs, arg(0), -1);
  if (e.text == "max") return index_binary(Op::max, arg(0), arg(1));
  if (e.text == "min") return index_binary(Op::min, arg(0), arg(1));
  if (e.text == "floor" || e.text == "ceil") {
    const Expr& quotient = *e.args.at(0);
    if (quotient.kind == Expr::Kind::op && quotient.text == "/") {
      return index_binary(e.text == "floor" ? Op::floor_div : Op::ceil_div,
                          index(*quotient.args[0]), index(*quotient.args[1]));
    }
    return index(quotient);
  }
  if (e.text == "where") {
    if (is_static(*e.args.at(0))) {
      return index(*e.args.at(constant_truth(*e.args[0]) ? 1 : 2));
    }
    IndexNode n{Op::select};
    n.a = value(*e.args[0]);
    n.b = arg(1);
    n.c = arg(2);
    plan_.indices.push_back(n);
    return static_cast<int>(plan_.indices.size()) - 1;
  }
  if (e.text == "ravel") {
    const Pack p = pack(*e.args.at(0));
    const Shape s = constant_shape(*e.args.at(1));
    if (p.size() != s.size()) give_up(e, "index and shape differ in length");
    return ravel(p, s);
  }
  if (e.text == "at") {
    auto rewritten = std::make_shared<Expr>(e);
    rewritten->args[0] = tagged(e.args.at(0));
    return untagged(constant_integer(*rewritten));
  }
  give_up(e, "this function gives no index");
}

bool PlanCompiler::is_pack(const Expr& e) const {
  if (e.kind == Expr::Kind::pack || e.kind == Expr::Kind::list) return true;
  if (e.kind == Expr::Kind::name) {
    const Entry* v = find(e.text);
    if (v != nullptr) return v->pack;
    const Actual* a = actual(e.text);
    return a != nullptr && std::holds_alternative<Shape>(*a);
  }
  if (e.kind == Expr::Kind::call && e.text == "where") {
    return is_pack(*e.args.at(1)) || is_pack(*e.args.at(2));
  }
  if (is_pack_function(e)) return true;
  if (e.kind == Expr::Kind::call && is_static(e)) {
    return std::holds_alternative<Shape>(constant(e));
  }
  return false;
}

ExprPtr PlanCompiler::tag(int index_node) {
  tags_.push_back(index_node);
  return integer_literal(kFirstTag + static_cast<std::int64_t>(tags_.size()) -
                         1);
}

int PlanCompiler::untagged(std::int64_t value) {
  const std::int64_t n = value - kFirstTag;
  if (n >= 0 && n < static_cast<std::int64_t>(tags_.size())) {
    return tags_[static_cast<std::size_t>(n)];
  }
  return index_constant(value);
}

// The same expression with every index variable replaced by a tag: static.
ExprPtr PlanCompiler::tagged(const ExprPtr& e) {
  if (is_static(*e)) return e;
  if (!is_pack(*e)) return tag(index(*e));
  auto copy = std::make_shared<Expr>(*e);
  if (e->kind == Expr::Kind::pack || e->kind == Expr::Kind::name ||
      (e->kind == Expr::Kind::call && e->text == "unravel")) {
    copy->kind = Expr::Kind::list;
    copy->args.clear();
    for (const int i : pack(*e)) copy->args.push_back(tag(i));
    return copy;
  }
  if (e->kind == Expr::Kind::call && e->text == "where") {
    return tagged(e->args.at(constant_truth(*e->args.at(0)) ? 1 : 2));
  }
  for (ExprPtr& a : copy->args) a = tagged(a);
  return copy;
}

PlanCompiler::Pack PlanCompiler::pack(const Expr& e) {
  if (e.kind == Expr::Kind::pack || e.kind == Expr::Kind::name) {
    if (e.kind == Expr::Kind::pack && !e.args.empty()) return pack(*e.args[0]);
    if (const Entry* v = find(e.text)) {
      if (!v->pack) give_up(e, "one index stands where a pack is needed");
      Pack p;
      for (const int slot : v->slots) {
        plan_.indices.push_back({IndexNode::Op::slot, slot});
        p.push_back(static_cast<int>(plan_.indices.size()) - 1);
      }
      return p;
    }
  }
  if (e.kind == Expr::Kind::call && e.text == "unravel" && !is_static(e)) {
    int rest = index(*e.args.at(0));
    const Shape s = constant_shape(*e.args.at(1));
    Pack p(s.size());
    for (std::size_t d = s.size(); d-- > 0;) {
      const int n = index_constant(s[d]);
      p[d] = index_binary(IndexNode::Op::mod, rest, n);
      rest = index_binary(IndexNode::Op::floor_div, rest, n);
    }
    return p;
  }
  Pack p;
  const ExprPtr rewritten = tagged(std::make_shared<Expr>(e));
  for (const std::int64_t v : constant_shape(*rewritten)) {
    p.push_back(untagged(v));
  }
  return p;
}

}  // namespace assay::reference
