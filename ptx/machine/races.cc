#include "ptx/machine/races.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace assay::ptx {
namespace {

// Marks of large buffers come in pages of 2 MiB where the kernel has them: the
// first launch would spend half of its time on faults for small ones.
void ask_for_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t kHuge = std::uintptr_t{1} << 21;
  auto first =
      (reinterpret_cast<std::uintptr_t>(memory) + kHuge - 1) & ~(kHuge - 1);
  auto last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) & ~(kHuge - 1);
  if (memory != nullptr && first < last)
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

template <class T>
std::unique_ptr<T[], void (*)(void*)> zeroed(std::size_t count) {
  // NOLINTNEXTLINE: calloc's pages are zero without being written
  void* memory = std::calloc(count, sizeof(T));
  ask_for_huge_pages(memory, count * sizeof(T));
  return {static_cast<T*>(memory), &std::free};
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

void RaceMarks::begin_launch(unsigned grain, BlockOrder* order) {
  if (grain != grain_ || ++launch_ == kLaunches) {
    buffers_.clear();
    launch_ = 1;
  }
  grain_ = grain;
  order_ = order;
}

RaceMarks::Marks& RaceMarks::marks(std::size_t buffer, std::size_t size,
                                   bool for_write) {
  if (buffer >= buffers_.size()) buffers_.resize(buffer + 1);
  std::size_t count = size / grain_ + 1;
  if (buffers_[buffer].count != count) buffers_[buffer] = Marks{};
  Marks& m = buffers_[buffer];
  m.count = count;
  auto& needed = for_write ? m.writer : m.reader;
  if (needed == nullptr) needed = zeroed<Mark>(m.count);
  if (order_ != nullptr && for_write && m.epoch == nullptr)
    m.epoch = zeroed<std::uint32_t>(m.count);
  return m;
}

Conflict RaceMarks::conflict(std::size_t buffer, std::size_t i, Mark m) const {
  std::uint32_t block = owner(m) == kMany ? kMany : owner(m) - 1;
  return {buffer, i * grain_, block,
          static_cast<std::uint32_t>(m >> 32) & kSourceMask};
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
  Marks& m = marks(buffer, size, false);
  std::optional<Conflict> found;
  Mark mine = make(block + 1, source);
  Mark* readers = m.reader.get();
  const Mark* writers = m.writer.get();
  for (std::size_t i = offset / grain_; i < (offset + bytes) / grain_; ++i) {
    Mark reader = at(readers, i);
    if (reader == 0)
      readers[i] = mine;
    else if (owner(reader) != block + 1)
      readers[i] = make(kMany, source);
    Mark writer = at(writers, i);
    if (writer != 0 && owner(writer) != block + 1 && !found &&
        !excused(m, i, writer, block))
      found = conflict(buffer, i, writer);
  }
  return found;
}

std::optional<Conflict> RaceMarks::write(std::size_t buffer, std::size_t size,
                                         std::size_t offset, std::size_t bytes,
                                         std::uint32_t block,
                                         std::uint32_t source) {
  Marks& m = marks(buffer, size, true);
  std::optional<Conflict> found;
  Mark mine = make(block + 1, source);
  const Mark* readers = m.reader.get();
  Mark* writers = m.writer.get();
  for (std::size_t i = offset / grain_; i < (offset + bytes) / grain_; ++i) {
    Mark reader = at(readers, i);
    // An ordered block may write what others have read before: without
    // knowing when, only blocks that never synchronised are accused.
    if (reader != 0 && owner(reader) != block + 1 && !found &&
        (order_ == nullptr || order_->epoch(block) == 0))
      found = conflict(buffer, i, reader);
    Mark writer = at(writers, i);
    if (writer != 0 && owner(writer) != block + 1 && !found &&
        !excused(m, i, writer, block))
      found = conflict(buffer, i, writer);
    writers[i] = mine;
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
    if (x.writer == nullptr && y.writer == nullptr) continue;
    for (std::size_t i = 0; i < std::min(x.count, y.count); ++i) {
      Mark x_writes = a.at(x.writer.get(), i);
      Mark y_writes = b.at(y.writer.get(), i);
      if (x_writes == 0 && y_writes == 0) continue;
      Mark one = x_writes != 0 ? x_writes : a.at(x.reader.get(), i);
      Mark two = y_writes != 0 ? y_writes : b.at(y.reader.get(), i);
      // A block runs on one thread: marks of two threads are of two blocks.
      if (one != 0 && two != 0)
        return Clash{a.conflict(n, i, one), b.conflict(n, i, two)};
    }
  }
  return std::nullopt;
}

}  // namespace assay::ptx
