// Named lists of element types (specs/shared/dtypes.yaml) written out.
#ifndef ASSAY_SUITE_LANGUAGE_SUGAR_TYPE_LISTS_H_
#define ASSAY_SUITE_LANGUAGE_SUGAR_TYPE_LISTS_H_

#include "suite/language/read/read_shared.h"

namespace assay::language {

// A list of element types in which names of lists may stand, or one of either
// alone.
// Other text is kept: a reader says what is wrong with it.
void write_out_types(YamlNode* n, const NamedNodes& lists);

// The same for lists of types by symbol.
void write_out_types_by_symbol(YamlNode* n, const NamedNodes& lists);

// In an operation: in `dtypes`, accuracy's `for` and the dtypes of boundaries.
// Those of cases follow when the groups are.
void write_out_types_of_operation(YamlNode* op, const NamedNodes& lists);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SUGAR_TYPE_LISTS_H_
