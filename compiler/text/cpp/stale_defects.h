// Defects of caches: a program gets the code of another one. The rows are in
// graph/defects.h.
#ifndef ASSAY_COMPILER_TEXT_CPP_STALE_DEFECTS_H_
#define ASSAY_COMPILER_TEXT_CPP_STALE_DEFECTS_H_

#include "compiler/graph/defects.h"
#include "compiler/nest/nest.h"
#include "compiler/text/cpp/render.h"

namespace assay::compiler {

// `made`, which was made of `nest`; under stale_cache what was made of the
// first program of this process that differs in numbers only, and under
// wrong_shape_specialisation what was made of the one with the least buffers
// among those that differ in sizes only, so that no kernel reaches beyond a
// buffer.
CppText stale(CppText made, const Nest& nest, Defect defect);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CPP_STALE_DEFECTS_H_
