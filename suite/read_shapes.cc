// Sizes that cases bind to symbols, and the named sets of them.
#include <algorithm>
#include <optional>
#include <set>

#include "suite/read_op.h"
#include "suite/suggest.h"

namespace assay {
namespace {

std::optional<Shape> read_sizes(const YamlNode& n, Faults* faults) {
  Shape out;
  const auto one = [&](const YamlNode& item) {
    const auto v = read_integer(item, "a size", faults);
    if (!v) return false;
    if (*v < 0 || *v > 1'000'000'000) {
      faults->push_back({item.pos, "a size lies between 0 and 10^9, found " +
                                       item.describe()});
      return false;
    }
    out.push_back(*v);
    return true;
  };
  if (!n.is_sequence()) {
    if (!one(n)) return std::nullopt;
    return out;
  }
  bool good = true;
  for (const YamlNode& item : n.items) good = one(item) && good;
  if (!good) return std::nullopt;
  return out;
}

// Every symbol of the parameters' shapes that a binding must give: those of
// parameters that may not be left out.
void check_binding(const SymbolSizes& sizes, SourcePos pos, const OpSpec& op,
                   const CaseGroup& group, Faults* faults) {
  std::map<std::string, bool> symbols;  // name, is pack
  std::set<std::string> needed;
  std::set<std::string> lists;
  for (const Param& p : op.params) {
    if (!is_tensor(p)) continue;
    if (!p.shape) {
      lists.insert(p.name);
      continue;
    }
    const bool replaced = group.scalars.contains(p.name) || p.optional;
    for (const DimPattern& d : *p.shape) {
      if (d.symbol.empty()) continue;
      symbols[d.symbol] = d.pack;
      if (!replaced) needed.insert(d.symbol);
    }
  }
  std::vector<std::string> known(lists.begin(), lists.end());
  for (const auto& s : symbols) known.push_back(s.first);
  for (const auto& [name, shape] : sizes) {
    needed.erase(name);
    if (lists.contains(without_member(name))) continue;
    const auto it = symbols.find(name);
    if (it == symbols.end()) {
      faults->push_back({pos, "unknown dimension symbol '" + name + "'" +
                                  did_you_mean(name, known)});
    } else if (!it->second && shape.size() != 1) {
      faults->push_back({pos, "'" + name +
                                  "' is one dimension, found a list "
                                  "of " +
                                  std::to_string(shape.size())});
    }
  }
  for (const std::string& name : needed) {
    faults->push_back({pos, "no size for '" + name +
                                "'; give every symbol "
                                "of the parameters' shapes"});
  }
}

}  // namespace

std::string without_member(const std::string& key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) return key;
  const std::string member = key.substr(dot + 1);
  const bool digits = !member.empty() && member.size() < 4 &&
                      std::all_of(member.begin(), member.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  return digits ? key.substr(0, dot) : key;
}

void read_shapes(const YamlNode& n, const OpSpec& op, const Sweeps& sweeps,
                 CaseGroup* group, Faults* faults) {
  if (n.is_scalar()) {
    const auto it = sweeps.find(n.text.text);
    if (it == sweeps.end()) {
      std::vector<std::string> names;
      for (const auto& s : sweeps) names.push_back(s.first);
      faults->push_back({n.pos, "unknown set of shapes " + n.describe() +
                                    did_you_mean(n.text.text, names) +
                                    "; sets stand in specs/sweeps.yaml"});
      return;
    }
    group->shapes = it->second;
    const std::size_t before = faults->size();
    for (const SymbolSizes& sizes : group->shapes) {
      check_binding(sizes, n.pos, op, *group, faults);
      if (faults->size() != before) break;  // once per set is enough
    }
    return;
  }
  for (const YamlNode& item :
       read_list(n, "a named set of shapes or a list of bindings, [{M: 2}]",
                 faults)) {
    YamlNode one;
    one.kind = YamlNode::Kind::sequence;
    one.pos = item.pos;
    one.items = {item};
    for (SymbolSizes& sizes : read_bindings(one, faults)) {
      check_binding(sizes, item.pos, op, *group, faults);
      group->shapes.push_back(std::move(sizes));
    }
  }
  if (n.is_sequence() && n.items.empty()) {
    faults->push_back({n.pos, "expected at least one binding, found []"});
  }
}

std::vector<SymbolSizes> read_bindings(const YamlNode& n, Faults* faults) {
  std::vector<SymbolSizes> out;
  for (const YamlNode& item :
       read_list(n, "a list of bindings, [{M: 2, S: [3, 4]}]", faults)) {
    if (!item.is_map()) {
      faults->push_back({item.pos,
                         "expected a binding, {M: 2, S: [3, 4]}, "
                         "found " +
                             item.describe()});
      continue;
    }
    SymbolSizes sizes;
    bool good = true;
    for (const auto& [key, body] : item.fields) {
      if (!is_identifier(without_member(key.text.text))) {
        faults->push_back(
            {key.pos, "'" + key.text.text + "' is no dimension symbol"});
        good = false;
        continue;
      }
      const auto s = read_sizes(body, faults);
      if (s) {
        sizes[key.text.text] = *s;
      } else {
        good = false;
      }
    }
    if (good) out.push_back(std::move(sizes));
  }
  return out;
}

Sweeps read_sweeps(const YamlNode& root, Faults* faults) {
  Sweeps out;
  if (!root.is_map()) {
    faults->push_back({root.pos,
                       "expected sets of shapes, name: [{S: [1]}], "
                       "found " +
                           root.describe()});
    return out;
  }
  for (const auto& [key, body] : root.fields) {
    if (!is_identifier(key.text.text)) {
      faults->push_back(
          {key.pos, "'" + key.text.text + "' cannot name a set of shapes"});
    }
    out[key.text.text] = read_bindings(body, faults);
    if (body.is_sequence() && body.items.empty()) {
      faults->push_back({body.pos, "the set is empty"});
    }
  }
  return out;
}

}  // namespace assay
