// The libraries that this process has loaded, by what they were made of: a
// program of other sizes mostly has the text of one seen before, and then no
// file is read and no compiler runs.
#ifndef ASSAY_COMPILER_LIBRARY_LOADED_H_
#define ASSAY_COMPILER_LIBRARY_LOADED_H_

#include <memory>
#include <string>

#include "compiler/library/toolchain.h"

namespace assay::compiler {

// As load_kernels, but shared. The last hundred or so stay loaded though nobody
// holds them. Safe to call from several threads.
Result<std::shared_ptr<const Library>> shared_kernels(
    const std::string& text, const ToolchainOptions& options);

// The library of that text if it is loaded, or one that runs faster and would
// do as well; else null.
std::shared_ptr<const Library> loaded_kernels(const std::string& text,
                                              const ToolchainOptions& options);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_LIBRARY_LOADED_H_
