#include "suite/language/bind/element_test.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace assay::language {
namespace {

// The comparison with its sides exchanged.
Operator mirrored(Operator op) {
  switch (op) {
    case Operator::lt:
      return Operator::gt;
    case Operator::le:
      return Operator::ge;
    case Operator::gt:
      return Operator::lt;
    case Operator::ge:
      return Operator::le;
    default:
      return op;
  }
}

bool compares(Operator op) {
  return orders(op) || op == Operator::eq || op == Operator::ne;
}

template <class T>
void compare(Operator op, const T* x, T bound, std::size_t count, bool* out) {
  const auto each = [&](const auto& holds) {
    for (std::size_t i = 0; i < count; ++i) out[i] = holds(x[i]);
  };
  switch (op) {
    case Operator::lt:
      return each([bound](T v) { return v < bound; });
    case Operator::le:
      return each([bound](T v) { return v <= bound; });
    case Operator::gt:
      return each([bound](T v) { return v > bound; });
    case Operator::ge:
      return each([bound](T v) { return v >= bound; });
    case Operator::ne:
      return each([bound](T v) { return v != bound; });
    default:
      return each([bound](T v) { return v == bound; });
  }
}

}  // namespace

class ElementTest::Builder {
 public:
  Builder(const Expr& all, const Evaluate& evaluate)
      : binder_(all.binders[0]), evaluate_(evaluate) {}

  std::optional<ElementTest> run(const Expr& body) {
    const Expr& of = *binder_.to->args[0];
    const Operand x = evaluate_(of);
    const auto* tensor = std::get_if<const TensorArg*>(&x);
    if (tensor == nullptr || (*tensor)->value == nullptr ||
        (*tensor)->type.dtype == DType::u64) {
      return std::nullopt;
    }
    test_.tensor_ = *tensor;
    name_ = to_string(of);
    if (add(body) < 0) return std::nullopt;
    return std::move(test_);
  }

 private:
  // The number of its node; -1 where it is none.
  int add(const Expr& e) {
    if (e.kind != Expr::Kind::op) return -1;
    Node node;
    node.op = e.op;
    if (compares(e.op)) {
      if (!leaf(e, &node)) return -1;
    } else if (e.op == Operator::logical_and || e.op == Operator::logical_or) {
      node.a = add(*e.args[0]);
      node.b = node.a < 0 ? -1 : add(*e.args[1]);
      if (node.b < 0) return -1;
    } else if (e.op == Operator::logical_not) {
      node.a = add(*e.args[0]);
      if (node.a < 0) return -1;
    } else {
      return -1;
    }
    test_.nodes_.push_back(node);
    return static_cast<int>(test_.nodes_.size()) - 1;
  }

  bool leaf(const Expr& e, Node* node) {
    const bool left = is_element(*e.args[0]);
    const Expr& other = *e.args[left ? 1 : 0];
    if ((!left && !is_element(*e.args[1])) || uses_index(other)) return false;
    const Operand bound = evaluate_(other);
    const bool whole = std::holds_alternative<std::int64_t>(bound);
    if (!whole && !std::holds_alternative<double>(bound)) return false;
    if (!left) node->op = mirrored(e.op);
    node->is_leaf = true;
    node->in_integers = whole && !is_float(test_.tensor_->type.dtype);
    node->integer = whole ? std::get<std::int64_t>(bound) : 0;
    node->number = *number_of(bound);
    if (!node->in_integers) test_.compares_numbers_ = true;
    return true;
  }

  // x[i...]
  bool is_element(const Expr& e) const {
    return e.kind == Expr::Kind::access && e.args.size() == 2 &&
           e.args[1]->kind == Expr::Kind::pack &&
           e.args[1]->text == binder_.name && to_string(*e.args[0]) == name_;
  }

  bool uses_index(const Expr& e) const {
    return any_part(e, [&](const Expr& part) {
      return (part.kind == Expr::Kind::pack || part.kind == Expr::Kind::name) &&
             part.text == binder_.name;
    });
  }

  const Binder& binder_;
  const Evaluate& evaluate_;
  std::string name_;
  ElementTest test_;
};

std::optional<ElementTest> ElementTest::of(const Expr& all,
                                           const Evaluate& evaluate) {
  if (!all.is(Reduction::all) || all.binders.size() != 1) return std::nullopt;
  const Binder& b = all.binders[0];
  if (!b.pack || b.from || !b.to || !b.to->is(FunctionId::shape) ||
      b.to->args.size() != 1) {
    return std::nullopt;
  }
  try {
    return Builder(all, evaluate).run(*all.args[0]);
  } catch (const EvaluationStop&) {
    return std::nullopt;
  }
}

