// The fields of single case groups, and their short forms.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_CASE_FIELDS_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_CASE_FIELDS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "suite/language/read/read_shared.h"

namespace assay::language {

constexpr std::size_t kMaxGroups = 1000;  // that one entry may make

// What the groups of an operation's cases depend on.
struct CaseContext {
  // The element types of each symbol; of one that follows another, its name.
  std::map<std::string, YamlNode> dtypes;
  // Names of parameters.
  std::set<std::string> tensors;
  std::set<std::string> lists;  // of integers

  // The types that a symbol takes, or null.
  const YamlNode* types_of(const std::string& symbol) const;
};

// `op` is an operation whose parameters and types are written out.
CaseContext case_context(const YamlNode& op);

// The ids of `C3` or `C3-C5`; none if the text is neither.
std::vector<std::string> ids_of(const std::string& key);

// Attributes by parameter, each with its values, become a list of all
// combinations; the last varies fastest.
void combine_attrs(YamlNode* group, const CaseContext& context, Faults* faults);

// Writes out the short forms of fields in all groups: lists of types by name,
// `T2: T` by the type of T in the same group, combinations of attributes.
void settle_cases(YamlNode* cases, const CaseContext& context,
                  const Shared& shared, Faults* faults);

// Replaces fields of a group or boundary; `without` in `fields` names those to
// remove.
void replace_fields(YamlNode* group, YamlNode fields, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_CASE_FIELDS_H_
