#include "suite/language/read/read_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

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

std::string to_text(const ShapePattern& pattern) {
  std::vector<std::string> parts;
  for (const DimPattern& d : pattern) {
    parts.push_back(d.fixed  ? std::to_string(*d.fixed)
                    : d.pack ? d.symbol + "..."
                             : d.symbol);
  }
  return "[" + join(parts) + "]";
}

// Gives a symbol its sizes; false if it has others already.
bool bind(const std::string& symbol, Shape sizes, SymbolSizes* to) {
  return to->emplace(symbol, sizes).first->second == sizes;
}

// Matches sizes with the pattern of one tensor's shape.
bool match(const Shape& sizes, const ShapePattern& pattern, SymbolSizes* to) {
  const bool has_pack = std::any_of(pattern.begin(), pattern.end(),
                                    [](const DimPattern& d) { return d.pack; });
  const std::size_t single = pattern.size() - (has_pack ? 1 : 0);
  if (has_pack ? sizes.size() < single : sizes.size() != single) return false;
  auto next = sizes.begin();
  for (const DimPattern& d : pattern) {
    const auto count =
        static_cast<std::ptrdiff_t>(d.pack ? sizes.size() - single : 1);
    if (d.fixed ? *d.fixed != *next
                : !bind(d.symbol, Shape(next, next + count), to)) {
      return false;
    }
    next += count;
  }
  return true;
}

bool names_symbols(const ShapePattern& pattern) {
  return std::any_of(pattern.begin(), pattern.end(),
                     [](const DimPattern& d) { return !d.symbol.empty(); });
}

// One list of sizes for every tensor that a case has to bind.
std::optional<SymbolSizes> bind_all(const Shape& sizes, SourcePos pos,
                                    const OpSpec& op, const CaseGroup& group,
                                    Faults* faults) {
  SymbolSizes out;
  for (const Param& p : op.params) {
    if (!is_tensor(p) || p.optional || group.scalars.contains(p.name)) continue;
    if (p.shape && !names_symbols(*p.shape)) continue;
    if (p.kind == Param::Kind::tensors) {
      faults->push_back({pos, fmt::format("'{0}' is a list of tensors; bind "
                                          "them one by one, {{{0}.0: [2, 3]}}",
                                          p.name)});
      return std::nullopt;
    }
    if (p.shape ? match(sizes, *p.shape, &out) : bind(p.name, sizes, &out)) {
      continue;
    }
    faults->push_back(
        {pos, fmt::format("the sizes [{}] do not fit '{}', whose shape is {}; "
                          "bind the symbols one by one, {{S: [3, 4]}}",
                          fmt::join(sizes, ", "), p.name,
                          p.shape ? to_text(*p.shape) : "any")});
    return std::nullopt;
  }
  return out;
}

void read_one(const YamlNode& item, SourcePos pos, const OpSpec& op,
              CaseGroup* group, Faults* faults) {
  std::optional<SymbolSizes> sizes;
  if (item.is_sequence()) {
    const auto list = read_sizes(item, faults);
    if (list) sizes = bind_all(*list, pos, op, *group, faults);
  } else {
    sizes = read_binding(item, faults);
  }
  if (!sizes) return;
  check_binding(*sizes, pos, op, *group, faults);
  group->shapes.push_back(std::move(*sizes));
}

}  // namespace

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

std::optional<SymbolSizes> read_binding(const YamlNode& n, Faults* faults) {
  if (!n.is_map()) {
    faults->push_back({n.pos,
                       "expected a binding, {M: 2, S: [3, 4]}, or the sizes of "
                       "all tensors, [3, 4], found " +
                           n.describe()});
    return std::nullopt;
  }
  SymbolSizes sizes;
  const std::size_t before = faults->size();
  for (const auto& [key, body] : n.fields) {
    if (!is_identifier(without_member(key.text.text))) {
      faults->push_back(
          {key.pos, "'" + key.text.text + "' is no dimension symbol"});
    } else if (const auto s = read_sizes(body, faults)) {
      sizes[key.text.text] = *s;
    }
  }
  if (faults->size() != before) return std::nullopt;
  return sizes;
}

std::string without_member(const std::string& key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) return key;
  const std::string member = key.substr(dot + 1);
  const bool digits = !member.empty() && member.size() < 4 &&
                      std::all_of(member.begin(), member.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  return digits ? key.substr(0, dot) : key;
}

void read_shapes(const YamlNode& n, const OpSpec& op, const NamedNodes& sets,
                 CaseGroup* group, Faults* faults) {
  if (!n.is_scalar()) {
    for (const YamlNode& item :
         read_list(n, "a named set of shapes or a list of bindings, [{M: 2}]",
                   faults)) {
      read_one(item, item.pos, op, group, faults);
    }
    if (n.is_sequence() && n.items.empty()) {
      faults->push_back({n.pos, "expected at least one binding, found []"});
    }
    return;
  }
  const auto it = sets.find(n.text.text);
  if (it == sets.end()) {
    faults->push_back({n.pos, "unknown set of shapes " + n.describe() +
                                  did_you_mean(n.text.text, names_of(sets)) +
                                  "; sets stand in specs/shared/shapes.yaml"});
    return;
  }
  const std::size_t before = faults->size();
  for (const YamlNode& item : it->second.items) {
    read_one(item, n.pos, op, group, faults);
    if (faults->size() != before) break;  // once per set is enough
  }
}

}  // namespace assay::language
