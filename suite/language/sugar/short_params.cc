#include "suite/language/sugar/short_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "suite/language/read/read_fields.h"
#include "suite/language/sugar/yaml_edit.h"

namespace assay::language {
namespace {

constexpr std::array<std::string_view, 7> kKinds = {
    "int", "ints", "bool", "number", "numbers", "dtype", "string"};

YamlNode part_of(const LocatedText& text, std::size_t begin, std::size_t end) {
  const auto blank = [&](std::size_t i) { return text.text[i] == ' '; };
  while (begin < end && blank(begin)) ++begin;
  while (end > begin && blank(end - 1)) --end;
  YamlNode n = make_scalar("", text.pos(begin));
  n.text = text.part(begin, end);
  return n;
}

// `[a, b]` as a list, anything else as it stands.
YamlNode list_or_scalar(const LocatedText& text, std::size_t begin,
                        std::size_t end) {
  YamlNode whole = part_of(text, begin, end);
  const LocatedText& t = whole.text;
  const std::string& s = t.text;
  if (s.size() > 1 && (s[0] == '"' || s[0] == '\'') && s.back() == s[0]) {
    whole.text = t.part(1, s.size() - 1);
    whole.quoted = true;
    return whole;
  }
  if (s.size() < 2 || s[0] != '[' || s.back() != ']') return whole;
  YamlNode list = make_list({}, whole.pos);
  for (std::size_t i = 1; i < s.size();) {
    const std::size_t comma = std::min(s.find(',', i), s.size() - 1);
    YamlNode item = part_of(t, i, comma);
    if (!item.text.text.empty() || comma + 1 < s.size()) {
      list.items.push_back(std::move(item));
    }
    i = comma + 1;
  }
  return list;
}

class Reader {
 public:
  Reader(const YamlNode& n, Faults* faults)
      : text_(n.text), faults_(faults), param_(make_map(n.pos)) {}

  YamlNode run() {
    const std::string& s = text_.text;
    const std::size_t equals = s.find('=');
    end_ = std::min(equals, s.size());
    base();
    flag(" or number", "scalar");
    flag(" or none", "optional");
    const YamlNode rest = part_of(text_, next_, end_);
    if (!rest.text.text.empty()) {
      faults_->push_back(
          {rest.pos,
           fmt::format("expected a parameter, 'T[S...] or number or none = "
                       "value' or 'int or none = value' (in this order), found "
                       "'{}'",
                       rest.text.text)});
    }
    if (equals != std::string::npos) {
      set("default", list_or_scalar(text_, equals + 1, s.size()));
    }
    return std::move(param_);
  }

 private:
  void set(const char* field, YamlNode value) {
    const YamlNode key = make_scalar(field, value.pos);
    put(&param_, key, std::move(value));
  }

  // `int`, `T` or `T[S..., H]`.
  void base() {
    const std::string& s = text_.text;
    while (next_ < end_ && is_identifier("_" + s.substr(next_, 1))) ++next_;
    YamlNode name = part_of(text_, 0, next_);
    const std::string word = name.text.text;
    if (std::find(kKinds.begin(), kKinds.end(), word) != kKinds.end()) {
      return set("kind", std::move(name));
    }
    set("tensor", std::move(name));
    if (next_ >= end_ || s[next_] != '[') return;
    const std::size_t close = std::min(s.find(']', next_), end_ - 1);
    set("shape", list_or_scalar(text_, next_, close + 1));
    next_ = close + 1;
  }

  void flag(const std::string& words, const char* field) {
    if (text_.text.compare(next_, words.size(), words) != 0) return;
    set(field, make_scalar("true", text_.pos(next_ + 1)));
    next_ += words.size();
  }

  const LocatedText& text_;
  Faults* faults_;
  YamlNode param_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

YamlNode written_out(const YamlNode& n, Faults* faults) {
  return n.is_scalar() ? Reader(n, faults).run() : n;
}

}  // namespace

void write_out_params(YamlNode* params, Faults* faults) {
  if (!params->is_map()) return;
  YamlNode out = make_map(params->pos);
  for (const auto& [key, body] : params->fields) {
    const bool group = key.text.text == "keyword" && body.is_map() &&
                       field(body, "tensor") == nullptr &&
                       field(body, "kind") == nullptr;
    if (!group) {
      out.fields.emplace_back(key, written_out(body, faults));
      continue;
    }
    for (const auto& [name, param] : body.fields) {
      YamlNode p = written_out(param, faults);
      if (p.is_map()) {
        put(&p, "keyword", make_scalar("true", name.pos));
      }
      if (field(out, name.text.text) != nullptr) {
        faults->push_back(
            {name.pos, fmt::format("a second parameter '{}'", name.text.text)});
        continue;
      }
      out.fields.emplace_back(name, std::move(p));
    }
  }
  *params = std::move(out);
}

}  // namespace assay::language
