// Which variables the parts of a nest hang on.
#ifndef ASSAY_COMPILER_DERIVED_DEPENDS_H_
#define ASSAY_COMPILER_DERIVED_DEPENDS_H_

#include <vector>

#include "suite/language/nest/nest.h"

namespace assay::compiler {

// Does index node `id` hang on one of these slots?
bool depends_on(const language::Nest& nest, int id,
                const std::vector<int>& slots);

// Does value node `id` hang on this one?
bool value_depends_on(const language::Nest& nest, int id, int slot);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_DEPENDS_H_
