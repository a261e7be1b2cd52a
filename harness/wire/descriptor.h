// A file descriptor that closes itself.
#ifndef ASSAY_HARNESS_WIRE_DESCRIPTOR_H_
#define ASSAY_HARNESS_WIRE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace assay::harness {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Whoever takes it must close it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_WIRE_DESCRIPTOR_H_
