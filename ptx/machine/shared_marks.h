// Races in shared memory: two warps touch a place, one of them writes, and no
// barrier lies between. Time is the number of barriers that have opened in
// the block; a warp knows of another's accesses up to the last barrier that
// both passed.
#ifndef ASSAY_PTX_MACHINE_SHARED_MARKS_H_
#define ASSAY_PTX_MACHINE_SHARED_MARKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::ptx {

class SharedMarks {
 public:
  SharedMarks(std::size_t bytes, unsigned grain)
      : grain_(grain), marks_(bytes / grain + 1) {}

  struct Who {
    unsigned warp;
    std::uint32_t source;  // of the instruction
  };
  // The access that this one races with. `seen[w]`: what the accessing warp
  // knows of warp w happened in generations before this one.
  std::optional<Who> read(std::size_t offset, std::size_t bytes, Who who,
                          std::uint32_t generation, const std::uint32_t* seen);
  std::optional<Who> write(std::size_t offset, std::size_t bytes, Who who,
                           std::uint32_t generation, const std::uint32_t* seen);

 private:
  struct Mark {
    std::uint32_t write_time = 0;  // generation + 1; 0: never
    std::uint32_t write_source = 0;
    std::uint32_t read_time = 0;
    std::uint32_t readers = 0;  // warps, as a mask
    std::uint32_t read_source = 0;
    std::uint32_t writer = 0;
  };
  static bool races_with_writer(const Mark& m, Who who,
                                const std::uint32_t* seen);

  unsigned grain_;
  std::vector<Mark> marks_;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_SHARED_MARKS_H_
