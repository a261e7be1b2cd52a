// CUDA text to PTX and machine code for named targets ("sm_90a"), cached by
// content beside the kernels of CPUs. NVRTC is loaded when something has to be
// compiled, and not for what the cache has.
#ifndef ASSAY_COMPILER_CUDA_TOOLCHAIN_H_
#define ASSAY_COMPILER_CUDA_TOOLCHAIN_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/cuda/nvrtc.h"
#include "compiler/cuda/nvrtc_library.h"

namespace assay::compiler {

class CudaToolchain {
 public:
  // `cache`: a folder; empty as for C++ kernels (library/cache_file.h).
  static Result<std::unique_ptr<CudaToolchain>> find(
      const NvrtcPlaces& places, const std::string& cache = {});

  // The targets that this NVRTC compiles for, found by trying and then
  // remembered: "sm_75" to "sm_121a", say.
  const std::vector<std::string>& targets();

  // `flags` come after those that keep arithmetic as the text has it: no
  // contraction; NVRTC's defaults keep subnormals, division and square root.
  Result<std::string> compile(const std::string& text,
                              const std::string& target, Nvrtc::Form form,
                              const std::vector<std::string>& flags = {});

  // The same for several targets at once, in their order.
  std::vector<Result<std::string>> compile_for(
      const std::string& text, const std::vector<std::string>& targets,
      Nvrtc::Form form);

  const std::string& library() const { return library_; }

 private:
  CudaToolchain() = default;
  Result<const Nvrtc*> nvrtc();
  std::vector<std::string> probe();

  std::string library_;
  std::string identity_;  // of the library's file
  std::string cache_;
  std::mutex mutex_;
  std::unique_ptr<Nvrtc> nvrtc_;
  std::vector<std::string> targets_;
};

// That of this process, by the environment's variables. An error says what to
// install.
const Result<std::unique_ptr<CudaToolchain>>& cuda_toolchain();

// The targets of NVRTC 13.0: what a machine without NVRTC could have.
const std::vector<std::string>& known_cuda_targets();

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_CUDA_TOOLCHAIN_H_
