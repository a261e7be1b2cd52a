#include "suite/language/sugar/case_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "suite/language/sugar/type_lists.h"
#include "suite/language/sugar/yaml_edit.h"

namespace assay::language {
namespace {

void settle(YamlNode* group, const CaseContext& context, const Shared& shared,
            Faults* faults) {
  YamlNode* dtypes = field(group, "dtypes");
  if (dtypes == nullptr || !dtypes->is_map()) return;
  write_out_types_by_symbol(dtypes, shared.dtypes);
  for (auto& [key, value] : dtypes->fields) {
    if (!value.is_scalar() || !context.dtypes.contains(value.text.text)) {
      continue;
    }
    const YamlNode* first = field(*dtypes, value.text.text);
    if (first == nullptr || !first->is_sequence() || first->items.size() != 1) {
      faults->push_back(
          {value.pos,
           fmt::format("'{0}' follows '{1}', which {2}; use 'each: {1}'",
                       key.text.text, value.text.text,
                       first == nullptr ? "has no types in this group"
                                        : "has several types")});
      value =
          make_list(first ? first->items : std::vector<YamlNode>{}, value.pos);
      continue;
    }
    value = make_list({first->items[0]}, value.pos);
  }
}

}  // namespace

void combine_attrs(YamlNode* group, const CaseContext& context,
                   Faults* faults) {
  YamlNode* attrs = field(group, "attrs");
  if (attrs == nullptr || !attrs->is_map()) return;
  std::vector<YamlNode> all = {make_map(attrs->pos)};
  for (const auto& [key, values] : attrs->fields) {
    // One list of integers is one value.
    const bool several =
        values.is_sequence() &&
        (!context.lists.contains(key.text.text) ||
         std::all_of(values.items.begin(), values.items.end(),
                     [](const YamlNode& v) { return !v.is_scalar(); }));
    const std::vector<YamlNode> choices =
        several ? values.items : std::vector<YamlNode>{values};
    std::vector<YamlNode> next;
    for (const YamlNode& entry : all) {
      for (const YamlNode& choice : choices) {
        next.push_back(entry);
        put(&next.back(), key, choice);
      }
      if (next.size() > kMaxGroups) break;
    }
    if (next.empty() || next.size() > kMaxGroups) {
      faults->push_back(
          {values.pos,
           fmt::format("'{}' has {}", key.text.text,
                       next.empty() ? "no value" : "too many combinations")});
      faults->push_back({attrs->pos, ""});  // enough is said of it
      return;
    }
    all = std::move(next);
  }
  *attrs = make_list(std::move(all), attrs->pos);
}

const YamlNode* CaseContext::types_of(const std::string& symbol) const {
  auto it = dtypes.find(symbol);
  if (it != dtypes.end() && it->second.is_scalar()) {
    it = dtypes.find(it->second.text.text);
  }
  return it != dtypes.end() && it->second.is_sequence() ? &it->second : nullptr;
}

CaseContext case_context(const YamlNode& op) {
  CaseContext out;
  if (const YamlNode* dtypes = field(op, "dtypes")) {
    for (const auto& [key, value] : dtypes->fields) {
      out.dtypes[key.text.text] = value;
    }
  }
  if (const YamlNode* params = field(op, "params")) {
    for (const auto& [key, value] : params->fields) {
      if (field(value, "tensor") || field(value, "tensors")) {
        out.tensors.insert(key.text.text);
      }
      const YamlNode* kind = field(value, "kind");
      if (kind && (is_text(*kind, "ints") || is_text(*kind, "numbers"))) {
        out.lists.insert(key.text.text);
      }
    }
  }
  return out;
}

std::vector<std::string> ids_of(const std::string& key) {
  const auto number = [](const std::string& s) {
    std::size_t n = 0;
    const char* end = s.data() + s.size();
    const bool good = s.size() > 1 && s.size() < 6 && s[0] == 'C' &&
                      s[1] != '0' &&
                      std::from_chars(s.data() + 1, end, n).ptr == end;
    return good ? n : 0;
  };
  const std::size_t dash = key.find('-');
  const std::size_t first = number(key.substr(0, dash));
  const std::size_t last =
      dash == std::string::npos ? first : number(key.substr(dash + 1));
  std::vector<std::string> out;
  if (first == 0 || last - first >= kMaxGroups) return out;
  for (std::size_t n = first; n <= last; ++n) {
    out.push_back("C" + std::to_string(n));
  }
  return out;
}

void settle_cases(YamlNode* cases, const CaseContext& context,
                  const Shared& shared, Faults* faults) {
  for (auto& [id, group] : cases->fields) {
    settle(&group, context, shared, faults);
    combine_attrs(&group, context, faults);
  }
}

void replace_fields(YamlNode* group, YamlNode fields, Faults* faults) {
  if (!fields.is_map() || !group->is_map()) {
    faults->push_back({fields.pos,
                       "expected fields to replace, {vacuous: "
                       "0.1}, found " +
                           fields.describe()});
    return;
  }
  if (const auto without = take(&fields, "without")) {
    for (const YamlNode& name :
         read_list(*without, "a list of fields", faults)) {
      if (take(group, name.text.text)) continue;
      faults->push_back(
          {name.pos, fmt::format("there is no field '{}' to leave "
                                 "out",
                                 name.text.text)});
    }
  }
  overlay(group, fields);
}

}  // namespace assay::language
