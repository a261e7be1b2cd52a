#include "compiler/derived/depends.h"

#include <algorithm>

namespace assay::compiler {

using language::IndexNode;
using language::Nest;
using language::ReductionNode;
using language::ValueNode;

bool depends_on(const Nest& nest, int id, const std::vector<int>& slots) {
  if (id < 0) return false;
  const IndexNode& x = nest.index(id);
  using Op = IndexNode::Op;
  if (x.op == Op::constant) return false;
  if (x.op == Op::slot) {
    return std::find(slots.begin(), slots.end(), x.value) != slots.end();
  }
  if (x.op == Op::element) {
    const auto& at = nest.access(static_cast<int>(x.value)).index;
    return std::any_of(at.begin(), at.end(),
                       [&](int i) { return depends_on(nest, i, slots); });
  }
  // A condition may read anything.
  if (x.op == Op::select) return true;
  return depends_on(nest, x.a, slots) || depends_on(nest, x.b, slots);
}

bool value_depends_on(const Nest& nest, int id, int slot) {
  if (id < 0) return false;
  const auto index = [&](int i) { return depends_on(nest, i, {slot}); };
  const auto part = [&](int i) { return value_depends_on(nest, i, slot); };
  const ValueNode& v = nest.node(id);
  if (v.op == ValueNode::Op::index) return index(v.a);
  if (v.access >= 0) {
    const auto& at = nest.access(v.access).index;
    if (std::any_of(at.begin(), at.end(), index)) return true;
  }
  if (v.reduction >= 0) {
    const ReductionNode& r = nest.reduction(v.reduction);
    for (const ReductionNode::Range& range : r.ranges) {
      if (index(range.from) || index(range.to)) return true;
    }
    if (part(r.body)) return true;
  }
  return part(v.a) || part(v.b) || part(v.c);
}

}  // namespace assay::compiler
