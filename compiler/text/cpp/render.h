// From the nest to the C++ text of one shared object: header-free, one static
// function per kernel and a table of them.
#ifndef ASSAY_COMPILER_TEXT_CPP_RENDER_H_
#define ASSAY_COMPILER_TEXT_CPP_RENDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/defects.h"
#include "compiler/nest/nest.h"
#include "compiler/text/size.h"

namespace assay::compiler {

// A kernel. Calls for ranges that cover 0 to `parts` do its work, in whatever
// order or at once. `buffers`: one pointer per buffer of the nest, to its first
// element; `sizes`: the numbers that its text leaves to the launch.
using KernelFunction = void (*)(void* const* buffers, const std::int64_t* sizes,
                                long begin, long end);

// The table of kernels, in the order in which they run: extern "C" const
// KernelFunction assay_kernels[]. The last one is null.
inline constexpr const char* kEntryName = "assay_kernels";

// What a launch of a kernel needs to know beside the text.
struct KernelRange {
  long parts = 1;
  long work = 0;               // elements visited, about
  std::size_t first_size = 0;  // where its sizes begin
};

struct CppText {
  std::string text;
  std::vector<SizeParameter> sizes;  // those of one kernel after another
  std::vector<KernelRange> kernels;  // one for each of the nest
};

// Requires verify(nest). Two nests that differ in sizes which `fixed` leaves
// out of the text may have the same text; sizes and ranges tell them apart.
// `defect` is written into the text where it is one of the renderer's.
CppText render(const Nest& nest, FixedSizes fixed,
               std::optional<Defect> defect = {});

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CPP_RENDER_H_
