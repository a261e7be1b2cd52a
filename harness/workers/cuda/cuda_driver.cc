#include "harness/workers/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace assay::harness::worker::cuda {
namespace {

// What the driver API's documentation calls inconsistent: "the process must be
// terminated and relaunched", or what the device does not recover from.
constexpr std::array<CUresult, 17> kSticky = {kEccUncorrectable,
                                              kNvlinkUncorrectable,
                                              kContained,
                                              kIllegalAddress,
                                              kLaunchTimeout,
                                              kContextIsDestroyed,
                                              kAssert,
                                              kHardwareStackError,
                                              kIllegalInstruction,
                                              kMisalignedAddress,
                                              kInvalidAddressSpace,
                                              kInvalidPc,
                                              kLaunchFailed,
                                              kTensorMemoryLeak,
                                              kMpsClientTerminated,
                                              kExternalDevice,
                                              kUnknown};

std::string library_name() {
  const char* named = std::getenv("ASSAY_CUDA_DRIVER");
  return named != nullptr && *named != '\0' ? named : "libcuda.so.1";
}

// "sm_90a" without what follows the number.
std::string plain(std::string target) {
  while (!target.empty() && (target.back() == 'a' || target.back() == 'f')) {
    target.pop_back();
  }
  return target;
}

}  // namespace

Result<Driver> Driver::load() {
  const std::string file = library_name();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{fmt::format(
        "no CUDA driver: {}; install NVIDIA's driver, or name its library in "
        "ASSAY_CUDA_DRIVER",
        dlerror())};
  }
  Driver d;
  std::string missing;
#define ASSAY_RESOLVE(symbol, parameters) \
  d.symbol = reinterpret_cast<CUresult(*) parameters>(dlsym(library, #symbol));
#define ASSAY_REQUIRE(symbol, parameters) \
  ASSAY_RESOLVE(symbol, parameters)       \
  if (d.symbol == nullptr && missing.empty()) missing = #symbol;
  ASSAY_CUDA_FUNCTIONS(ASSAY_REQUIRE)
  ASSAY_CUDA_OPTIONAL_FUNCTIONS(ASSAY_RESOLVE)
#undef ASSAY_REQUIRE
#undef ASSAY_RESOLVE
  if (!missing.empty()) {
    return Error{
        fmt::format("the CUDA driver {} has no {}: CUDA 11.4 or later is due",
                    file, missing)};
  }
  if (const CUresult r = d.cuInit(0); r != kSuccess) {
    return Error{
        fmt::format("the CUDA driver does not start: {}", d.describe(r))};
  }
  return d;
}

std::string Driver::name(CUresult error) const {
  const char* text = nullptr;
  return cuGetErrorName(error, &text) == kSuccess && text != nullptr
             ? text
             : fmt::format("CUDA error {}", error);
}

std::string Driver::describe(CUresult error) const {
  const char* text = nullptr;
  if (cuGetErrorString(error, &text) != kSuccess || text == nullptr) {
    return name(error);
  }
  return fmt::format("{} ({})", name(error), text);
}

Result<DeviceFacts> first_device(const Driver& driver) {
  int count = 0;
  const CUresult counted = driver.cuDeviceGetCount(&count);
  if (counted != kSuccess) return Error{driver.describe(counted)};
  if (count == 0) {
    return Error{
        "the CUDA driver sees no device (CUDA_VISIBLE_DEVICES may hide them)"};
  }
  DeviceFacts facts;
  int version = 0;
  int major = 0;
  int minor = 0;
  std::array<char, 256> name = {};
  for (const CUresult r :
       {driver.cuDeviceGet(&facts.device, 0),
        driver.cuDriverGetVersion(&version),
        driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1,
                               facts.device),
        driver.cuDeviceGetAttribute(&major, kComputeCapabilityMajor,
                                    facts.device),
        driver.cuDeviceGetAttribute(&minor, kComputeCapabilityMinor,
                                    facts.device)}) {
    if (r != kSuccess) {
      return Error{fmt::format("the CUDA device says nothing of itself: {}",
                               driver.describe(r))};
    }
  }
  facts.name = name.data();
  facts.sm = fmt::format("sm_{}{}", major, minor);
  // 1000 * major + 10 * minor, as cuDriverGetVersion is documented.
  facts.driver = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  return facts;
}

bool is_sticky(CUresult error) {
  return std::find(kSticky.begin(), kSticky.end(), error) != kSticky.end();
}

std::optional<std::string> misfit(const std::string& target,
                                  const std::string& sm) {
  if (plain(target) == sm) return std::nullopt;
  return fmt::format("the plan is for {}, and the device is {}", target, sm);
}

}  // namespace assay::harness::worker::cuda
