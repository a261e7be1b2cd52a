#include "harness/fuzz/draft.h"

#include <utility>

#include "core/operands.h"

namespace assay::harness {

ValueRef Draft::add_given(GivenTensor given) {
  givens_.push_back(std::move(given));
  return {static_cast<int>(givens_.size()) - 1};
}

ValueRef Draft::add_node(Node node) {
  nodes_.push_back(std::move(node));
  return {kFirstNode + static_cast<int>(nodes_.size()) - 1};
}

ValueRef Draft::value(std::size_t position) const {
  const auto p = static_cast<int>(position);
  const auto count = static_cast<int>(givens_.size());
  return p < count ? ValueRef{p} : ValueRef{kFirstNode + p - count};
}

std::size_t Draft::position(ValueRef v) const {
  return is_given(v)
             ? static_cast<std::size_t>(v.id)
             : givens_.size() + static_cast<std::size_t>(v.id - kFirstNode);
}

Candidate Draft::candidate(const std::vector<ValueRef>& outputs,
                           const std::vector<bool>& captured) const {
  Candidate c;
  std::vector<int> id(value_count());
  int next = 0;
  for (const bool constants : {false, true}) {
    for (std::size_t k = 0; k < givens_.size(); ++k) {
      const bool constant = k < captured.size() && captured[k];
      if (constant != constants) continue;
      auto& list = constant ? c.constants : c.inputs;
      list.push_back(givens_[k]);
      if (constant) list.back().layout = language::Layout::contiguous;
      id[k] = next++;
    }
  }
  for (std::size_t n = givens_.size(); n < id.size(); ++n) id[n] = next++;
  const auto renamed = [&](ValueRef v) { return ValueRef{id[position(v)]}; };
  c.nodes = nodes_;
  for (Node& node : c.nodes) {
    for_each_operand(&node, [&](ValueRef& v) { v = renamed(v); });
  }
  for (const ValueRef v : outputs) c.outputs.push_back(renamed(v));
  return c;
}

}  // namespace assay::harness
