#include "ptx/machine/shared_marks.h"

#include <bit>

namespace assay::ptx {

bool SharedMarks::races_with_writer(const Mark& m, Who who,
                                    const std::uint32_t* seen) {
  return m.write_time != 0 && m.writer != who.warp &&
         seen[m.writer] < m.write_time;
}

std::optional<SharedMarks::Who> SharedMarks::read(std::size_t offset,
                                                  std::size_t bytes, Who who,
                                                  std::uint32_t generation,
                                                  const std::uint32_t* seen) {
  std::optional<Who> found;
  for (std::size_t i = offset / grain_; i < (offset + bytes) / grain_; ++i) {
    Mark& m = marks_[i];
    if (!found && races_with_writer(m, who, seen))
      found = Who{m.writer, m.write_source};
    std::uint32_t me = std::uint32_t{1} << who.warp;
    m.readers = m.read_time == generation + 1 ? m.readers | me : me;
    m.read_time = generation + 1;
    m.read_source = who.source;
  }
  return found;
}

std::optional<SharedMarks::Who> SharedMarks::write(std::size_t offset,
                                                   std::size_t bytes, Who who,
                                                   std::uint32_t generation,
                                                   const std::uint32_t* seen) {
  std::optional<Who> found;
  for (std::size_t i = offset / grain_; i < (offset + bytes) / grain_; ++i) {
    Mark& m = marks_[i];
    if (!found && races_with_writer(m, who, seen))
      found = Who{m.writer, m.write_source};
    std::uint32_t others = m.readers & ~(std::uint32_t{1} << who.warp);
    for (; others != 0 && !found; others &= others - 1) {
      auto reader = static_cast<unsigned>(std::countr_zero(others));
      if (seen[reader] < m.read_time) found = Who{reader, m.read_source};
    }
    m.write_time = generation + 1;
    m.writer = who.warp;
    m.write_source = who.source;
  }
  return found;
}

}  // namespace assay::ptx
