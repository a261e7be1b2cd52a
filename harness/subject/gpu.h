// The GPU of this machine, which columns with the target "cuda" run on.
#ifndef ASSAY_HARNESS_SUBJECT_GPU_H_
#define ASSAY_HARNESS_SUBJECT_GPU_H_

#include <string>

#include "core/result.h"

namespace assay::harness {

// The program that runs on it.
inline constexpr const char* kCudaWorker = "assay-cuda-worker";

struct Gpu {
  std::string sm;      // "sm_90"
  std::string name;    // "NVIDIA H100 80GB HBM3"
  std::string driver;  // the newest CUDA that it supports, "13.0"
};

// The first one, or why there is none. Asked of another process: a driver that
// is broken may end it.
Result<Gpu> gpu_of_this_machine();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_GPU_H_
