// The nest IR's rules.
#ifndef ASSAY_COMPILER_NEST_VERIFY_H_
#define ASSAY_COMPILER_NEST_VERIFY_H_

#include "compiler/nest/nest.h"
#include "core/result.h"

namespace assay::compiler {

// Values stand before their users, dtypes are those that the operations take,
// every access is inside its buffer, and every buffer is written once, before
// it is read. Errors name the kernel.
Status verify(const Nest& nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_VERIFY_H_
