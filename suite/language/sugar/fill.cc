#include "suite/language/sugar/fill.h"

#include <fmt/format.h>

#include <utility>

#include "suite/language/read/read_fields.h"
#include "suite/language/sugar/yaml_edit.h"

namespace assay::language {
namespace {

// Texts of a family's texts can double in every step.
constexpr std::size_t kMaxText = 2 << 20;
constexpr std::size_t kMaxNodes = 100'000;

struct Reference {
  std::size_t begin = 0;
  std::size_t end = 0;  // behind the brace
  std::string name;
};

// The first `${name}` from `from` on.
std::optional<Reference> find_reference(const std::string& s,
                                        std::size_t from) {
  for (std::size_t i = s.find("${", from); i != std::string::npos;
       i = s.find("${", i + 1)) {
    const std::size_t end = s.find('}', i);
    if (end == std::string::npos) return std::nullopt;
    std::string name = s.substr(i + 2, end - i - 2);
    if (is_identifier(name)) return Reference{i, end + 1, std::move(name)};
  }
  return std::nullopt;
}

void append(const LocatedText& part, LocatedText* to) {
  to->text += part.text;
  for (std::size_t i = 0; i < part.text.size(); ++i) {
    to->at.push_back(part.pos(i));
  }
}

void fill_text(LocatedText* text, const Filling& by, Faults* faults) {
  LocatedText out;
  std::size_t done = 0;
  while (const auto r = find_reference(text->text, done)) {
    const auto it = by.find(r->name);
    const bool known = it != by.end();
    if (known && !it->second.is_scalar()) {
      faults->push_back(
          {text->pos(r->begin),
           fmt::format("'${{{}}}' is {} and cannot be a part of a text",
                       r->name, it->second.describe())});
    }
    append(text->part(done, known ? r->begin : r->end), &out);
    if (known) append(it->second.text, &out);
    done = r->end;
  }
  append(text->part(done, text->text.size()), &out);
  out.at.push_back(text->pos(text->text.size()));
  out.shorten();
  *text = std::move(out);
}

void fill_part(YamlNode* n, const Filling& by, Faults* faults) {
  if (n->is_scalar()) {
    const std::string& s = n->text.text;
    const auto r = find_reference(s, 0);
    if (!r) return;
    const auto it = by.find(r->name);
    if (r->begin == 0 && r->end == s.size()) {
      if (it != by.end()) *n = YamlNode(it->second);
    } else {
      fill_text(&n->text, by, faults);
    }
    return;
  }
  for (YamlNode& item : n->items) fill_part(&item, by, faults);
  for (auto& [key, body] : n->fields) {
    fill_text(&key.text, by, faults);
    fill_part(&body, by, faults);
  }
}

std::size_t text_size(const YamlNode& n) {
  std::size_t size = n.text.text.size();
  for (const YamlNode& item : n.items) size += text_size(item);
  for (const auto& f : n.fields) size += text_size(f.second);
  return size;
}

template <class Visit>
void each_reference(const YamlNode& n, const Visit& visit) {
  std::size_t done = 0;
  while (const auto r = find_reference(n.text.text, done)) {
    visit(r->name, n, n.text.pos(r->begin));
    done = r->end;
  }
  for (const YamlNode& item : n.items) each_reference(item, visit);
  for (const auto& [key, body] : n.fields) {
    each_reference(key, visit);
    each_reference(body, visit);
  }
}

}  // namespace

void fill(YamlNode* n, const Filling& by, Faults* faults) {
  YamlNode original = *n;
  fill_part(n, by, faults);
  if (node_count(*n) <= kMaxNodes && text_size(*n) <= kMaxText) return;
  faults->push_back({n->pos, "it is too long when its '${...}' are filled in"});
  *n = std::move(original);
}

bool mentions(const YamlNode& n, const std::string& name) {
  bool found = false;
  each_reference(n, [&](const std::string& other, const YamlNode&, SourcePos) {
    found = found || other == name;
  });
  return found;
}

void refuse_unfilled(const YamlNode& n, Faults* faults) {
  each_reference(
      n, [&](const std::string& name, const YamlNode& in, SourcePos pos) {
        faults->push_back(
            {pos, fmt::format("there is nothing to put in place of '${{{}}}'",
                              name)});
        faults->push_back({in.pos, ""});
      });
}

}  // namespace assay::language
