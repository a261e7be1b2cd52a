#include "harness/workers/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace assay::harness::worker::cuda {
namespace {

// Allocations are aligned to 256 bytes (CUDA C++ Programming Guide, "device
// memory accesses"), so buffers are too.
constexpr std::size_t kGuard = 512;
static_assert(kGuard % 256 == 0);
// Not the same for two buffers: what is copied from behind one to behind
// another shows.
std::byte guard_byte(std::size_t number) {
  return static_cast<std::byte>(0xa5 + 29 * number);
}
// A kernel has to ask for more dynamic shared memory than this, and for
// clusters of more blocks (the same guide, "compute capabilities").
constexpr std::size_t kUsualShared = 48 * 1024;
constexpr std::uint32_t kUsualCluster = 8;

std::uint64_t product(const std::array<std::uint32_t, 3>& counts) {
  return std::uint64_t{counts[0]} * counts[1] * counts[2];
}

}  // namespace

CudaDevice::~CudaDevice() {
  for (const Allocation& a : allocations_) {
    (void)context_->driver().cuMemFree_v2(a.base);
  }
}

Result<std::uint64_t> CudaDevice::add_buffer(std::size_t number,
                                             std::span<std::byte> storage,
                                             bool /*defined*/) {
  const std::size_t bytes = storage.size();
  const std::string doing = fmt::format("buffer {} ({} bytes)", number, bytes);
  CUdeviceptr base = 0;
  CUresult r = context_->driver().cuMemAlloc_v2(&base, bytes + 2 * kGuard);
  if (r != kSuccess) return context_->failed(doing, r);
  allocations_.push_back({number, bytes, base});
  r = context_->driver().cuMemsetD8Async(
      base, std::to_integer<unsigned char>(guard_byte(number)),
      bytes + 2 * kGuard, context_->stream());
  if (r != kSuccess) return context_->failed(doing, r);
  const Status filled = upload(base + kGuard, storage);
  if (!filled) return filled.error();
  return base + kGuard;
}

Status CudaDevice::upload(std::uint64_t to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return success();
  CUresult r = context_->driver().cuMemcpyHtoDAsync_v2(
      to, bytes.data(), bytes.size(), context_->stream());
  if (r == kSuccess) r = context_->wait();
  if (r != kSuccess) return context_->failed("a copy to the device", r);
  return success();
}

Status CudaDevice::read(std::byte* to, std::uint64_t from, std::size_t bytes) {
  if (bytes == 0) return success();
  CUresult r = context_->driver().cuMemcpyDtoHAsync_v2(to, from, bytes,
                                                       context_->stream());
  if (r == kSuccess) r = context_->wait();
  if (r != kSuccess) return context_->failed("a copy from the device", r);
  return success();
}

Status CudaDevice::copy(std::uint64_t to, std::uint64_t from,
                        std::size_t bytes) {
  const std::uint64_t apart = to > from ? to - from : from - to;
  if (apart < bytes) {  // what the driver does then is not documented
    std::vector<std::byte> through(bytes);
    const Status back = read(through.data(), from, bytes);
    if (!back) return back;
    return upload(to, through);
  }
  CUresult r = context_->driver().cuMemcpyDtoDAsync_v2(to, from, bytes,
                                                       context_->stream());
  if (r == kSuccess) r = context_->wait();
  if (r != kSuccess) return context_->failed("a copy on the device", r);
  return success();
}

Status CudaDevice::fill(std::uint64_t to, std::size_t bytes,
                        std::span<const std::byte> value) {
  const Driver& driver = context_->driver();
  const std::size_t count = bytes / value.size();
  CUresult r = kSuccess;
  if (value.size() == 1) {
    r = driver.cuMemsetD8Async(to, std::to_integer<unsigned char>(value[0]),
                               count, context_->stream());
  } else if (value.size() == 2 && to % 2 == 0) {
    std::uint16_t v = 0;
    std::memcpy(&v, value.data(), sizeof v);
    r = driver.cuMemsetD16Async(to, v, count, context_->stream());
  } else if (value.size() == 4 && to % 4 == 0) {
    std::uint32_t v = 0;
    std::memcpy(&v, value.data(), sizeof v);
    r = driver.cuMemsetD32Async(to, v, count, context_->stream());
  } else {
    std::vector<std::byte> repeated;
    for (std::size_t i = 0; i < count; ++i) {
      repeated.insert(repeated.end(), value.begin(), value.end());
    }
    return upload(to, repeated);
  }
  if (r == kSuccess) r = context_->wait();
  if (r != kSuccess) return context_->failed("a fill", r);
  return success();
}

