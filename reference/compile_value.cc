// Value expressions: numbers over elements and index variables.
#include <map>
#include <string_view>

#include "reference/compile_scope.h"

namespace assay::reference {
namespace {

using Op = ValueNode::Op;

const std::map<std::string_view, Op>& unary_functions() {
  static const std::map<std::string_view, Op> table = {
      {"abs", Op::abs},         {"sign", Op::sign},
      {"floor", Op::floor},     {"ceil", Op::ceil},
      {"trunc", Op::trunc},     {"rsqrt", Op::rsqrt},
      {"isnan", Op::isnan},     {"isinf", Op::isinf},
      {"signbit", Op::signbit}, {"round_even", Op::round_even},
  };
  return table;
}

const std::map<std::string_view, Comparison>& comparisons() {
  static const std::map<std::string_view, Comparison> table = {
      {"==", Comparison::eq}, {"!=", Comparison::ne}, {"<", Comparison::lt},
      {"<=", Comparison::le}, {">", Comparison::gt},  {">=", Comparison::ge},
  };
  return table;
}

const std::map<std::string_view, Reduction::Kind>& reductions() {
  using K = Reduction::Kind;
  static const std::map<std::string_view, K> table = {
      {"sum", K::sum}, {"prod", K::prod},   {"max", K::max},
      {"min", K::min}, {"mean", K::mean},   {"any", K::any},
      {"all", K::all}, {"count", K::count}, {"which", K::which},
  };
  return table;
}

bool is_truth(Op op) {
  return op == Op::compare || op == Op::logical_and || op == Op::logical_or ||
         op == Op::logical_not || op == Op::isnan || op == Op::isinf ||
         op == Op::signbit;
}

bool keeps_integers(Op op) {
  return op == Op::neg || op == Op::abs || op == Op::square || op == Op::add ||
         op == Op::sub || op == Op::mul || op == Op::max || op == Op::min ||
         op == Op::where || op == Op::binary || op == Op::bitwise;
}

const std::map<std::string_view, Bitwise>& bitwise_functions() {
  static const std::map<std::string_view, Bitwise> table = {
      {"bit_and", Bitwise::conjunction},
      {"bit_or", Bitwise::disjunction},
      {"bit_xor", Bitwise::difference},
  };
  return table;
}

}  // namespace

int PlanCompiler::add_node(ValueNode node) {
  const auto each_child = [&](auto property) {
    for (const int child :
         {node.op == Op::index ? -1 : node.a, node.b, node.c}) {
      if (child >= 0 &&
          !(plan_.values[static_cast<std::size_t>(child)].*property)) {
        return false;
      }
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
  if (keeps_integers(node.op)) {
    // The condition of `where` does not matter.
    if (node.op == Op::where) {
      const auto integral = [&](int i) {
        return plan_.values[static_cast<std::size_t>(i)].integral;
      };
      node.integral = integral(node.b) && integral(node.c);
    } else {
      node.integral = each_child(&ValueNode::integral);
    }
  }
  plan_.values.push_back(node);
  return static_cast<int>(plan_.values.size()) - 1;
}

int PlanCompiler::integer_node(std::int64_t n) {
  return integer_node(DType::i64, static_cast<std::uint64_t>(n));
}

int PlanCompiler::integer_node(DType t, std::uint64_t bits) {
  ValueNode node;
  node.op = Op::integer;
  node.dtype = t;
  node.integer = static_cast<std::int64_t>(bits);
  node.integral = true;
  return add_node(node);
}

int PlanCompiler::real_node(double x) {
  ValueNode node;
  node.number = x;
  return add_node(node);
}

int PlanCompiler::unary(Op op, int a) {
  ValueNode node;
  node.op = op;
  node.a = a;
  return add_node(node);
}

int PlanCompiler::binary(Op op, int a, int b) {
  ValueNode node;
  node.op = op;
  node.a = a;
  node.b = b;
  return add_node(node);
}

int PlanCompiler::from_static(const Expr& e, const StaticValue& v) {
  if (const auto* b = std::get_if<bool>(&v)) return integer_node(*b ? 1 : 0);
  if (const auto* i = std::get_if<std::int64_t>(&v)) return integer_node(*i);
  if (const auto* d = std::get_if<double>(&v)) return real_node(*d);
  give_up(e, "a number is needed here");
}

// A conversion that rounds nothing is none: an intermediate that keeps more
// precision than its dtype must not lose it to a promotion.
int PlanCompiler::rounded(int node, DType t) {
  const ValueNode v = plan_.values[static_cast<std::size_t>(node)];
  if (v.op == Op::where) {
    ValueNode choice = v;
    choice.b = rounded(v.b, t);
    choice.c = rounded(v.c, t);
    return add_node(choice);
  }
  if (v.op == Op::element &&
      !plan_.accesses[static_cast<std::size_t>(v.access)].is_definition() &&
      represents(t, v.dtype)) {
    return node;
  }
  ValueNode r;
  r.op = Op::round;
  r.a = node;
  r.dtype = t;
  r.out_of_range = v.integral ? OutOfRange::wraps : OutOfRange::unspecified;
  return add_node(r);
}

int PlanCompiler::value(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::integer:
      return integer_node(e.integer);
    case Expr::Kind::real: {
      ValueNode node;
      node.op = e.text == "pi" ? Op::pi : Op::real;
      node.number = e.number;
      return add_node(node);
    }
    case Expr::Kind::name:
      return value_name(e);
    case Expr::Kind::op:
      return value_operator(e);
    case Expr::Kind::call:
      return value_call(e);
    case Expr::Kind::access: {
      if (reads_elements(*e.args[0])) return element(e, nullptr);
      break;
    }
    case Expr::Kind::reduce:
      return value_reduce(e);
    default:
      break;
  }
  if (is_static(e)) return from_static(e, constant(e));
  ValueNode node;
  node.op = Op::index;
  node.a = index(e);
  node.integral = true;
  return add_node(node);
}

int PlanCompiler::value_name(const Expr& e) {
  if (find(e.text) != nullptr) {
    ValueNode node;
    node.op = Op::index;
    node.a = index(e);
    node.integral = true;
    return add_node(node);
  }
  const Actual* a = actual(e.text);
  const bool tensor = a != nullptr && std::holds_alternative<TensorArg>(*a);
  if (tensor || find_definition(e.text) >= 0) {
    // A rank-0 tensor or definition by its bare name.
    Expr access;
    access.kind = Expr::Kind::access;
    access.args = {std::make_shared<Expr>(e)};
    return element(access, nullptr);
  }
  return from_static(e, constant(e));
}

int PlanCompiler::value_operator(const Expr& e) {
  const auto arg = [&](std::size_t n) { return value(*e.args.at(n)); };
  const auto is_one = [&](int node) {
    const ValueNode& v = plan_.values[static_cast<std::size_t>(node)];
    return (v.op == Op::integer && v.integer == 1) ||
           (v.op == Op::real && v.number == 1);
  };
  if (e.text == "neg") return unary(Op::neg, arg(0));
  if (e.text == "+") return binary(Op::add, arg(0), arg(1));
  if (e.text == "-") return binary(Op::sub, arg(0), arg(1));
  if (e.text == "/") return binary(Op::div, arg(0), arg(1));
  if (e.text == "*") {
    const int a = arg(0);
    // x * x of one x is a square: its factors do not vary apart.
    if (to_string(*e.args[0]) == to_string(*e.args[1])) {
      return unary(Op::square, a);
    }
    const int b = arg(1);
    if (is_one(a)) return b;
    return is_one(b) ? a : binary(Op::mul, a, b);
  }
  if (is_static(e)) return from_static(e, constant(e));
  if (e.text == "and" || e.text == "or") {
    // A static side that decides leaves the other unread.
    const bool decides = e.text == "or";
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}}) {
      if (!is_static(*e.args[n])) continue;
      if (constant_truth(*e.args[n]) == decides) return integer_node(decides);
      return arg(1 - n);
    }
    const int a = arg(0);
    return binary(e.text == "and" ? Op::logical_and : Op::logical_or, a,
                  arg(1));
  }
  if (e.text == "not") return unary(Op::logical_not, arg(0));
  if (e.text == "//" || e.text == "%") {
    ValueNode node;
    node.op = Op::index;
    node.a = index(e);
    node.integral = true;
    return add_node(node);
  }
  const auto it = comparisons().find(e.text);
  if (it == comparisons().end()) give_up(e, "this operator gives no number");
  ValueNode node;
  node.op = Op::compare;
  node.comparison = it->second;
  node.a = arg(0);
  node.b = arg(1);
  return add_node(node);
}

