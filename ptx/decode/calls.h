// Functions that the driver provides: __assertfail and vprintf.
#ifndef ASSAY_PTX_DECODE_CALLS_H_
#define ASSAY_PTX_DECODE_CALLS_H_

#include <string_view>

#include "ptx/decode/emitter.h"

namespace assay::ptx {

// False if there is no such function. `results` and `arguments` may be null.
bool decode_system_call(Emitter& e, std::string_view name,
                        const Operand* results, const Operand* arguments);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_DECODE_CALLS_H_
