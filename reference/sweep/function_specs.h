// Specs of the elementary functions by themselves, for sweeps of the C
// library. Each spec asks for correct rounding, which no library promises: what
// counts is how far results are from it.
#ifndef ASSAY_REFERENCE_SWEEP_FUNCTION_SPECS_H_
#define ASSAY_REFERENCE_SWEEP_FUNCTION_SPECS_H_

#include <string>
#include <vector>

#include "suite/language/model/spec.h"

namespace assay::reference {

// Every elementary function (suite/language/functions/elementary.h), and rsqrt.
const std::vector<std::string>& function_names();

// One spec for each, by that name.
const language::SpecSet& function_specs();

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_FUNCTION_SPECS_H_