Status CudaDevice::launch(const PlanLaunch& launch,
                          const ptx::Function& /*entry*/,
                          const std::vector<std::vector<std::byte>>& arguments,
                          PlanRun* run) {
  const Driver& driver = context_->driver();
  const Result<CUfunction> function = plan_->function(launch);
  if (!function) return function.error();
  std::vector<void*> parameters;
  for (const std::vector<std::byte>& bytes : arguments) {
    parameters.push_back(const_cast<std::byte*>(bytes.data()));
  }
  const auto& [gx, gy, gz] = launch.grid;
  const auto& [bx, by, bz] = launch.block;
  const auto shared = static_cast<unsigned>(launch.shared);
  const std::uint64_t cluster = product(launch.cluster);
  CUresult r = kSuccess;
  if (launch.shared > kUsualShared) {
    r = driver.cuFuncSetAttribute(*function, kMaxDynamicSharedSizeBytes,
                                  static_cast<int>(launch.shared));
  }
  if (r == kSuccess && cluster > kUsualCluster) {
    r = driver.cuFuncSetAttribute(*function, kNonPortableClusterSizeAllowed, 1);
  }
  if (r != kSuccess) {
    // Refused below, in the launch's own words.
  } else if (cluster > 1) {
    std::array<CUlaunchAttribute, 2> attributes = {};
    attributes[0].id = kLaunchClusterDimension;
    attributes[0].value.cluster = {launch.cluster[0], launch.cluster[1],
                                   launch.cluster[2]};
    attributes[1].id = kLaunchCooperative;
    attributes[1].value.cooperative = launch.cooperative ? 1 : 0;
    const CUlaunchConfig config = {
        {gx, gy, gz},       {bx, by, bz},      shared,
        context_->stream(), attributes.data(), launch.cooperative ? 2u : 1u};
    r = driver.cuLaunchKernelEx(&config, *function, parameters.data(), nullptr);
  } else if (launch.cooperative) {
    r = driver.cuLaunchCooperativeKernel(*function, gx, gy, gz, bx, by, bz,
                                         shared, context_->stream(),
                                         parameters.data());
  } else {
    r = driver.cuLaunchKernel(*function, gx, gy, gz, bx, by, bz, shared,
                              context_->stream(), parameters.data(), nullptr);
  }
  if (r != kSuccess && !is_sticky(r)) {
    run->faults.push_back(fmt::format("{}: the driver refuses the launch: {}",
                                      launch.entry, driver.describe(r)));
    return success();
  }
  if (r == kSuccess) r = context_->wait();
  if (r != kSuccess) return context_->failed(launch.entry, r);
  return success();
}

Result<std::vector<std::string>> CudaDevice::guard_breaches() {
  std::vector<std::string> out;
  for (const Allocation& a : allocations_) {
    for (const bool behind : {false, true}) {
      Result<std::string> found = breach(a, behind);
      if (!found) return found.error();
      if (!found->empty()) out.push_back(std::move(*found));
    }
  }
  return out;
}

Result<std::string> CudaDevice::breach(const Allocation& a, bool behind) {
  std::array<std::byte, kGuard> guard = {};
  const std::uint64_t begin = behind ? kGuard + a.bytes : 0;
  const Status back = read(guard.data(), a.base + begin, kGuard);
  if (!back) return back.error();
  const auto wrong = [expected = guard_byte(a.number)](std::byte b) {
    return b != expected;
  };
  const auto* first = std::find_if(guard.begin(), guard.end(), wrong);
  if (first == guard.end()) return std::string();
  const auto at = static_cast<std::int64_t>(begin) - std::int64_t{kGuard} +
                  (first - guard.begin());
  return fmt::format(
      "P2: {} bytes {} buffer {} ({} bytes) were overwritten on the device, "
      "the first at byte {}",
      std::count_if(guard.begin(), guard.end(), wrong),
      behind ? "behind" : "before", a.number, a.bytes, at);
}

}  // namespace assay::harness::worker::cuda
