// Global memory: buffers of the host behind device addresses. A device
// address holds its buffer's number in the upper bits, so that a wild pointer
// hits no other buffer and each access finds its buffer without a search.
#ifndef ASSAY_PTX_MACHINE_MEMORY_H_
#define ASSAY_PTX_MACHINE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ptx/machine/races.h"

namespace assay::ptx {

struct CompiledModule;

constexpr unsigned kRegionShift = 36;
// The windows of generic addresses.
constexpr std::uint64_t kSharedRegion = 1;
constexpr std::uint64_t kLocalRegion = 2;
constexpr std::uint64_t kFirstBufferRegion = 16;
constexpr std::uint64_t kRegionMask = (std::uint64_t{1} << kRegionShift) - 1;

struct Buffer {
  std::string name;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool writable = true;
  // One flag per byte; empty: all of it is defined.
  std::vector<std::uint8_t> defined;
};

class Memory {
 public:
  std::uint64_t add(Buffer buffer);
  std::size_t size() const { return buffers_.size(); }
  void clear();
  void remove_last() { buffers_.pop_back(); }

  Buffer* find(std::uint64_t address) {
    std::uint64_t region = (address >> kRegionShift) - kFirstBufferRegion;
    return region < buffers_.size() ? &buffers_[region] : nullptr;
  }
  static std::uint64_t index_of(std::uint64_t address) {
    return (address >> kRegionShift) - kFirstBufferRegion;
  }
  Buffer& at(std::size_t index) { return buffers_[index]; }

  // The marks of one thread of the host; kept, since fresh memory is dear.
  RaceMarks& race_marks(std::size_t thread) {
    while (races_.size() <= thread) races_.emplace_back();
    return races_[thread];
  }

  // Device addresses of a module's variables, by their index. They keep their
  // contents from launch to launch.
  const std::vector<std::uint64_t>& variables_of(
      const std::shared_ptr<const CompiledModule>& module);

 private:
  struct Instance {
    std::shared_ptr<const CompiledModule> module;  // kept alive
    std::vector<std::unique_ptr<std::byte[]>> storage;
    std::vector<std::uint64_t> addresses;
  };

  std::vector<Buffer> buffers_;
  std::deque<RaceMarks> races_;
  std::map<const CompiledModule*, Instance> instances_;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_MEMORY_H_
