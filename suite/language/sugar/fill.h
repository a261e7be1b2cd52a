// `${name}` in YAML trees, replaced by values: from a family of operations or
// of cases, or from a list of values over which groups range.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_FILL_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_FILL_H_

#include <map>
#include <string>
#include <vector>

#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {

using Filling = std::map<std::string, YamlNode>;

// Replaces `${name}` in the tree, keys too: a scalar that is nothing else by
// the whole node, within other text by the node's text. Names that `by` lacks
// stay. Everything stands where it was written.
void fill(YamlNode* n, const Filling& by, std::vector<Fault>* faults);

// Does the tree hold `${name}`?
bool mentions(const YamlNode& n, const std::string& name);

// A fault for each `${name}` that is left in the tree.
void refuse_unfilled(const YamlNode& n, std::vector<Fault>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_FILL_H_
