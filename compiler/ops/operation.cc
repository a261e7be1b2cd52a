#include "compiler/ops/operation.h"

#include <algorithm>
#include <unordered_map>

namespace assay::compiler {

const std::vector<Family>& families() {
  static const auto* const all = new std::vector<Family>{
      activation(), arithmetic(), comparison(), copy(),    elementary(),
      indexing(),   layout(),     matmul(),     network(), pooling(),
      reduction(),  resize(),     scatter()};
  return *all;
}

bool takes_every_type(const Operation& operation) {
  const auto holds = [&operation](Family family) {
    return std::any_of(family.begin(), family.end(),
                       [&](const Operation& o) { return &o == &operation; });
  };
  return holds(copy()) || holds(layout());
}

const Operation* find_operation(std::string_view aten) {
  static const auto* const table = [] {
    auto* all = new std::unordered_map<std::string_view, const Operation*>;
    for (const Family family : families()) {
      for (const Operation& o : family) all->emplace(o.aten, &o);
    }
    return all;
  }();
  const auto found = table->find(aten);
  return found == table->end() ? nullptr : found->second;
}

}  // namespace assay::compiler
