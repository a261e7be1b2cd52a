// NVRTC as a function from CUDA text to PTX and machine code.
#ifndef ASSAY_COMPILER_CUDA_NVRTC_H_
#define ASSAY_COMPILER_CUDA_NVRTC_H_

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"

namespace assay::compiler {

class Nvrtc {
 public:
  // Loads the library; it stays for the life of the process, as its threads
  // and its own tables do.
  static Result<std::unique_ptr<Nvrtc>> load(const std::string& path);

  virtual ~Nvrtc() = default;

  virtual std::string version() const = 0;  // "13.0"
  // Numbers of the architectures that it knows, without their variants: 90.
  virtual Result<std::vector<int>> architectures() const = 0;

  enum class Form { ptx, cubin };
  // The options name the target. An error holds the compiler's own words.
  // Threads may compile at the same time.
  virtual Result<std::string> compile(const std::string& text,
                                      const std::vector<std::string>& options,
                                      Form form) const = 0;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_CUDA_NVRTC_H_
