#include "suite/spec.h"

#include <algorithm>

namespace assay {
namespace {

template <class T, class F>
const T* find(const std::vector<T>& all, F holds) {
  const auto it = std::find_if(all.begin(), all.end(), holds);
  return it == all.end() ? nullptr : &*it;
}

}  // namespace

const Param* OpSpec::param(const std::string& wanted) const {
  return find(params, [&](const Param& p) { return p.name == wanted; });
}

const OpSpec* SpecSet::find_aten(const std::string& aten) const {
  return find(ops, [&](const OpSpec& o) { return o.aten == aten; });
}

const OpSpec* SpecSet::find_op(const std::string& name) const {
  return find(ops, [&](const OpSpec& o) { return o.name == name; });
}

}  // namespace assay
