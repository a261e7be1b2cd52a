#include "harness/workers/cuda/context.h"

#include <fmt/format.h>

#include <utility>

namespace assay::harness::worker::cuda {

Outcome<Context> Context::create() {
  Result<Driver> driver = Driver::load();
  if (!driver) return Failure{"unsupported", driver.error().message};
  Context c;
  c.driver_ = *driver;
  Result<DeviceFacts> facts = first_device(c.driver_);
  if (!facts) return Failure{"unsupported", facts.error().message};
  c.facts_ = std::move(*facts);
  CUcontext context = nullptr;
  CUresult r = c.driver_.cuDevicePrimaryCtxRetain(&context, c.facts_.device);
  if (r == kSuccess) r = c.driver_.cuCtxSetCurrent(context);
  if (r == kSuccess)
    r = c.driver_.cuStreamCreate(&c.stream_, kStreamNonBlocking);
  if (r != kSuccess) {
    return Failure{r == kOutOfMemory ? "out_of_memory" : "device_lost",
                   fmt::format("{} gives no context: {}", c.facts_.name,
                               c.driver_.describe(r))};
  }
  return c;
}

Error Context::failed(const std::string& doing, CUresult error) {
  error_ = error;
  return Error{fmt::format("{}: {}", doing, driver_.describe(error))};
}

Failure Context::failure(const std::string& message) const {
  if (is_sticky(error_)) {
    return {"device_lost", message, driver_.name(error_)};
  }
  switch (error_) {
    case kOutOfMemory:
      return {"out_of_memory", message};
    case kNoBinaryForGpu:
    case kUnsupportedPtxVersion:
    case kJitCompilerNotFound:
    case kJitCompilationDisabled:
      return {"unsupported", message};
    default:
      return {"internal", message};
  }
}

}  // namespace assay::harness::worker::cuda
