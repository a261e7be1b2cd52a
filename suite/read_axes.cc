#include "suite/read_axes.h"

#include <set>

#include "suite/suggest.h"

namespace assay {
namespace {

bool is_word(char c) { return is_identifier("a" + std::string(1, c)); }

// Replaces `${name}`; characters that come from an axis stand where the
// reference stands.
void substitute(LocatedText* text, const Choice& choice, Faults* faults) {
  LocatedText out;
  const std::string& s = text->text;
  for (std::size_t i = 0; i < s.size();) {
    std::size_t end = i + 2;
    if (s.compare(i, 2, "${") != 0) {
      out.text += s[i];
      out.at.push_back(text->pos(i));
      ++i;
      continue;
    }
    while (end < s.size() && is_word(s[end])) ++end;
    const std::string name = s.substr(i + 2, end - i - 2);
    const auto it = choice.find(name);
    if (end >= s.size() || s[end] != '}' || name.empty()) {
      faults->push_back({text->pos(i), "expected ${axis}"});
      return;
    }
    if (it == choice.end()) {
      std::vector<std::string> names;
      for (const auto& c : choice) names.push_back(c.first);
      faults->push_back({text->pos(i), "unknown axis '" + name + "'" +
                                           did_you_mean(name, names)});
      return;
    }
    for (const char c : it->second->text.text) {
      out.text += c;
      out.at.push_back(text->pos(i));
    }
    i = end + 1;
  }
  out.at.push_back(text->pos(s.size()));
  *text = std::move(out);
}

}  // namespace

void substitute(YamlNode* n, const Choice& choice, Faults* faults) {
  if (n->is_scalar()) {
    if (n->text.text.find("${") == std::string::npos) return;
    substitute(&n->text, choice, faults);
    n->quoted = false;  // quotes only keep YAML from reading the braces
  }
  for (YamlNode& item : n->items) substitute(&item, choice, faults);
  for (auto& [key, body] : n->fields) {
    substitute(&key, choice, faults);
    substitute(&body, choice, faults);
  }
}

Axes read_axes(const YamlNode& n, Faults* faults) {
  Axes axes;
  if (!n.is_map()) {
    faults->push_back(
        {n.pos, "expected axes, name: [value, value], found " + n.describe()});
    return axes;
  }
  for (const auto& [key, body] : n.fields) {
    if (!is_identifier(key.text.text)) {
      faults->push_back(
          {key.pos, "'" + key.text.text + "' cannot name an axis"});
      continue;
    }
    std::vector<YamlNode> values;
    std::set<std::string> seen;
    for (const YamlNode& item : read_list(body, "a list of values", faults)) {
      if (!read_text(item, "a value of an axis", faults)) continue;
      if (!seen.insert(item.text.text).second) {
        faults->push_back({item.pos, "value " + item.describe() +
                                         " stands twice on axis '" +
                                         key.text.text + "'; remove one"});
        continue;
      }
      values.push_back(item);
    }
    if (body.is_sequence() && body.items.empty()) {
      faults->push_back(
          {body.pos, "axis '" + key.text.text + "' has no values"});
    }
    if (!values.empty()) axes.emplace_back(key.text.text, std::move(values));
  }
  return axes;
}

}  // namespace assay
