// A CUDA driver for tests: device memory and kernels are the PTX machine's.
// Misuse is refused as the documentation has it, errors of kernels come when
// the stream is waited for and stay, and ASSAY_FAKE_CUDA makes it misbehave
// (fake_settings.h). Machine code is the text "\x7f" "ELF" and PTX behind it.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/workers/cuda/cuda_api.h"
#include "harness/workers/cuda/testing/fake_settings.h"
#include "ptx/machine/machine.h"

namespace assay::harness::worker::cuda {
struct CUctx_st {};
struct CUstream_st {};
struct CUmod_st {
  ptx::Program program;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};
struct CUfunc_st {
  CUmod_st* module;
  std::string name;
  std::size_t most_shared = 48 * 1024;
  bool large_clusters = false;
};

namespace {

constexpr std::string_view kElf =
    "\x7f"
    "ELF";
constexpr CUresult kNotSupported = 801;

class Fake {
 public:
  // The number that a setting has, or 0.
  int number(const char* name) const {
    const auto found = settings_.find(name);
    return found == settings_.end() ? 0 : std::atoi(found->second.c_str());
  }
  bool has(const char* name) const { return settings_.contains(name); }

  // kSuccess where calls are in order and nothing has gone wrong for good.
  CUresult ready() const {
    if (!initialised_) return kNotInitialized;
    if (sticky_ != kSuccess) return sticky_;
    return current_ ? kSuccess : kInvalidContext;
  }
  CUresult initialise() {
    if (has("init")) return number("init");
    if (has("count") && number("count") == 0) return kNoDevice;
    if (const auto once = settings_.find("once"); once != settings_.end()) {
      std::FILE* file = std::fopen(once->second.c_str(), "wx");
      if (file == nullptr) return kNoDevice;
      std::fclose(file);
    }
    initialised_ = true;
    return kSuccess;
  }
  void make_current() { current_ = true; }
  CUcontext context() { return &context_; }
  CUstream stream() { return &stream_; }

  CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
    if (bytes == 0) return kInvalidValue;
    if (has("alloc")) return number("alloc");
    std::vector<std::byte> memory(bytes);
    *address =
        machine_.add_buffer("allocation", memory, ptx::Contents::defined);
    memory_[*address] = std::move(memory);
    return kSuccess;
  }
  CUresult release(CUdeviceptr address) {
    if (memory_.erase(address) == 0) return kInvalidValue;
    if (memory_.empty()) machine_.remove_buffers();
    return kSuccess;
  }
  // Null where the bytes are not all in one allocation.
  std::byte* host(CUdeviceptr address, std::size_t bytes) {
    return machine_.host(address, bytes);
  }

  CUresult load(CUmodule* module, std::string text, std::string* log) {
    const bool code = text.starts_with(kElf);
    if (code) text.erase(0, kElf.size());
    for (const char* name : {"load", "ptx"}) {
      if (!has(name) || (code && std::string(name) == "ptx")) continue;
      *log = "fake: this is refused";
      return number(name);
    }
    if (const auto swap = settings_.find("swap"); swap != settings_.end()) {
      const std::size_t colon = swap->second.find(':');
      const std::string from = swap->second.substr(0, colon);
      for (std::size_t at = text.find(from); at != std::string::npos;
           at = text.find(from, at + 1)) {
        text.replace(at, from.size(), swap->second.substr(colon + 1));
      }
    }
    auto program = ptx::Program::load(text);
    if (!program) {
      *log = program.error().message;
      return code ? kInvalidImage : kInvalidPtx;
    }
    modules_.push_back(std::make_unique<CUmod_st>(CUmod_st{*program, {}}));
    *module = modules_.back().get();
    return kSuccess;
  }
  CUresult unload(CUmodule module) {
    return std::erase_if(modules_,
                         [&](const auto& m) { return m.get() == module; }) == 1
               ? kSuccess
               : kInvalidValue;
  }

  CUresult launch(CUfunction f, const ptx::LaunchShape& shape, CUstream stream,
                  void** parameters) {
    ++launches_;
    if (has("refuse")) return number("refuse");
    if (stream != &stream_ || shape.grid.count() == 0 ||
        shape.block.count() == 0 || shape.block.count() > 1024 ||
        shape.shared > f->most_shared ||
        (shape.cluster.count() > 8 && !f->large_clusters)) {
      return kInvalidValue;
    }
    if (f->module->program.check(f->name).ok() == false) return kNotSupported;
    if (const auto found = settings_.find("launch"); found != settings_.end()) {
      int at = 0;
      int error = 0;
      if (std::sscanf(found->second.c_str(), "%d:%d", &at, &error) == 2 &&
          at == launches_) {
        pending_ = error;
        return kSuccess;
      }
    }
    if (has("skip")) return kSuccess;
    std::vector<std::byte> arguments;
    const ptx::Function& entry = *f->module->program.module().find(f->name);
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      const ptx::Variable& p = entry.parameters[i];
      while (arguments.size() % p.align != 0) arguments.push_back({});
      const auto* bytes = static_cast<const std::byte*>(parameters[i]);
      arguments.insert(arguments.end(), bytes, bytes + p.bytes);
    }
    ptx::LaunchOptions options;
    options.find_races = false;
    options.find_uninitialised = false;
    const auto report =
        machine_.launch(f->module->program, f->name, shape, arguments, options);
    if (!report) return kInvalidValue;
    for (const ptx::Fault& fault : report->faults) pending_ = error_of(fault);
    return kSuccess;
  }
  CUresult wait() {
    while (pending_ < 0) pause();
    sticky_ = pending_;
    return sticky_;
  }

