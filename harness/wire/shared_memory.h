// The shared memory that tensors travel in: a memfd that either side may grow
// and both sides map. Growing never invalidates addresses handed out before:
// old mappings stay until release_old().
#ifndef ASSAY_HARNESS_WIRE_SHARED_MEMORY_H_
#define ASSAY_HARNESS_WIRE_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"

namespace assay::harness {

class SharedMemory {
 public:
  // An anonymous file that is closed on exec.
  static Result<SharedMemory> create();
  // Takes over a descriptor that was inherited.
  static SharedMemory attach(int fd);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  int fd() const { return fd_; }
  // Bytes of the file now, whoever grew it; negative if that cannot be told.
  std::int64_t file_size() const;
  // Sets the file's size. The pages beyond a smaller size are given back,
  // and read as zero once the file grows again.
  Status resize(std::int64_t bytes);
  // Maps at least [0, bytes); fails if the file is smaller.
  Status map(std::int64_t bytes);
  // Valid up to the largest size mapped, as long as the file is that long.
  std::byte* data() const { return data_; }
  void release_old();

 private:
  explicit SharedMemory(int fd) : fd_(fd) {}
  void close();

  struct Mapping {
    std::byte* address;
    std::size_t bytes;
  };
  int fd_ = -1;
  std::byte* data_ = nullptr;
  std::size_t mapped_ = 0;
  std::vector<Mapping> old_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_WIRE_SHARED_MEMORY_H_
