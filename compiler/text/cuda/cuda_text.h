// From the nest to the CUDA text of one module: header-free, one entry per
// kernel of the nest, and how each is launched.
#ifndef ASSAY_COMPILER_TEXT_CUDA_CUDA_TEXT_H_
#define ASSAY_COMPILER_TEXT_CUDA_CUDA_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/defects.h"
#include "compiler/nest/nest.h"

namespace assay::compiler {

inline constexpr int kThreadsPerBlock = 256;

// One after the other.
struct CudaLaunch {
  std::string entry;
  std::int64_t blocks = 0;
  std::int64_t threads = kThreadsPerBlock;  // of each block
  std::int64_t shared = 0;                  // bytes, dynamic
  // The entry's parameters: addresses of the first elements of these buffers.
  std::vector<int> buffers;
};

struct CudaText {
  std::string text;
  std::vector<CudaLaunch> launches;  // none for a kernel without points
};

// Whether products of f16 and of bf16 may go to tensor cores
// (text/cuda/product_cut.h), which add in an order of their own.
enum class TensorCores { off, on };

// Requires verify(nest). Each sum is made in the order that its node states,
// so that results have the bits of the C++ text's, but for what tensor cores
// add. `defect` is written into the text where it is one of text.
// `target` ("sm_100a") decides which instructions may be written out.
CudaText render_cuda(const Nest& nest, const std::string& target,
                     TensorCores cores, std::optional<Defect> defect = {});

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CUDA_CUDA_TEXT_H_
