#include "suite/language/model/spec.h"

#include <algorithm>
#include <set>

namespace assay::language {
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

const std::string& Form::output_name(std::size_t k) const {
  static const std::string kOnly = "out";
  const std::string& own = output(k).name;
  return own.empty() ? kOnly : own;
}

bool OpSpec::sizes_depend() const {
  return std::any_of(forms.begin(), forms.end(),
                     [](const Form& f) { return f.sizes_depend; });
}

bool OpSpec::reads_elements() const {
  return std::any_of(params.begin(), params.end(),
                     [](const Param& p) { return p.elements_read; });
}

bool OpSpec::has_relations() const {
  return std::any_of(forms.begin(), forms.end(),
                     [](const Form& f) { return !f.relations.empty(); });
}

bool OpSpec::is_of_complex() const {
  return std::any_of(dtypes.begin(), dtypes.end(), [](const auto& symbol) {
    const std::vector<DType>& types = symbol.second.types;
    return !types.empty() && std::all_of(types.begin(), types.end(),
                                         [](DType t) { return is_complex(t); });
  });
}

std::vector<TorchVersion> editions(const OpSpec& op) {
  std::set<TorchVersion> first = {TorchVersion{}};
  for (const Form& form : op.forms) {
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      for (const Accuracy& a : form.output(k).accuracy) {
        if (a.torch) first.insert(a.torch->version);
      }
    }
  }
  return {first.begin(), first.end()};
}

void SpecSet::index() {
  by_aten.clear();
  by_complex_aten.clear();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    (ops[i].is_of_complex() ? by_complex_aten : by_aten)
        .emplace(ops[i].aten, i);
  }
}

const OpSpec* SpecSet::find_aten(const std::string& aten,
                                 bool of_complex) const {
  // Most overloads have one spec for both kinds of operands, so that an index
  // of all operations must answer that there is no other without a search.
  const bool all_indexed =
      by_aten.size() + by_complex_aten.size() == ops.size();
  for (const bool of : {of_complex, !of_complex}) {
    const auto& indexed = of ? by_complex_aten : by_aten;
    const auto is_meant = [&](const OpSpec& o) {
      return o.aten == aten && o.is_of_complex() == of;
    };
    const auto at = indexed.find(aten);
    if (at != indexed.end() && at->second < ops.size() &&
        is_meant(ops[at->second])) {
      return &ops[at->second];
    }
    if (all_indexed && at == indexed.end()) continue;
    if (const OpSpec* found = find(ops, is_meant)) return found;
  }
  return nullptr;
}

const OpSpec* SpecSet::find_op(const std::string& name) const {
  return find(ops, [&](const OpSpec& o) { return o.name == name; });
}

}  // namespace assay::language
