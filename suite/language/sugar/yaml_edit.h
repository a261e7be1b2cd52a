// Small edits of YAML trees, as the short forms of specs are written out.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_YAML_EDIT_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_YAML_EDIT_H_

#include <optional>
#include <string>
#include <vector>

#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {

YamlNode make_scalar(const std::string& text, SourcePos pos);
YamlNode make_list(std::vector<YamlNode> items, SourcePos pos);
YamlNode make_map(SourcePos pos);

bool is_text(const YamlNode& n, const char* text);

// The value of a mapping's field; null if there is none, or no mapping.
const YamlNode* field(const YamlNode& map, const std::string& name);
YamlNode* field(YamlNode* map, const std::string& name);
// Its key.
const YamlNode* key_of(const YamlNode& map, const std::string& name);

// Gives the field this value; a new one stands last.
void put(YamlNode* map, const YamlNode& key, YamlNode value);
// The same with a key of this text at the value's position.
void put(YamlNode* map, const std::string& key, YamlNode value);
// Removes the field and returns its value, if it is there.
std::optional<YamlNode> take(YamlNode* map, const std::string& name);

// Fields of `over` replace or follow those of `map`.
void overlay(YamlNode* map, const YamlNode& over);

// All positions in the tree are in this file (SourcePos::file).
void set_file(YamlNode* n, int file);

// Scalars, lists and mappings of the tree.
std::size_t node_count(const YamlNode& n);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_YAML_EDIT_H_
