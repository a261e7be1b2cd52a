#include "suite/language/sugar/short_result.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "suite/language/sugar/yaml_edit.h"

namespace assay::language {
namespace {

// Where ` word ` begins, outside of brackets; npos if it stands nowhere.
std::size_t find_word(const std::string& s, std::string_view word) {
  const std::string spaced = " " + std::string(word) + " ";
  int depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == ')' || s[i] == ']') --depth;
    if (depth == 0 && s.compare(i, spaced.size(), spaced) == 0) return i;
  }
  return std::string::npos;
}

YamlNode part_of(const YamlNode& n, std::size_t begin, std::size_t end) {
  YamlNode part = make_scalar("", n.text.pos(begin));
  part.text = n.text.part(begin, end);
  return part;
}

void write_out(YamlNode* result) {
  if (result == nullptr || !result->is_scalar()) return;
  const std::string& text = result->text.text;
  const std::size_t of = find_word(text, "of");
  if (of == std::string::npos) return;
  const std::size_t as = std::min(find_word(text, "as"), text.size());
  YamlNode out = make_map(result->pos);
  put(&out, "dtype", part_of(*result, 0, of));
  put(&out, "shape", part_of(*result, of + 4, std::max(as, of + 4)));
  if (as < text.size()) {
    put(&out, "layout", part_of(*result, as + 4, text.size()));
  }
  *result = std::move(out);
}

}  // namespace

void write_out_results(YamlNode* op) {
  write_out(field(op, "result"));
  for (const char* several : {"outputs", "forms"}) {
    YamlNode* inner = field(op, several);
    if (inner == nullptr) continue;
    for (auto& [key, body] : inner->fields) write_out_results(&body);
  }
}

}  // namespace assay::language
