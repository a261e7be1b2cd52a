// From the nest to the C++ text of one shared object: header-free, one static
// function per kernel and a table of them.
#ifndef ASSAY_COMPILER_TEXT_RENDER_H_
#define ASSAY_COMPILER_TEXT_RENDER_H_

#include <optional>
#include <string>

#include "compiler/graph/defects.h"
#include "compiler/nest/nest.h"

namespace assay::compiler {

// A kernel of the text. Calls of `run` for ranges that cover 0 to `parts` do
// its work, in whatever order or at once. `buffers`: one pointer per buffer of
// the nest, to its first element.
struct KernelEntry {
  void (*run)(void* const* buffers, long begin, long end);
  long parts;
  long work;  // elements visited, about
};

// The table of kernels, in the order in which they run: extern "C" const
// KernelEntry assay_kernels[]. The last one has no `run`.
inline constexpr const char* kEntryName = "assay_kernels";

// Requires verify(nest). `defect` is written into the text where it is one of
// the renderer's.
std::string render(const Nest& nest, std::optional<Defect> defect = {});

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_RENDER_H_