 private:
  // What hardware answers to the same kernel.
  static CUresult error_of(const ptx::Fault& fault) {
    switch (fault.kind) {
      case ptx::FaultKind::assertion:
        std::printf("%s\n", fault.message.c_str());
        return kAssert;
      case ptx::FaultKind::misaligned:
        return kMisalignedAddress;
      case ptx::FaultKind::out_of_bounds:
      case ptx::FaultKind::read_only:
        return kIllegalAddress;
      case ptx::FaultKind::step_limit:
        return kLaunchTimeout;
      default:
        return kLaunchFailed;
    }
  }

  std::map<std::string, std::string> settings_ = fake_settings();
  bool initialised_ = false;
  bool current_ = false;
  CUctx_st context_;
  CUstream_st stream_;
  CUresult pending_ = kSuccess;
  CUresult sticky_ = kSuccess;
  int launches_ = 0;
  ptx::Machine machine_;
  std::map<CUdeviceptr, std::vector<std::byte>> memory_;
  std::vector<std::unique_ptr<CUmod_st>> modules_;
};

Fake& fake() {
  static Fake instance;
  return instance;
}

template <class T>
CUresult set_all(CUdeviceptr to, T value, std::size_t count, CUstream stream) {
  if (const CUresult r = fake().ready(); r != kSuccess) return r;
  std::byte* at = fake().host(to, count * sizeof value);
  if (at == nullptr || stream != fake().stream() || to % sizeof value != 0) {
    return kInvalidValue;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(at + i * sizeof value, &value, sizeof value);
  }
  return kSuccess;
}

}  // namespace

#define ASSAY_FAKE extern "C" __attribute__((visibility("default"))) CUresult
// A call that needs a context.
#define ASSAY_READY \
  if (const CUresult r = fake().ready(); r != kSuccess) return r

