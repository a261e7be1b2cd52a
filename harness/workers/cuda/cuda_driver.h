// The CUDA driver, found at run time.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_CUDA_DRIVER_H_
#define ASSAY_HARNESS_WORKERS_CUDA_CUDA_DRIVER_H_

#include <optional>
#include <string>

#include "core/result.h"
#include "harness/workers/cuda/cuda_api.h"

namespace assay::harness::worker::cuda {

// The driver's functions under their own names; null where an optional one is
// not there.
struct Driver {
  // Loads libcuda.so.1, or what the environment variable ASSAY_CUDA_DRIVER
  // names, and initialises it. The error says why there is none. A driver that
  // was loaded stays.
  static Result<Driver> load();

#define ASSAY_MEMBER(name, parameters) CUresult(*name) parameters = nullptr;
  ASSAY_CUDA_FUNCTIONS(ASSAY_MEMBER)
  ASSAY_CUDA_OPTIONAL_FUNCTIONS(ASSAY_MEMBER)
#undef ASSAY_MEMBER

  // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string describe(CUresult error) const;
  // "CUDA_ERROR_ILLEGAL_ADDRESS"
  std::string name(CUresult error) const;
};

// What a column says of the device.
struct DeviceFacts {
  CUdevice device = 0;
  std::string name;    // "NVIDIA H100 80GB HBM3"
  std::string sm;      // "sm_90"
  std::string driver;  // "12.4": the version of CUDA that it is for
};

// Of the first device; the variable CUDA_VISIBLE_DEVICES chooses which that is.
Result<DeviceFacts> first_device(const Driver& driver);

// Whether every further call of the process gives that error: the context is
// lost, and so is the process.
bool is_sticky(CUresult error);

// Why code for `target` ("sm_90a") is none for a device of `sm` ("sm_90");
// nothing where it is. Code of an older device could be translated, and would
// say nothing of the column that it is in.
std::optional<std::string> misfit(const std::string& target,
                                  const std::string& sm);

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_CUDA_DRIVER_H_
