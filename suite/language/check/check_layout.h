// The `layout` of a result: rules that there are, with operands that they take.
#ifndef ASSAY_SUITE_LANGUAGE_CHECK_CHECK_LAYOUT_H_
#define ASSAY_SUITE_LANGUAGE_CHECK_CHECK_LAYOUT_H_

#include "suite/language/check/check_expr.h"
#include "suite/language/model/spec.h"
#include "suite/language/read/read_fields.h"

namespace assay::language {

// Requires a layout. `names` are those of the result's type.
void check_layout(const OutputSpec& out, const Names& names, Faults* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_CHECK_CHECK_LAYOUT_H_