int PlanCompiler::value_call(const Expr& e) {
  const auto arg = [&](std::size_t n) { return value(*e.args.at(n)); };
  if (const auto f = find_elementary(e.text)) {
    ValueNode node;
    node.op = Op::elementary;
    node.elementary = *f;
    node.a = arg(0);
    return add_node(node);
  }
  if (const auto f = find_binary(e.text)) {
    ValueNode node;
    node.op = Op::binary;
    node.binary = *f;
    node.a = arg(0);
    node.b = arg(1);
    return add_node(node);
  }
  const auto bits = bitwise_functions().find(e.text);
  if (bits != bitwise_functions().end()) {
    ValueNode node;
    node.op = Op::bitwise;
    node.bitwise = bits->second;
    node.a = arg(0);
    node.b = arg(1);
    return add_node(node);
  }
  if (e.text == "nextafter") {
    ValueNode node;
    node.op = Op::after;
    node.dtype = constant_dtype(*e.args.at(2));
    node.a = rounded(arg(0), node.dtype);
    node.b = rounded(arg(1), node.dtype);
    return add_node(node);
  }
  if (e.text == "where") {
    if (is_static(*e.args.at(0))) {
      return arg(constant_truth(*e.args[0]) ? 1 : 2);
    }
    ValueNode node;
    node.op = Op::where;
    node.a = arg(0);
    node.b = arg(1);
    node.c = arg(2);
    return add_node(node);
  }
  if (e.text == "inside") {
    const Expr& access = *e.args.at(0);
    if (access.kind != Expr::Kind::access) give_up(e, "only an element can be");
    return element(access, e.args.at(1).get());
  }
  if (e.text == "round") {
    return rounded(arg(0), constant_dtype(*e.args.at(1)));
  }
  if ((e.text == "max" || e.text == "min") && e.args.size() > 1) {
    int all = arg(0);
    for (std::size_t n = 1; n < e.args.size(); ++n) {
      all = binary(e.text == "max" ? Op::max : Op::min, all, arg(n));
    }
    return all;
  }
  const auto it = unary_functions().find(e.text);
  if (it != unary_functions().end()) return unary(it->second, arg(0));
  if (is_static(e)) return from_static(e, constant(e));
  if (is_greatest_u64(e)) {
    return integer_node(DType::u64, integer_max(DType::u64));
  }
  ValueNode node;
  node.op = Op::index;
  node.a = index(e);
  node.integral = true;
  return add_node(node);
}

