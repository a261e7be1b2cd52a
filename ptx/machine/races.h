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
  // `grain` divides every access. `order` is null where blocks share nothing.
  RaceMarks(unsigned grain, BlockOrder* order) : grain_(grain), order_(order) {}

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
  // block + 1 in the lower half, source above; 0: nobody. A reader's block
  // of kMany: several.
  using Mark = std::uint64_t;
  static constexpr std::uint32_t kMany = 0xffffffffU;
  struct Marks {
    std::size_t count = 0;
    // calloc'ed, so that untouched pages cost nothing.
    std::unique_ptr<Mark[], void (*)(void*)> writer{nullptr, nullptr};
    std::unique_ptr<Mark[], void (*)(void*)> reader{nullptr, nullptr};
    std::unique_ptr<std::uint32_t[], void (*)(void*)> epoch{nullptr, nullptr};
  };
  Marks& marks(std::size_t buffer, std::size_t size);
  static Mark make(std::uint32_t block, std::uint32_t source) {
    return (std::uint64_t{source} << 32) | (block + 1);
  }
  static std::uint32_t owner(Mark m) { return static_cast<std::uint32_t>(m); }
  bool excused(const Marks& m, std::size_t i, Mark writer,
               std::uint32_t block) const;

  unsigned grain_;
  BlockOrder* order_;
  std::vector<Marks> buffers_;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_RACES_H_
