#include "compiler/derived/lines.h"

#include <utility>

#include "compiler/derived/depends.h"

namespace assay::compiler {

using language::IndexNode;

std::optional<int> runs_along(const language::Nest& nest,
                              const language::ReductionNode& r,
                              const Shape& extents) {
  if (r.ranges.size() != 1 || r.ranges[0].from >= 0) {
    return std::nullopt;
  }
  const IndexNode& to = nest.index(r.ranges[0].to);
  if (to.op != IndexNode::Op::add) return std::nullopt;
  for (const auto& [a, b] : {std::pair{to.a, to.b}, std::pair{to.b, to.a}}) {
    const IndexNode& slot = nest.index(a);
    const IndexNode& one = nest.index(b);
    if (slot.op != IndexNode::Op::slot || one.op != IndexNode::Op::constant ||
        one.value != 1 ||
        slot.value >= static_cast<std::int64_t>(extents.size())) {
      continue;
    }
    const int d = static_cast<int>(slot.value);
    if (!value_depends_on(nest, r.body, d)) return d;
  }
  return std::nullopt;
}

}  // namespace assay::compiler
