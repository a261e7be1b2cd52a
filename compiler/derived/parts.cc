#include "compiler/derived/parts.h"

namespace assay::compiler {

using language::IndexNode;
using language::Reduction;
using language::ReductionNode;
using language::ValueNode;

Parts::Parts(const language::Nest& nest)
    : nest_(nest),
      floats_(is_float(nest.type.dtype)),
      wide_(nest.type.dtype == DType::f64) {
  for (const language::NestDefinition& d : nest.definitions) value(d.body);
  for (const language::NestClause& s : nest.special) {
    value(s.when);
    value(s.then);
  }
}

void Parts::value(int id) {
  if (id < 0) return;
  const ValueNode& v = nest_.node(id);
  if (v.access >= 0) access(v.access);
  if (v.reduction >= 0) {
    const ReductionNode& r = nest_.reduction(v.reduction);
    const bool adds = r.kind == Reduction::sum || r.kind == Reduction::mean;
    squares_ = squares_ || (adds && has_square(r.body));
    value(r.body);
    for (const ReductionNode::Range& range : r.ranges) {
      index(range.from);
      index(range.to);
    }
  }
  if (v.op == ValueNode::Op::index) {
    index(v.a);
    return;
  }
  for (const int child : {v.a, v.b, v.c}) value(child);
}

void Parts::index(int id) {
  if (id < 0) return;
  const IndexNode& x = nest_.index(id);
  if (x.op == IndexNode::Op::element) access(static_cast<int>(x.value));
  if (x.op == IndexNode::Op::select) {
    value(x.a);
  } else {
    index(x.a);
  }
  index(x.b);
  index(x.c);
}

void Parts::access(int id) {
  const language::Access& a = nest_.access(id);
  for (const int i : a.index) index(i);
  if (a.is_definition()) return;
  floats_ = floats_ || is_float(a.dtype);
  wide_ = wide_ || a.dtype == DType::f64;
}

bool Parts::has_square(int id) const {
  if (id < 0) return false;
  const ValueNode& v = nest_.node(id);
  if (v.op == ValueNode::Op::square) return true;
  if (v.op == ValueNode::Op::index || v.op == ValueNode::Op::reduce) {
    return false;
  }
  return has_square(v.a) || has_square(v.b) || has_square(v.c);
}

}  // namespace assay::compiler
