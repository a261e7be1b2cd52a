#include "suite/language/sugar/yaml_edit.h"

#include <algorithm>
#include <utility>

namespace assay::language {
namespace {

auto find_field(const YamlNode& map, const std::string& name) {
  return std::find_if(
      map.fields.begin(), map.fields.end(),
      [&name](const auto& f) { return f.first.text.text == name; });
}

}  // namespace

YamlNode make_scalar(const std::string& text, SourcePos pos) {
  YamlNode n;
  n.kind = YamlNode::Kind::scalar;
  n.pos = pos;
  n.text = {text, {pos}};
  return n;
}

YamlNode make_list(std::vector<YamlNode> items, SourcePos pos) {
  YamlNode n;
  n.kind = YamlNode::Kind::sequence;
  n.pos = pos;
  n.items = std::move(items);
  return n;
}

YamlNode make_map(SourcePos pos) {
  YamlNode n;
  n.kind = YamlNode::Kind::map;
  n.pos = pos;
  return n;
}

bool is_text(const YamlNode& n, const char* text) {
  return n.is_scalar() && n.text.text == text;
}

const YamlNode* field(const YamlNode& map, const std::string& name) {
  const auto it = find_field(map, name);
  return it == map.fields.end() ? nullptr : &it->second;
}

YamlNode* field(YamlNode* map, const std::string& name) {
  return const_cast<YamlNode*>(field(std::as_const(*map), name));
}

const YamlNode* key_of(const YamlNode& map, const std::string& name) {
  const auto it = find_field(map, name);
  return it == map.fields.end() ? nullptr : &it->first;
}

void put(YamlNode* map, const YamlNode& key, YamlNode value) {
  if (YamlNode* old = field(map, key.text.text)) {
    *old = std::move(value);
  } else {
    map->fields.emplace_back(key, std::move(value));
  }
}

void put(YamlNode* map, const std::string& key, YamlNode value) {
  const SourcePos pos = value.pos;
  put(map, make_scalar(key, pos), std::move(value));
}

std::optional<YamlNode> take(YamlNode* map, const std::string& name) {
  YamlNode* body = field(map, name);
  if (body == nullptr) return std::nullopt;
  YamlNode value = std::move(*body);
  map->fields.erase(find_field(*map, name));
  return value;
}

void overlay(YamlNode* map, const YamlNode& over) {
  for (const auto& [key, value] : over.fields) put(map, key, value);
}

void set_file(YamlNode* n, int file) {
  n->pos.file = file;
  for (SourcePos& p : n->text.at) p.file = file;
  for (YamlNode& item : n->items) set_file(&item, file);
  for (auto& [key, body] : n->fields) {
    set_file(&key, file);
    set_file(&body, file);
  }
}

std::size_t node_count(const YamlNode& n) {
  std::size_t count = 1;
  for (const YamlNode& item : n.items) count += node_count(item);
  for (const auto& f : n.fields) count += 1 + node_count(f.second);
  return count;
}

}  // namespace assay::language
