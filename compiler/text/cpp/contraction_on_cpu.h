// How a CPU has contractions, scans, scatters and orders computed.
#ifndef ASSAY_COMPILER_TEXT_CPP_CONTRACTION_ON_CPU_H_
#define ASSAY_COMPILER_TEXT_CPP_CONTRACTION_ON_CPU_H_

#include "compiler/text/contraction_text.h"

namespace assay::compiler {

// By kernels that know the extents that decide how they cut their work.
ContractionCall contraction_on_cpu(const NodeKernel& k);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CPP_CONTRACTION_ON_CPU_H_
