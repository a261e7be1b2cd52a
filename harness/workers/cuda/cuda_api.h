// The part of the CUDA driver API that we call, declared by ourselves: nothing
// of NVIDIA's is needed to build. Names, types and values are those of the
// documentation (docs.nvidia.com/cuda/cuda-driver-api); the functions exist
// under these symbols since CUDA 11.4, but for cuLaunchKernelEx (11.8).
#ifndef ASSAY_HARNESS_WORKERS_CUDA_CUDA_API_H_
#define ASSAY_HARNESS_WORKERS_CUDA_CUDA_API_H_

#include <cstddef>
#include <cstdint>

namespace assay::harness::worker::cuda {

using CUresult = int;  // an enumeration of int's size
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;

// CUresult
inline constexpr CUresult kSuccess = 0;
inline constexpr CUresult kInvalidValue = 1;
inline constexpr CUresult kOutOfMemory = 2;
inline constexpr CUresult kNotInitialized = 3;
inline constexpr CUresult kNoDevice = 100;
inline constexpr CUresult kInvalidImage = 200;
inline constexpr CUresult kInvalidContext = 201;
inline constexpr CUresult kNoBinaryForGpu = 209;
inline constexpr CUresult kEccUncorrectable = 214;
inline constexpr CUresult kInvalidPtx = 218;
inline constexpr CUresult kNvlinkUncorrectable = 220;
inline constexpr CUresult kJitCompilerNotFound = 221;
inline constexpr CUresult kUnsupportedPtxVersion = 222;
inline constexpr CUresult kJitCompilationDisabled = 223;
inline constexpr CUresult kContained = 226;
inline constexpr CUresult kNotFound = 500;
inline constexpr CUresult kIllegalAddress = 700;
inline constexpr CUresult kLaunchTimeout = 702;
inline constexpr CUresult kContextIsDestroyed = 709;
inline constexpr CUresult kAssert = 710;
inline constexpr CUresult kHardwareStackError = 714;
inline constexpr CUresult kIllegalInstruction = 715;
inline constexpr CUresult kMisalignedAddress = 716;
inline constexpr CUresult kInvalidAddressSpace = 717;
inline constexpr CUresult kInvalidPc = 718;
inline constexpr CUresult kLaunchFailed = 719;
inline constexpr CUresult kTensorMemoryLeak = 721;
inline constexpr CUresult kMpsClientTerminated = 810;
inline constexpr CUresult kExternalDevice = 911;
inline constexpr CUresult kUnknown = 999;

// CUdevice_attribute
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
// CUfunction_attribute
inline constexpr int kMaxDynamicSharedSizeBytes = 8;
inline constexpr int kNonPortableClusterSizeAllowed = 14;
// CUstream_flags
inline constexpr unsigned kStreamNonBlocking = 1;
// CUjit_option
inline constexpr int kJitInfoLogBuffer = 3;
inline constexpr int kJitInfoLogBufferSizeBytes = 4;
inline constexpr int kJitErrorLogBuffer = 5;
inline constexpr int kJitErrorLogBufferSizeBytes = 6;
// CUlaunchAttributeID
inline constexpr int kLaunchCooperative = 2;
inline constexpr int kLaunchClusterDimension = 4;

struct CUlaunchAttribute {
  int id = 0;
  char pad[4] = {};
  union {
    char bytes[64];  // the union's documented size
    int cooperative;
    struct {
      unsigned x, y, z;
    } cluster;
  } value = {};
};
static_assert(sizeof(CUlaunchAttribute) == 72);

struct CUlaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  CUstream stream;
  CUlaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(CUlaunchConfig) == 56);

// X(symbol, parameters), those that each driver has.
#define ASSAY_CUDA_FUNCTIONS(X)                                                \
  X(cuInit, (unsigned flags))                                                  \
  X(cuDriverGetVersion, (int* version))                                        \
  X(cuDeviceGetCount, (int* count))                                            \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                             \
  X(cuDeviceGetName, (char* name, int size, CUdevice device))                  \
  X(cuDeviceGetAttribute, (int* value, int attribute, CUdevice device))        \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))          \
  X(cuCtxSetCurrent, (CUcontext context))                                      \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                       \
  X(cuStreamSynchronize, (CUstream stream))                                    \
  X(cuMemAlloc_v2, (CUdeviceptr * address, std::size_t bytes))                 \
  X(cuMemFree_v2, (CUdeviceptr address))                                       \
  X(cuMemcpyHtoDAsync_v2,                                                      \
    (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream))    \
  X(cuMemcpyDtoHAsync_v2,                                                      \
    (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))          \
  X(cuMemcpyDtoDAsync_v2,                                                      \
    (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))    \
  X(cuMemsetD8Async,                                                           \
    (CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream)) \
  X(cuMemsetD16Async, (CUdeviceptr to, unsigned short value,                   \
                       std::size_t count, CUstream stream))                    \
  X(cuMemsetD32Async,                                                          \
    (CUdeviceptr to, unsigned value, std::size_t count, CUstream stream))      \
  X(cuModuleLoadDataEx, (CUmodule * module, const void* image, unsigned count, \
                         int* options, void** values))                         \
  X(cuModuleUnload, (CUmodule module))                                         \
  X(cuModuleGetFunction,                                                       \
    (CUfunction * function, CUmodule module, const char* name))                \
  X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))       \
  X(cuLaunchKernel,                                                            \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,   \
     unsigned block_x, unsigned block_y, unsigned block_z,                     \
     unsigned shared_bytes, CUstream stream, void** parameters, void** extra)) \
  X(cuLaunchCooperativeKernel,                                                 \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,   \
     unsigned block_x, unsigned block_y, unsigned block_z,                     \
     unsigned shared_bytes, CUstream stream, void** parameters))               \
  X(cuGetErrorName, (CUresult error, const char** text))                       \
  X(cuGetErrorString, (CUresult error, const char** text))

// Those that older drivers lack.
#define ASSAY_CUDA_OPTIONAL_FUNCTIONS(X)                                  \
  X(cuLaunchKernelEx, (const CUlaunchConfig* config, CUfunction function, \
                       void** parameters, void** extra))

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_CUDA_API_H_
