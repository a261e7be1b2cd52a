// The CUDA driver's library, asked only whether it works and for which devices.
#ifndef ASSAY_HARNESS_MACHINE_CUDA_DRIVER_H_
#define ASSAY_HARNESS_MACHINE_CUDA_DRIVER_H_

#include <string>
#include <vector>

#include "core/result.h"

namespace assay::harness {

struct CudaDevice {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string sm;    // "sm_90"
};

struct CudaDriver {
  std::string version;  // "12.8", the newest CUDA that it supports
  std::vector<CudaDevice> devices;
};

// Loads `library` (empty: $ASSAY_CUDA_DRIVER, then libcuda.so.1), which stays
// loaded. An error says why there is none that works.
Result<CudaDriver> find_cuda_driver(std::string library = "");

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_MACHINE_CUDA_DRIVER_H_
