// Specs of the elementary functions by themselves, for sweeps of the C
// library: each is to be correctly rounded, which no library promises, so what
// counts is how far from it they are.
#ifndef ASSAY_REFERENCE_SWEEP_FUNCTION_SPECS_H_
#define ASSAY_REFERENCE_SWEEP_FUNCTION_SPECS_H_

#include <string>
#include <vector>

#include "suite/language/model/spec.h"

namespace assay::reference {

// exp ... tgamma and rsqrt: the 26 of the published tables (docs/accuracy.md).
const std::vector<std::string>& function_names();

// One spec for each, by that name.
const language::SpecSet& function_specs();

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_FUNCTION_SPECS_H_
