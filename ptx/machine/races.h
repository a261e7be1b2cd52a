// Races in global memory: two blocks touch a place, one of them writes, and
// nothing orders them. Every thread of the host keeps its own marks; those of
// several are compared when the launch has ended, so that what is found does
// not depend on timing.
#ifndef ASSAY_PTX_MACHINE_RACES_H_
#define ASSAY_PTX_MACHINE_RACES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace assay::ptx {

// A conflicting access, as far as its mark tells.
struct Conflict {
  std::size_t buffer = 0;
  std::size_t offset = 0;
  std::uint32_t block = 0;   // linear number of the other block
  std::uint32_t source = 0;  // of its instruction
};

// How blocks that take turns are ordered by fences and atomics.
class BlockOrder {
 public:
  // A block has released what it did: a fence or a releasing operation.
  void release(std::uint32_t block);
  // A block sees what others have released until now.
  void acquire(std::uint32_t block);
  // Whether everything that `before` did until its last release happened
  // before `now`, provided that `epoch` was its epoch at the access.
  bool ordered(std::uint32_t before, std::uint32_t epoch,
               std::uint32_t now) const;
  std::uint32_t epoch(std::uint32_t block) const;

 private:
  struct Times {
    std::uint32_t epoch = 0;
    std::uint64_t released = 0;
    std::uint64_t acquired = 0;
  };
  Times& at(std::uint32_t block);

  std::vector<Times> blocks_;
  std::uint64_t clock_ = 0;
};

class RaceMarks {
 public:
  // Forgets what was seen. `grain` divides every access of the launch; `order`
  // is null where blocks share nothing.
  void begin_launch(unsigned grain, BlockOrder* order);

  // Marks `bytes` at `offset` of a buffer of `size` bytes; the first conflict
  // with what this thread saw before.
  std::optional<Conflict> read(std::size_t buffer, std::size_t size,
                               std::size_t offset, std::size_t bytes,
                               std::uint32_t block, std::uint32_t source);
  std::optional<Conflict> write(std::size_t buffer, std::size_t size,
                                std::size_t offset, std::size_t bytes,
                                std::uint32_t block, std::uint32_t source);

  struct Clash {
    Conflict first;
    Conflict second;  // by a block that is not the first's; one wrote
  };
  // Compares what two threads saw.
  static std::optional<Clash> compare(const RaceMarks& a, const RaceMarks& b);

 private:
  // From below: block + 1, 32 bits; source, 20 bits; the launch's number, 12
  // bits. A mark of an earlier launch counts as none, so that the memory needs
  // no clearing, which would cost more than the marks do. A reader's block of
  // kMany: several.
  using Mark = std::uint64_t;
  static constexpr std::uint32_t kMany = 0xffffffffU;
  static constexpr std::uint32_t kSourceMask = 0xfffffU;
  static constexpr std::uint64_t kLaunches = 4096;
  struct Marks {
    // Made at the first write or read, of calloc'ed memory: what nobody
    // touches costs nothing.
    std::size_t count = 0;
    std::unique_ptr<Mark[], void (*)(void*)> writer{nullptr, nullptr};
    std::unique_ptr<Mark[], void (*)(void*)> reader{nullptr, nullptr};
    std::unique_ptr<std::uint32_t[], void (*)(void*)> epoch{nullptr, nullptr};
  };
  Marks& marks(std::size_t buffer, std::size_t size, bool for_write);
  Mark make(std::uint32_t owner, std::uint32_t source) const {
    return launch_ << 52 | std::uint64_t{source & kSourceMask} << 32 | owner;
  }
  static std::uint32_t owner(Mark m) { return static_cast<std::uint32_t>(m); }
  // The mark at `i` if it is this launch's, else 0.
  Mark at(const Mark* list, std::size_t i) const {
    if (list == nullptr) return 0;
    Mark m = list[i];
    return m >> 52 == launch_ ? m : 0;
  }
  Conflict conflict(std::size_t buffer, std::size_t i, Mark m) const;
  bool excused(const Marks& m, std::size_t i, Mark writer,
               std::uint32_t block) const;

  unsigned grain_ = 1;
  BlockOrder* order_ = nullptr;
  std::uint64_t launch_ = 0;
  std::vector<Marks> buffers_;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_RACES_H_
