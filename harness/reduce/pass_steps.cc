// Outputs and steps.
#include <algorithm>
#include <cstddef>

#include "core/operands.h"
#include "harness/reduce/passes.h"

namespace assay::harness {
namespace {

const TensorType* type_of(const PassInput& in, ValueRef v) {
  const auto n = static_cast<std::size_t>(v.id);
  return n < in.types.size() ? &in.types[n] : nullptr;
}

bool alike(const TensorType* a, const TensorType* b) {
  return a != nullptr && b != nullptr && a->dtype == b->dtype &&
         a->sizes == b->sizes;
}

bool offer_returning(const PassInput& in, std::vector<ValueRef> outputs,
                     const Offer& offer) {
  return offer([&in, outputs = std::move(outputs)] {
    Candidate c = in.from;
    c.outputs = outputs;
    return c;
  });
}

}  // namespace

void offer_outputs(const PassInput& in, const Offer& offer) {
  const Candidate& from = in.from;
  // An early node alone: the shortest program of all.
  for (std::size_t n = 0; n < from.nodes.size(); ++n) {
    if (offer_returning(in, {from.node_value(n)}, offer)) return;
  }
  for (std::size_t k = 0; k < from.outputs.size(); ++k) {
    std::vector<ValueRef> rest = from.outputs;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    if (offer_returning(in, rest, offer)) return;
  }
  // What an output is computed from in its place.
  for (std::size_t k = 0; k < from.outputs.size(); ++k) {
    const ValueRef v = from.outputs[k];
    if (!from.is_node(v)) continue;
    const Node& node =
        from.nodes[static_cast<std::size_t>(v.id - from.given_count())];
    for (const ValueRef operand : operands(node)) {
      if (!from.is_node(operand)) continue;
      std::vector<ValueRef> earlier = from.outputs;
      earlier[k] = operand;
      if (offer_returning(in, earlier, offer)) return;
    }
  }
}

void offer_steps(const PassInput& in, const Offer& offer) {
  const Candidate& from = in.from;
  for (std::size_t n = from.nodes.size(); n-- > 0;) {
    const ValueRef v = from.node_value(n);
    // A step that keeps the type is left out.
    for (const ValueRef operand : operands(from.nodes[n])) {
      if (!alike(type_of(in, v), type_of(in, operand))) continue;
      const bool done = offer([&] {
        Candidate c = from;
        replace_value(&c, v, operand);
        return c;
      });
      if (done) return;
    }
  }
  // What a step computes is given instead: with all that it is made from it
  // goes.
  for (std::size_t n = from.nodes.size(); n-- > 0;) {
    const ValueRef v = from.node_value(n);
    if (type_of(in, v) == nullptr) continue;
    const bool returned = std::find(from.outputs.begin(), from.outputs.end(),
                                    v) != from.outputs.end();
    if (returned && from.outputs.size() == 1) continue;
    std::vector<GivenTensor> values;
    for (std::size_t k = 0; k < 2; ++k) {
      const bool done = offer([&]() -> std::optional<Candidate> {
        if (k == 0 || values.empty()) values = in.examiner.values_of(from, v);
        if (k >= values.size()) return std::nullopt;
        return with_input_for(from, v, values[k]);
      });
      if (done) return;
    }
  }
}

}  // namespace assay::harness
