#include "ptx/machine/races.h"

#include <algorithm>
#include <cstdlib>

namespace assay::ptx {
namespace {

template <class T>
std::unique_ptr<T[], void (*)(void*)> zeroed(std::size_t count) {
  // NOLINTNEXTLINE: calloc's pages are zero without being written
  return {static_cast<T*>(std::calloc(count, sizeof(T))), &std::free};
}

}  // namespace

BlockOrder::Times& BlockOrder::at(std::uint32_t block) {
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  return blocks_[block];
}

void BlockOrder::release(std::uint32_t block) {
  Times& times = at(block);
  ++times.epoch;
  times.released = ++clock_;
}

void BlockOrder::acquire(std::uint32_t block) { at(block).acquired = ++clock_; }

bool BlockOrder::ordered(std::uint32_t before, std::uint32_t epoch,
                         std::uint32_t now) const {
  if (before >= blocks_.size() || now >= blocks_.size()) return false;
  return blocks_[before].epoch > epoch &&
         blocks_[now].acquired > blocks_[before].released;
}

std::uint32_t BlockOrder::epoch(std::uint32_t block) const {
  return block < blocks_.size() ? blocks_[block].epoch : 0;
}

RaceMarks::Marks& RaceMarks::marks(std::size_t buffer, std::size_t size) {
  if (buffer >= buffers_.size()) buffers_.resize(buffer + 1);
  Marks& m = buffers_[buffer];
  if (m.count == 0) {
    m.count = size / grain_ + 1;
    m.writer = zeroed<Mark>(m.count);
    m.reader = zeroed<Mark>(m.count);
    if (order_ != nullptr) m.epoch = zeroed<std::uint32_t>(m.count);
  }
  return m;
}

bool RaceMarks::excused(const Marks& m, std::size_t i, Mark writer,
                        std::uint32_t block) const {
  return order_ != nullptr &&
         order_->ordered(owner(writer) - 1, m.epoch[i], block);
}

std::optional<Conflict> RaceMarks::read(std::size_t buffer, std::size_t size,
                                        std::size_t offset, std::size_t bytes,
                                        std::uint32_t block,
                                        std::uint32_t source) {
  Marks& m = marks(buffer, size);
  std::optional<Conflict> found;
  Mark mine = make(block, source);
  Mark* readers = m.reader.get();
  const Mark* writers = m.writer.get();
  for (std::size_t i = offset / grain_; i < (offset + bytes) / grain_; ++i) {
    Mark reader = readers[i];
    if (reader == 0)
      readers[i] = mine;
    else if (owner(reader) != block + 1)
      readers[i] = (std::uint64_t{source} << 32) | kMany;
    Mark writer = writers[i];
    if (writer != 0 && owner(writer) != block + 1 && !found &&
        !excused(m, i, writer, block))
      found = Conflict{buffer, i * grain_, owner(writer) - 1,
                       static_cast<std::uint32_t>(writer >> 32)};
  }
  return found;
}

std::optional<Conflict> RaceMarks::write(std::size_t buffer, std::size_t size,
                                         std::size_t offset, std::size_t bytes,
                                         std::uint32_t block,
                                         std::uint32_t source) {
  Marks& m = marks(buffer, size);
  std::optional<Conflict> found;
  Mark mine = make(block, source);
  for (std::size_t i = offset / grain_; i < (offset + bytes) / grain_; ++i) {
    Mark reader = m.reader[i];
    // An ordered block may write what others have read before: without
    // knowing when, only blocks that never synchronised are accused.
    if (reader != 0 && owner(reader) != block + 1 && !found &&
        (order_ == nullptr || order_->epoch(block) == 0))
      found = Conflict{buffer, i * grain_,
                       owner(reader) == kMany ? kMany : owner(reader) - 1,
                       static_cast<std::uint32_t>(reader >> 32)};
    Mark writer = m.writer[i];
    if (writer != 0 && owner(writer) != block + 1 && !found &&
        !excused(m, i, writer, block))
      found = Conflict{buffer, i * grain_, owner(writer) - 1,
                       static_cast<std::uint32_t>(writer >> 32)};
    m.writer[i] = mine;
    if (order_ != nullptr) m.epoch[i] = order_->epoch(block);
  }
  return found;
}

std::optional<RaceMarks::Clash> RaceMarks::compare(const RaceMarks& a,
                                                   const RaceMarks& b) {
  std::size_t buffers = std::min(a.buffers_.size(), b.buffers_.size());
  for (std::size_t n = 0; n < buffers; ++n) {
    const Marks& x = a.buffers_[n];
    const Marks& y = b.buffers_[n];
    for (std::size_t i = 0; i < std::min(x.count, y.count); ++i) {
      Mark one = x.writer[i];
      Mark two = y.writer[i] != 0 ? y.writer[i] : y.reader[i];
      if (one == 0) {
        one = x.reader[i];
        two = y.writer[i];
      }
      // A block runs on one thread: marks of two threads are of two blocks.
      if (one == 0 || two == 0) continue;
      auto conflict = [&](Mark m) {
        return Conflict{n, i * a.grain_,
                        owner(m) == kMany ? kMany : owner(m) - 1,
                        static_cast<std::uint32_t>(m >> 32)};
      };
      return Clash{conflict(one), conflict(two)};
    }
  }
  return std::nullopt;
}

}  // namespace assay::ptx
