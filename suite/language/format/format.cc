#include "suite/language/format/format.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "suite/language/format/layout.h"
#include "suite/language/read/read_op.h"
#include "suite/language/read/read_program.h"
#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {
namespace {

bool has_field(const YamlNode& root, const char* name) {
  return std::any_of(root.fields.begin(), root.fields.end(),
                     [&](const auto& f) { return f.first.text.text == name; });
}

// The fields of such a file, as its reader wants them.
std::vector<std::string> order_of(const YamlNode& root) {
  if (has_field(root, "program")) return program_sections();
  std::vector<std::string> order;
  if (has_field(root, "op") || has_field(root, "ops")) {
    order = operation_sections();
    order.insert(order.begin(), "ops");
  }
  return order;
}

const YamlNode* first_change(const YamlNode& a, const YamlNode& b);

// Of two mappings whose fields may stand in different orders.
const YamlNode* first_change_of_fields(const YamlNode& a, const YamlNode& b) {
  using Field = std::pair<YamlNode, YamlNode>;
  std::map<std::string_view, const Field*> others;
  for (const Field& f : b.fields) others[f.first.text.text] = &f;
  for (const auto& [key, value] : a.fields) {
    const auto other = others.find(key.text.text);
    if (other == others.end()) return &key;
    if (first_change(key, other->second->first)) return &key;
    if (const auto* n = first_change(value, other->second->second)) return n;
  }
  return a.fields.size() == b.fields.size() ? nullptr : &a;
}

// The first node of `a` that says something else in `b`; null: none does.
const YamlNode* first_change(const YamlNode& a, const YamlNode& b) {
  // Without quotes one word may be a number, a bool or none; several may not.
  const bool quotes =
      a.quoted == b.quoted || a.text.text.find(' ') != std::string::npos;
  if (a.kind != b.kind || a.text.text != b.text.text || !quotes ||
      a.items.size() != b.items.size() || a.fields.size() != b.fields.size()) {
    return &a;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (const auto* n = first_change(a.items[i], b.items[i])) return n;
  }
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (first_change(a.fields[i].first, b.fields[i].first)) {
      return &a.fields[i].first;
    }
    const auto* n = first_change(a.fields[i].second, b.fields[i].second);
    if (n != nullptr) return n;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> format_spec(const std::string& text,
                                       std::vector<Fault>* faults) {
  const auto before = parse_yaml(text, faults);
  if (!before || !faults->empty()) return std::nullopt;
  std::string out = lay_out(text, order_of(*before));
  std::vector<Fault> broken;
  const auto after = parse_yaml(out, &broken);
  if (!broken.empty()) {
    faults->push_back({before->pos,
                       "the file stays as it is, since formatted "
                       "it cannot be read: " +
                           broken[0].message});
    return std::nullopt;
  }
  const YamlNode* changed = before->is_map() && after->is_map()
                                ? first_change_of_fields(*before, *after)
                                : first_change(*before, *after);
  if (changed != nullptr) {
    faults->push_back({changed->pos,
                       "the file stays as it is, since formatted this would "
                       "say something else"});
    return std::nullopt;
  }
  return out;
}

}  // namespace assay::language
