// Axes of a program, and the replacement of `${axis}` in its tree.
#ifndef ASSAY_SUITE_READ_AXES_H_
#define ASSAY_SUITE_READ_AXES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suite/read_fields.h"

namespace assay {

using Axes = std::vector<std::pair<std::string, std::vector<YamlNode>>>;
using Choice = std::map<std::string, const YamlNode*>;  // a value per axis

Axes read_axes(const YamlNode& n, Faults* faults);

// Replaces `${name}` in every text; characters that come from an axis stand
// where the reference stands.
void substitute(YamlNode* n, const Choice& choice, Faults* faults);

}  // namespace assay

#endif  // ASSAY_SUITE_READ_AXES_H_
