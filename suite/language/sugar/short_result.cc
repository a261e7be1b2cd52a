#include "suite/language/sugar/short_result.h"

#include <string>
#include <utility>

#include "suite/language/sugar/yaml_edit.h"

namespace assay::language {
namespace {

constexpr const char* kOf = " of ";

// Where ` of ` begins; npos if there is none.
std::size_t find_of(const std::string& s) {
  int depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == ')' || s[i] == ']') --depth;
    if (depth == 0 && s.compare(i, 4, kOf) == 0) return i;
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
  const std::size_t of = find_of(result->text.text);
  if (of == std::string::npos) return;
  YamlNode out = make_map(result->pos);
  put(&out, "dtype", part_of(*result, 0, of));
  put(&out, "shape", part_of(*result, of + 4, result->text.text.size()));
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
