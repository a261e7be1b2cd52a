// A YAML file as a tree in which every character of every scalar knows its
// line and column. No tags, no second document; an alias is a copy.
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_YAML_TREE_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_YAML_TREE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suite/language/syntax/located_text.h"

namespace assay::language {

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  SourcePos pos;
  LocatedText text;     // scalar
  bool quoted = false;  // "..", '..' or a block scalar
  ExprPtr expr;         // what a scalar stands for, where its text does not say
  std::vector<YamlNode> items;
  std::vector<std::pair<YamlNode, YamlNode>> fields;  // keys are scalars

  // Declared here and defined below, where a pair of nodes is complete.
  YamlNode();
  YamlNode(const YamlNode&);
  YamlNode(YamlNode&&) noexcept;
  YamlNode& operator=(const YamlNode&);
  YamlNode& operator=(YamlNode&&) noexcept;
  ~YamlNode();

  bool is_map() const { return kind == Kind::map; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_scalar() const { return kind == Kind::scalar; }
  // How messages name it: "the text 'abc'", "a list", "a mapping".
  std::string describe() const;
};

inline YamlNode::YamlNode() = default;
inline YamlNode::YamlNode(const YamlNode&) = default;
inline YamlNode::YamlNode(YamlNode&&) noexcept = default;
inline YamlNode& YamlNode::operator=(const YamlNode&) = default;
inline YamlNode& YamlNode::operator=(YamlNode&&) noexcept = default;
inline YamlNode::~YamlNode() = default;

// Empty where the file is no YAML; otherwise faults may still be recorded
// (duplicate keys). `${name}` is kept as it is written, also inside of
// flow collections, where YAML itself has no room for it.
std::optional<YamlNode> parse_yaml(const std::string& text,
                                   std::vector<Fault>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_YAML_TREE_H_
