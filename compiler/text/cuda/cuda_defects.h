// Defects of CUDA code: other text, or other flags for NVRTC.
#ifndef ASSAY_COMPILER_TEXT_CUDA_CUDA_DEFECTS_H_
#define ASSAY_COMPILER_TEXT_CUDA_CUDA_DEFECTS_H_

#include <string>
#include <vector>

#include "compiler/graph/defects.h"

namespace assay::compiler {

// `text` with the defect in it, if it is one of the text.
std::string inject_text(const std::string& text, Defect defect);

// The flags that are the defect, if it is one of them.
std::vector<std::string> flags_of(Defect defect);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_CUDA_DEFECTS_H_
