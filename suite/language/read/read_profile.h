// specs/profile.yaml: the cases of the quick profile, by row, as `assay
// profile` chose them.
//
//   exp: [C1/f32/17, E1/i64/3]
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_PROFILE_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_PROFILE_H_

#include "suite/language/read/read_fields.h"

namespace assay::language {

QuickCases read_profile(const YamlNode& root, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_PROFILE_H_
