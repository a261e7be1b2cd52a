#include "suite/language/read/read_profile.h"

namespace assay::language {

QuickCases read_profile(const YamlNode& root, Faults* faults) {
  QuickCases out;
  if (!root.is_map()) {
    faults->push_back({root.pos,
                       "expected lists of cases by row, 'exp: [C1/f32/17]', "
                       "found " +
                           root.describe()});
    return out;
  }
  for (const auto& [row, names] : root.fields) {
    std::vector<QuickCase>& cases = out.rows[row.text.text];
    for (const YamlNode& name : read_list(names, "a list of cases", faults)) {
      const auto text = read_text(name, "the name of a case", faults);
      if (text) cases.push_back({*text, name.pos});
    }
  }
  return out;
}

}  // namespace assay::language