ASSAY_FAKE cuInit(unsigned flags) {
  return flags == 0 ? fake().initialise() : kInvalidValue;
}
ASSAY_FAKE cuDriverGetVersion(int* version) {
  *version = 12040;
  return kSuccess;
}
ASSAY_FAKE cuDeviceGetCount(int* count) {
  *count = fake().has("count") ? fake().number("count") : 1;
  return kSuccess;
}
ASSAY_FAKE cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kSuccess : kInvalidValue;
}
ASSAY_FAKE cuDeviceGetName(char* name, int size, CUdevice /*device*/) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU");
  return kSuccess;
}
ASSAY_FAKE cuDeviceGetAttribute(int* value, int attribute,
                                CUdevice /*device*/) {
  const int sm = fake().has("sm") ? fake().number("sm") : 90;
  if (attribute == kComputeCapabilityMajor) {
    *value = sm / 10;
  } else if (attribute == kComputeCapabilityMinor) {
    *value = sm % 10;
  } else {
    return kInvalidValue;
  }
  return kSuccess;
}
ASSAY_FAKE cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice /*device*/) {
  *context = fake().context();
  return fake().number("context");
}
ASSAY_FAKE cuCtxSetCurrent(CUcontext context) {
  if (context != fake().context()) return kInvalidContext;
  fake().make_current();
  return kSuccess;
}
ASSAY_FAKE cuStreamCreate(CUstream* stream, unsigned flags) {
  ASSAY_READY;
  *stream = fake().stream();
  return flags <= kStreamNonBlocking ? kSuccess : kInvalidValue;
}
ASSAY_FAKE cuStreamSynchronize(CUstream stream) {
  ASSAY_READY;
  return stream == fake().stream() ? fake().wait() : kInvalidValue;
}
ASSAY_FAKE cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  ASSAY_READY;
  return fake().allocate(address, bytes);
}
ASSAY_FAKE cuMemFree_v2(CUdeviceptr address) {
  ASSAY_READY;
  return fake().release(address);
}
ASSAY_FAKE cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from,
                                std::size_t bytes, CUstream stream) {
  ASSAY_READY;
  std::byte* at = fake().host(to, bytes);
  if (at == nullptr || stream != fake().stream()) return kInvalidValue;
  std::memcpy(at, from, bytes);
  return kSuccess;
}
ASSAY_FAKE cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes,
                                CUstream stream) {
  ASSAY_READY;
  const std::byte* at = fake().host(from, bytes);
  if (at == nullptr || stream != fake().stream()) return kInvalidValue;
  std::memcpy(to, at, bytes);
  return kSuccess;
}
ASSAY_FAKE cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                std::size_t bytes, CUstream stream) {
  ASSAY_READY;
  std::byte* there = fake().host(to, bytes);
  const std::byte* here = fake().host(from, bytes);
  if (there == nullptr || here == nullptr || stream != fake().stream() ||
      (to < from + bytes && from < to + bytes)) {
    return kInvalidValue;
  }
  std::memcpy(there, here, bytes);
  return kSuccess;
}
ASSAY_FAKE cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                           std::size_t count, CUstream stream) {
  return set_all(to, value, count, stream);
}
ASSAY_FAKE cuMemsetD16Async(CUdeviceptr to, unsigned short value,
                            std::size_t count, CUstream stream) {
  return set_all(to, value, count, stream);
}
ASSAY_FAKE cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count,
                            CUstream stream) {
  return set_all(to, value, count, stream);
}
ASSAY_FAKE cuModuleLoadDataEx(CUmodule* module, const void* image,
                              unsigned count, int* options, void** values) {
  ASSAY_READY;
  std::string log;
  const CUresult r = fake().load(module, static_cast<const char*>(image), &log);
  char* buffer = nullptr;
  std::size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kJitErrorLogBuffer) {
      buffer = static_cast<char*>(values[i]);
    } else if (options[i] == kJitErrorLogBufferSizeBytes) {
      size = reinterpret_cast<std::size_t>(values[i]);
    }
  }
  if (buffer != nullptr && size > 0) {
    std::snprintf(buffer, size, "%s", log.c_str());
  }
  return r;
}
ASSAY_FAKE cuModuleUnload(CUmodule module) {
  ASSAY_READY;
  return fake().unload(module);
}
ASSAY_FAKE cuModuleGetFunction(CUfunction* function, CUmodule module,
                               const char* name) {
  ASSAY_READY;
  const ptx::Function* found = module->program.module().find(name);
  if (found == nullptr || !found->is_entry) return kNotFound;
  module->functions.push_back(
      std::make_unique<CUfunc_st>(CUfunc_st{module, name}));
  *function = module->functions.back().get();
  return kSuccess;
}
ASSAY_FAKE cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  ASSAY_READY;
  if (attribute == kNonPortableClusterSizeAllowed) {
    function->large_clusters = value != 0;
    return kSuccess;
  }
  // The most that a block of an H100 may have.
  constexpr int kMost = 227 * 1024;
  if (attribute != kMaxDynamicSharedSizeBytes || value < 0 || value > kMost) {
    return kInvalidValue;
  }
  function->most_shared = static_cast<std::size_t>(value);
  return kSuccess;
}
ASSAY_FAKE cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes,
                          CUstream stream, void** parameters, void** extra) {
  ASSAY_READY;
  if (extra != nullptr) return kInvalidValue;
  return fake().launch(
      function,
      {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, {}},
      stream, parameters);
}
ASSAY_FAKE cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                                     unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y,
                                     unsigned block_z, unsigned shared_bytes,
                                     CUstream stream, void** parameters) {
  ASSAY_READY;
  // More blocks than fit at once; a number as good as any.
  constexpr std::uint64_t kMost = 64;
  if (std::uint64_t{grid_x} * grid_y * grid_z > kMost) return 720;
  return fake().launch(
      function,
      {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, {}},
      stream, parameters);
}
#ifndef ASSAY_FAKE_OLD  // there since CUDA 11.8
ASSAY_FAKE cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                            void** parameters, void** extra) {
  ASSAY_READY;
  if (extra != nullptr) return kInvalidValue;
  ptx::LaunchShape shape = {
      {config->grid[0], config->grid[1], config->grid[2]},
      {config->block[0], config->block[1], config->block[2]},
      config->shared_bytes,
      {}};
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const CUlaunchAttribute& a = config->attributes[i];
    if (a.id == kLaunchClusterDimension) {
      shape.cluster = {a.value.cluster.x, a.value.cluster.y, a.value.cluster.z};
    } else if (a.id != kLaunchCooperative) {
      return kInvalidValue;
    }
  }
  if (shape.cluster.x == 0 || shape.grid.x % shape.cluster.x != 0) {
    return kInvalidValue;
  }
  return fake().launch(function, shape, config->stream, parameters);
}
#endif
ASSAY_FAKE cuGetErrorName(CUresult error, const char** text) {
  static const std::map<CUresult, const char*> kNames = {
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {kUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kLaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {kAssert, "CUDA_ERROR_ASSERT"},
      {kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED"}};
  const auto found = kNames.find(error);
  *text = found == kNames.end() ? nullptr : found->second;
  return found == kNames.end() ? kInvalidValue : kSuccess;
}
ASSAY_FAKE cuGetErrorString(CUresult error, const char** text) {
  *text = "as the fake driver says";
  return error == kSuccess ? kInvalidValue : kSuccess;
}

}  // namespace assay::harness::worker::cuda
