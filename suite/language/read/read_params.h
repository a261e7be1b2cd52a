// Parameters and the shapes that they name.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_PARAMS_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_PARAMS_H_

#include <vector>

#include "suite/language/read/read_fields.h"

namespace assay::language {

std::vector<Param> read_params(const YamlNode& n, Faults* faults);
ShapePattern read_shape_pattern(const YamlNode& n, Faults* faults);
// Does the parameter take tensors?
bool is_tensor(const Param& p);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_PARAMS_H_
