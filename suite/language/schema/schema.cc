#include "suite/language/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suite/language/schema/data_file.h"

namespace assay::language {
namespace {

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(' ') - first + 1);
}

// Where the text at `begin` is back at the depth of brackets and outside of
// the quotes that it has there, and `end` stands; npos if nowhere.
std::size_t find_outside(std::string_view s, std::size_t begin, char end) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < s.size(); ++i) {
    if (s[i] == '"') quoted = !quoted;
    if (quoted && s[i] == '\\') ++i;
    if (quoted) continue;
    if (depth == 0 && s[i] == end) return i;
    if (s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == ')' || s[i] == ']') --depth;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split_list(std::string_view s) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < s.size();) {
    const std::size_t end = std::min(find_outside(s, begin, ','), s.size());
    parts.push_back(trim(s.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

// "Tensor(a -> *)[]" is "Tensor[]": an alias annotation is no part of a type.
std::string plain_type(std::string_view type) {
  const std::size_t open = type.find('(');
  if (open == std::string_view::npos || type.starts_with("Dict")) {
    return std::string(type);
  }
  const std::size_t close = type.find(')', open);
  return std::string(type.substr(0, open)) +
         std::string(type.substr(close + 1));
}

// "ScalarType? dtype=None"
std::optional<SchemaArg> parse_arg(std::string_view text, bool keyword) {
  SchemaArg arg;
  arg.keyword = keyword;
  const std::size_t equals = find_outside(text, 0, '=');
  if (equals != std::string_view::npos) {
    arg.default_text = std::string(text.substr(equals + 1));
    text = text.substr(0, equals);
  }
  const std::size_t space = text.find_last_of(' ');
  if (space == std::string_view::npos) return std::nullopt;
  arg.type = plain_type(trim(text.substr(0, space)));
  arg.name = std::string(text.substr(space + 1));
  return arg;
}

// "(Tensor values, Tensor indices)" or "Tensor"
std::vector<std::string> parse_returns(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) {
    text = text.substr(1, text.size() - 2);
  }
  std::vector<std::string> types;
  for (const std::string_view part : split_list(text)) {
    const std::string type = plain_type(part);
    types.push_back(type.substr(0, type.find(' ')));
  }
  return types;
}

}  // namespace

const SchemaArg* Schema::arg(std::string_view name) const {
  const auto it = std::find_if(args.begin(), args.end(),
                               [&](const auto& a) { return a.name == name; });
  return it == args.end() ? nullptr : &*it;
}

Result<Schema> parse_schema(const std::string& overload,
                            std::string_view text) {
  const Error refused{fmt::format(
      "'{}' is no schema, '(Tensor self, int dim=0) -> Tensor'", text)};
  if (!text.starts_with('(')) return refused;
  const std::size_t close = find_outside(text, 1, ')');
  if (close == std::string_view::npos) return refused;
  const std::string_view arrow = trim(text.substr(close + 1));
  if (!arrow.starts_with("->")) return refused;
  Schema schema;
  schema.overload = overload;
  bool keyword = false;
  for (const std::string_view part : split_list(text.substr(1, close - 1))) {
    if (part == "*") {
      keyword = true;
      continue;
    }
    std::optional<SchemaArg> arg = parse_arg(part, keyword);
    if (!arg) return refused;
    schema.args.push_back(std::move(*arg));
  }
  schema.returns = parse_returns(trim(arrow.substr(2)));
  return schema;
}

std::filesystem::path schema_file(const std::filesystem::path& specs_dir,
                                  TorchVersion torch) {
  return specs_dir / "schemas" / fmt::format("torch-{}.yaml", to_string(torch));
}

SchemaSet load_schemas(const std::filesystem::path& file,
                       std::vector<Diagnostic>* faults) {
  SchemaSet out;
  const auto fault = [&](SourcePos pos, std::string message) {
    faults->push_back({file.string(), pos, std::move(message)});
  };
  const std::optional<YamlNode> root = read_data(file, faults);
  if (!root) return out;
  for (const auto& [section, schemas] : root->fields) {
    for (const auto& [name, body] : schemas.fields) {
      Result<Schema> schema = parse_schema(name.text.text, body.text.text);
      if (!schema) {
        fault(body.pos, schema.error().message);
        continue;
      }
      schema->core = section.text.text == "core";
      out.emplace(name.text.text, std::move(*schema));
    }
  }
  return out;
}

}  // namespace assay::language
