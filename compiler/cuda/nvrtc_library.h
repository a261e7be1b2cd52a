// Where NVRTC is: a compiler for CUDA text that needs no GPU and is loaded at
// run time, so that a machine without it lacks nothing else.
#ifndef ASSAY_COMPILER_CUDA_NVRTC_LIBRARY_H_
#define ASSAY_COMPILER_CUDA_NVRTC_LIBRARY_H_

#include <string>
#include <vector>

#include "core/result.h"

namespace assay::compiler {

// Where to look, in this order; the first that is there counts.
struct NvrtcPlaces {
  std::string named;   // $ASSAY_NVRTC: a file, or a folder with one
  std::string python;  // $ASSAY_PYTHON: its environment may have the wheel
  std::string toolkits = "/usr/local";  // holds folders cuda*
  bool system = true;                   // what the system's loader finds

  static NvrtcPlaces from_environment();
};

// The library's path; an error says what to install.
Result<std::string> find_nvrtc(const NvrtcPlaces& places);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_CUDA_NVRTC_LIBRARY_H_