void ElementTest::read(std::int64_t first, std::size_t count,
                       Elements* x) const {
  const Tensor& t = *tensor_->value;
  const auto at = [first](std::size_t i) {
    return first + static_cast<std::int64_t>(i);
  };
  if (is_float(t.dtype())) {
    for (std::size_t i = 0; i < count; ++i) x->numbers[i] = t.number(at(i));
    return;
  }
  if (t.dtype() == DType::i64 && t.type.is_contiguous()) {
    const auto place = static_cast<std::size_t>(t.position(first));
    std::memcpy(x->integers.data(),
                t.storage->data() + place * sizeof(std::int64_t),
                count * sizeof(std::int64_t));
  } else {
    for (std::size_t i = 0; i < count; ++i) x->integers[i] = t.integer(at(i));
  }
  for (std::size_t i = 0; i < count && compares_numbers_; ++i) {
    x->numbers[i] = static_cast<double>(x->integers[i]);
  }
}

void ElementTest::apply(int node, const Elements& x, std::size_t count,
                        Block<bool>* out) const {
  const Node& n = nodes_[static_cast<std::size_t>(node)];
  if (n.is_leaf && n.in_integers) {
    return compare(n.op, x.integers.data(), n.integer, count, out->data());
  }
  if (n.is_leaf) {
    return compare(n.op, x.numbers.data(), n.number, count, out->data());
  }
  apply(n.a, x, count, out);
  if (n.op == Operator::logical_not) {
    for (std::size_t i = 0; i < count; ++i) (*out)[i] = !(*out)[i];
    return;
  }
  Block<bool> other;
  apply(n.b, x, count, &other);
  const bool both = n.op == Operator::logical_and;
  for (std::size_t i = 0; i < count; ++i) {
    const bool a = (*out)[i], b = other[i];
    (*out)[i] = both ? a && b : a || b;
  }
}

std::optional<ElementTest::Interval> ElementTest::interval() const {
  Interval in{INT64_MIN, INT64_MAX};
  for (const Node& n : nodes_) {
    if (!n.is_leaf && n.op == Operator::logical_and) continue;
    if (!n.is_leaf || !n.in_integers) return std::nullopt;
    const bool below = n.op == Operator::lt, above = n.op == Operator::gt;
    if (below || n.op == Operator::le) {
      if (below && n.integer == INT64_MIN) return std::nullopt;
      in.greatest = std::min(in.greatest, n.integer - (below ? 1 : 0));
    } else if (above || n.op == Operator::ge) {
      if (above && n.integer == INT64_MAX) return std::nullopt;
      in.least = std::max(in.least, n.integer + (above ? 1 : 0));
    } else {
      return std::nullopt;
    }
  }
  const auto width = static_cast<std::uint64_t>(in.greatest) -
                     static_cast<std::uint64_t>(in.least);
  const bool holds_zero = in.least <= 0 && in.greatest >= 0;
  if (!holds_zero || width >> 63 != 0) return std::nullopt;
  return in;
}

// Of x beyond an end the difference to that end is negative and does not wrap,
// since 0 lies between; of others neither is, since the interval is narrow.
bool ElementTest::all_lie_in(const Interval& in) const {
  const auto least = static_cast<std::uint64_t>(in.least);
  const auto greatest = static_cast<std::uint64_t>(in.greatest);
  const std::int64_t count = element_count(tensor_->type.sizes);
  Elements x;
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const auto n =
        static_cast<std::size_t>(std::min<std::int64_t>(count - first, kBlock));
    read(first, n, &x);
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto v = static_cast<std::uint64_t>(x.integers[i]);
      outside |= (v - least) | (greatest - v);
    }
    if (outside >> 63 != 0) return false;
  }
  return true;
}

bool ElementTest::holds_for_all() const {
  if (const auto in = interval()) return all_lie_in(*in);
  const std::int64_t count = element_count(tensor_->type.sizes);
  Elements x;
  Block<bool> holds;
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const auto n =
        static_cast<std::size_t>(std::min<std::int64_t>(count - first, kBlock));
    read(first, n, &x);
    apply(static_cast<int>(nodes_.size()) - 1, x, n, &holds);
    if (!std::all_of(holds.begin(),
                     holds.begin() + static_cast<std::ptrdiff_t>(n),
                     [](bool h) { return h; })) {
      return false;
    }
  }
  return true;
}

}  // namespace assay::language
