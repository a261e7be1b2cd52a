// All cases of one operation: alone, in company, invalid.
#ifndef ASSAY_SUITE_EXPAND_OP_H_
#define ASSAY_SUITE_EXPAND_OP_H_

#include "suite/case.h"
#include "suite/spec.h"

namespace assay {

// Appends to `out`. Quick cases and their controls are marked.
void expand_op(const SpecSet& specs, const OpSpec& spec, Expansion* out);

}  // namespace assay

#endif  // ASSAY_SUITE_EXPAND_OP_H_
