// Parameters written as text: `x: T[S..., H] or number or none = 1`.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_SHORT_PARAMS_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_SHORT_PARAMS_H_

#include <vector>

#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {

// Writes out the short forms in an operation's `params`: each becomes a
// mapping, and those under `keyword` follow the others.
void write_out_params(YamlNode* params, std::vector<Fault>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_SHORT_PARAMS_H_
