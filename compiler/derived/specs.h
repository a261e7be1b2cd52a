// The specs that derived code is made from: read once, when the first call
// needs them.
#ifndef ASSAY_COMPILER_DERIVED_SPECS_H_
#define ASSAY_COMPILER_DERIVED_SPECS_H_

#include "core/result.h"
#include "suite/language/model/spec.h"

namespace assay::compiler {

// Those in ASSAY_SPECS, or else in specs/ of ASSAY_HOME, or else of the tree
// that this was built from. An error says why there are none.
const Result<language::SpecSet>& specs();

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_SPECS_H_
