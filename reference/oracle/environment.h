// The floating-point environment that the reference relies on.
#ifndef ASSAY_REFERENCE_ORACLE_ENVIRONMENT_H_
#define ASSAY_REFERENCE_ORACLE_ENVIRONMENT_H_

#include "core/result.h"

namespace assay::reference {

// Rounding to nearest, subnormals kept on both sides of an operation. An
// error says which is off: a library loaded into this process has leaked it.
Status check_environment();

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_ENVIRONMENT_H_
