#include "compiler/derived/index_values.h"

#include <algorithm>

#include "compiler/derived/written_out.h"
#include "core/integer_math.h"
#include "suite/language/nest/index_arithmetic.h"

namespace assay::compiler {

using language::IndexNode;
using language::ValueNode;
using Known = std::optional<std::int64_t>;

namespace {

std::int64_t compared(language::Comparison c, std::int64_t a, std::int64_t b) {
  using C = language::Comparison;
  switch (c) {
    case C::eq:
      return a == b ? 1 : 0;
    case C::ne:
      return a != b ? 1 : 0;
    case C::lt:
      return a < b ? 1 : 0;
    case C::le:
      return a <= b ? 1 : 0;
    case C::gt:
      return a > b ? 1 : 0;
    case C::ge:
      return a >= b ? 1 : 0;
  }
  return 0;
}

}  // namespace

Known IndexValues::index(int id) const {
  using Op = IndexNode::Op;
  const IndexNode& x = nest_.index(id);
  switch (x.op) {
    case Op::constant:
      return x.value;
    case Op::slot: {
      const auto it = slots_.find(static_cast<int>(x.value));
      return it == slots_.end() ? Known() : it->second;
    }
    case Op::element:
      return std::nullopt;
    case Op::select: {
      const Known holds = value(x.a);
      if (!holds) return std::nullopt;
      return index(*holds != 0 ? x.b : x.c);
    }
    default:
      break;
  }
  const Known a = index(x.a);
  const Known b = x.b < 0 ? Known(0) : index(x.b);
  if (!a || !b) return std::nullopt;
  return language::index_arithmetic(x.op, *a, *b);
}

Known IndexValues::value(int id) const {
  using Op = ValueNode::Op;
  const ValueNode& v = nest_.node(written_out(nest_, id));
  switch (v.op) {
    case Op::integer:
      return v.integer;
    case Op::index:
      return index(v.a);
    default:
      break;
  }
  const Known a = v.a < 0 ? Known() : value(v.a);
  if (!a) return std::nullopt;
  if (v.op == Op::neg) return -*a;
  if (v.op == Op::logical_not) return *a == 0 ? 1 : 0;
  if (v.op == Op::where) return value(*a != 0 ? v.b : v.c);
  if (v.op == Op::logical_and && *a == 0) return 0;
  if (v.op == Op::logical_or && *a != 0) return 1;
  const Known b = v.b < 0 ? Known() : value(v.b);
  if (!b) return std::nullopt;
  switch (v.op) {
    case Op::logical_and:
    case Op::logical_or:
      return *b != 0 ? 1 : 0;
    case Op::add:
      return *a + *b;
    case Op::sub:
      return *a - *b;
    case Op::mul:
      return *a * *b;
    case Op::binary:
      if (v.binary != language::Binary::remainder || *b == 0) return {};
      return floor_mod(*a, *b);
    case Op::compare:
      return compared(v.comparison, *a, *b);
    default:
      return std::nullopt;
  }
}

Known IndexValues::terms(const language::ReductionNode& r) const {
  std::int64_t terms = 1;
  for (const language::ReductionNode::Range& range : r.ranges) {
    const Known from = range.from < 0 ? Known(0) : index(range.from);
    const Known to = index(range.to);
    if (!from || !to) return std::nullopt;
    terms *= std::max<std::int64_t>(*to - *from, 0);
  }
  return terms;
}

}  // namespace assay::compiler
