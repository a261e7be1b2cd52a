// Whether PTX converts to a format at all, by instruction or bit by bit.
#ifndef ASSAY_PTX_LINT_CONVERSIONS_H_
#define ASSAY_PTX_LINT_CONVERSIONS_H_

#include "ptx/lint/ptx_lint.h"
#include "ptx/text/module.h"

namespace assay::ptx {

// False only where no instruction of the module could do it: nothing converts
// to the format, and no integer instruction has a constant that rounding or
// truncating to it by hand would need. True proves little: the instruction may
// serve another value.
bool may_convert(const Module& module, const Cast& cast);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_CONVERSIONS_H_
