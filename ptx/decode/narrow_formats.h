// cvt from and to the formats of eight, six and four bits, which come in
// pairs, and which targets have them.
#ifndef ASSAY_PTX_DECODE_NARROW_FORMATS_H_
#define ASSAY_PTX_DECODE_NARROW_FORMATS_H_

#include "ptx/decode/emitter.h"

namespace assay::ptx {

// False if the instruction's types are wider ones.
bool decode_narrow_formats(Emitter& e);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_DECODE_NARROW_FORMATS_H_