int PlanCompiler::value_reduce(const Expr& e) {
  if (is_static(e)) {
    const StaticValue v = constant(e);
    if (!std::holds_alternative<double>(v)) return from_static(e, v);
  }
  const auto it = reductions().find(e.text);
  if (it == reductions().end()) give_up(e, "this reduction gives no number");
  Reduction r;
  r.kind = it->second;
  const std::size_t outer = scope_.size();
  for (const Binder& b : e.binders) {
    Entry entry{b.name, b.pack, {}};
    if (b.pack) {
      for (const std::int64_t n : constant_shape(*b.to)) {
        const int slot = new_slot();
        entry.slots.push_back(slot);
        r.ranges.push_back({slot, -1, index_constant(n)});
      }
    } else {
      const int from = b.from ? index(*b.from) : -1;
      const int to = index(*b.to);
      const int slot = new_slot();
      entry.slots.push_back(slot);
      r.ranges.push_back({slot, from, to});
    }
    scope_.push_back(std::move(entry));
  }
  r.body = value(*e.args[0]);
  scope_.resize(outer);
  r.contraction = contraction(r);
  ValueNode node;
  node.op = Op::reduce;
  node.reduction = static_cast<int>(plan_.reductions.size());
  using K = Reduction::Kind;
  node.integral = r.kind == K::any || r.kind == K::all || r.kind == K::count ||
                  r.kind == K::which ||
                  (r.kind != K::mean &&
                   plan_.values[static_cast<std::size_t>(r.body)].integral);
  plan_.reductions.push_back(std::move(r));
  return add_node(node);
}

}  // namespace assay::reference
