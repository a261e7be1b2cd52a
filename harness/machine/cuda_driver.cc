#include "harness/machine/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace assay::harness {
namespace {

// CUDA Driver API, cuda.h: CUresult 0 is success, 100 CUDA_ERROR_NO_DEVICE;
// attributes 75 and 76 are the compute capability, major and minor.
using Status = int;
constexpr Status kNoDevice = 100;
constexpr int kMajor = 75, kMinor = 76;

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

struct Calls {
  explicit Calls(void* library)
      : init(find<Status(unsigned)>(library, "cuInit")),
        version(find<Status(int*)>(library, "cuDriverGetVersion")),
        count(find<Status(int*)>(library, "cuDeviceGetCount")),
        device(find<Status(int*, int)>(library, "cuDeviceGet")),
        name(find<Status(char*, int, int)>(library, "cuDeviceGetName")),
        attribute(
            find<Status(int*, int, int)>(library, "cuDeviceGetAttribute")) {}
  bool complete() const {
    return init && version && count && device && name && attribute;
  }

  Status (*init)(unsigned);
  Status (*version)(int*);
  Status (*count)(int*);
  Status (*device)(int*, int);
  Status (*name)(char*, int, int);
  Status (*attribute)(int*, int, int);
};

Error refused(const char* call, Status status) {
  return Error{fmt::format("{} fails with CUresult {}{}", call, status,
                           status == kNoDevice ? ", no device" : "")};
}

}  // namespace

Result<CudaDriver> find_cuda_driver(std::string library) {
  const char* named = std::getenv("ASSAY_CUDA_DRIVER");
  if (library.empty() && named != nullptr) library = named;
  if (library.empty()) library = "libcuda.so.1";
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{dlerror()};
  const Calls call(handle);
  if (!call.complete()) {
    return Error{fmt::format("{} lacks functions of a CUDA driver", library)};
  }
  if (const Status s = call.init(0); s != 0) return refused("cuInit", s);
  int version = 0, count = 0;
  if (const Status s = call.version(&version); s != 0) {
    return refused("cuDriverGetVersion", s);
  }
  if (const Status s = call.count(&count); s != 0) {
    return refused("cuDeviceGetCount", s);
  }
  CudaDriver out;
  // As the API packs it: 1000 * major + 10 * minor.
  out.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  for (int i = 0; i < count; ++i) {
    int device = 0, major = 0, minor = 0;
    char name[256] = "";
    if (const Status s = call.device(&device, i); s != 0) {
      return refused("cuDeviceGet", s);
    }
    if (const Status s = call.name(name, sizeof name, device); s != 0) {
      return refused("cuDeviceGetName", s);
    }
    for (const auto& [what, value] :
         {std::pair(kMajor, &major), std::pair(kMinor, &minor)}) {
      if (const Status s = call.attribute(value, what, device); s != 0) {
        return refused("cuDeviceGetAttribute", s);
      }
    }
    out.devices.push_back({name, fmt::format("sm_{}{}", major, minor)});
  }
  return out;
}

}  // namespace assay::harness
