// Checks of one operation by itself: its expressions, its symbols, and
// promises that could never decide anything.
#ifndef ASSAY_SUITE_LANGUAGE_CHECK_CHECK_OP_H_
#define ASSAY_SUITE_LANGUAGE_CHECK_CHECK_OP_H_

#include "suite/language/model/spec.h"
#include "suite/language/read/read_fields.h"

namespace assay::language {

void check_op(const OpSpec& op, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_CHECK_CHECK_OP_H_
