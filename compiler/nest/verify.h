// The nest IR's rules.
#ifndef ASSAY_COMPILER_NEST_VERIFY_H_
#define ASSAY_COMPILER_NEST_VERIFY_H_

#include "compiler/nest/nest.h"
#include "core/result.h"

namespace assay::compiler {

// Values before users, dtypes as the operations want them, every access inside
// of its buffer, every buffer written once before it is read.
Status verify(const Nest& nest);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_VERIFY_H_
