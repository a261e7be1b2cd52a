#include "compiler/derived/written_out.h"

#include <algorithm>
#include <cmath>

#include "compiler/derived/depends.h"

namespace assay::compiler {
namespace {

using language::IndexNode;
using language::Nest;
using language::ValueNode;
using Op = ValueNode::Op;

bool reduces(const Nest& nest, int id) {
  if (id < 0) return false;
  const ValueNode& v = nest.node(id);
  if (v.op == Op::reduce) return true;
  if (v.op == Op::index) return false;
  return reduces(nest, v.a) || reduces(nest, v.b) || reduces(nest, v.c);
}

// Of several acceptable answers the first, which is the one that is computed.
int answer(const Nest& nest, int id) {
  id = written_out(nest, id);
  const ValueNode& v = nest.node(id);
  return v.op == Op::either ? answer(nest, v.a) : id;
}

bool is_same_index(const Nest& nest, int a, int b) {
  const IndexNode &x = nest.index(a), &y = nest.index(b);
  const bool leaf =
      x.op == IndexNode::Op::slot || x.op == IndexNode::Op::constant;
  return a == b || (leaf && x.op == y.op && x.value == y.value);
}

bool is_same_element(const Nest& nest, const ValueNode& v, const ValueNode& w) {
  if (v.op != Op::element || w.op != Op::element) return false;
  const language::Access &x = nest.access(v.access), &y = nest.access(w.access);
  return x.source == y.source && x.dtype == y.dtype && x.stored == y.stored &&
         std::equal(x.index.begin(), x.index.end(), y.index.begin(),
                    y.index.end(),
                    [&](int i, int j) { return is_same_index(nest, i, j); });
}

}  // namespace

int written_out(const Nest& nest, int id) {
  const ValueNode& v = nest.node(id);
  if (v.op != Op::element) return id;
  const language::Access& a = nest.access(v.access);
  if (!a.is_definition()) return id;
  const int body =
      nest.definitions[static_cast<std::size_t>(a.definition())].body;
  for (std::size_t d = 0; d < a.index.size(); ++d) {
    const IndexNode& i = nest.index(a.index[d]);
    const bool same =
        i.op == IndexNode::Op::slot && i.value == static_cast<std::int64_t>(d);
    // Of one element along d it does not matter which is asked for, unless the
    // definition names its index: here slot d is another's.
    const bool any =
        a.sizes[d] == 1 && !value_depends_on(nest, body, static_cast<int>(d));
    if (!same && !any) return id;
  }
  return reduces(nest, body) ? id : written_out(nest, body);
}

std::optional<double> number_at(const Nest& nest, int id) {
  const ValueNode& v = nest.node(written_out(nest, id));
  switch (v.op) {
    case Op::integer:
      return static_cast<double>(v.integer);
    case Op::real:
      return v.number;
    case Op::either:
      return number_at(nest, v.a);
    case Op::where:
      return is_same_value(nest, v.b, v.c) ? number_at(nest, v.b)
                                           : std::nullopt;
    default:
      return std::nullopt;
  }
}

bool is_nan(const Nest& nest, int id) {
  const std::optional<double> x = number_at(nest, id);
  return x && std::isnan(*x);
}

bool is_infinite(const Nest& nest, int id) {
  const std::optional<double> x = number_at(nest, id);
  return x && std::isinf(*x);
}

bool is_function(const Nest& nest, int id, language::Elementary f) {
  const ValueNode& v = nest.node(written_out(nest, id));
  return v.op == ValueNode::Op::elementary && v.elementary == f;
}

bool is_same_value(const Nest& nest, int a, int b) {
  const std::optional<double> x = number_at(nest, a), y = number_at(nest, b);
  if (x && y) return *x == *y && std::signbit(*x) == std::signbit(*y);
  const int v = answer(nest, a), w = answer(nest, b);
  return v == w || is_same_element(nest, nest.node(v), nest.node(w));
}

}  // namespace assay::compiler
