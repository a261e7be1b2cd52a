#include "harness/wire/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace assay::harness {
namespace {

// Mapping a little more than asked saves a new mapping for every larger case.
constexpr std::int64_t kGranule = std::int64_t{1} << 20;

}  // namespace

Result<SharedMemory> SharedMemory::create() {
  const int fd = memfd_create("assay-tensors", MFD_CLOEXEC);
  if (fd < 0) {
    return Error{fmt::format("no shared memory: {}", std::strerror(errno))};
  }
  return SharedMemory(fd);
}

SharedMemory SharedMemory::attach(int fd) { return SharedMemory(fd); }

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      old_(std::move(other.old_)) {
  other.old_.clear();
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    data_ = std::exchange(other.data_, nullptr);
    mapped_ = std::exchange(other.mapped_, 0);
    old_ = std::exchange(other.old_, {});
  }
  return *this;
}

SharedMemory::~SharedMemory() { close(); }

void SharedMemory::close() {
  release_old();
  if (data_ != nullptr) munmap(data_, mapped_);
  if (fd_ >= 0) ::close(fd_);
  data_ = nullptr;
  mapped_ = 0;
  fd_ = -1;
}

std::int64_t SharedMemory::file_size() const {
  struct stat info {};
  return fstat(fd_, &info) == 0 ? std::int64_t{info.st_size} : -1;
}

Status SharedMemory::resize(std::int64_t bytes) {
  int rc = 0;
  do {
    rc = ftruncate(fd_, bytes);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) {
    return Error{fmt::format("shared memory of {} bytes: {}", bytes,
                             std::strerror(errno))};
  }
  return success();
}

Status SharedMemory::map(std::int64_t bytes) {
  if (bytes > file_size()) {
    return Error{fmt::format("the shared memory holds {} bytes, not {}",
                             file_size(), bytes)};
  }
  if (static_cast<std::size_t>(bytes) <= mapped_) return success();
  const auto length =
      static_cast<std::size_t>((bytes + kGranule - 1) / kGranule * kGranule);
  void* address =
      mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (address == MAP_FAILED) {
    return Error{fmt::format("cannot map {} bytes of shared memory: {}", length,
                             std::strerror(errno))};
  }
  if (data_ != nullptr) old_.push_back({data_, mapped_});
  data_ = static_cast<std::byte*>(address);
  mapped_ = length;
  return success();
}

void SharedMemory::release_old() {
  for (const Mapping& m : old_) munmap(m.address, m.bytes);
  old_.clear();
}

}  // namespace assay::harness
