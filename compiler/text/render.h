// From the nest to the C++ text of one shared object: header-free, one static
// function per kernel and one entry that runs them.
#ifndef ASSAY_COMPILER_TEXT_RENDER_H_
#define ASSAY_COMPILER_TEXT_RENDER_H_

#include <optional>
#include <string>

#include "compiler/graph/defects.h"
#include "compiler/nest/nest.h"

namespace assay::compiler {

// The entry: extern "C" void assay_run(void* const* buffers), one pointer per
// buffer of the nest, to its first element.
inline constexpr const char* kEntryName = "assay_run";

// Requires verify(nest). `defect` is written into the text where it is one of
// the renderer's.
std::string render(const Nest& nest, std::optional<Defect> defect = {});

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_RENDER_H_
