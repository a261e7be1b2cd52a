#include "harness/run/golden_shelf.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace assay::harness {
namespace {

// Goldens made ahead of need: enough to keep a thread busy, not so many that
// they fill the memory.
constexpr std::size_t kAhead = 256;

}  // namespace

GoldenShelf::GoldenShelf(const Adjudicator& adjudicator,
                         std::vector<const cases::Case*> cases,
                         std::vector<int> readers)
    : adjudicator_(adjudicator),
      cases_(std::move(cases)),
      slots_(cases_.size()),
      took_(cases_.size(), 0) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].readers = readers[i];
    if (readers[i] == 0) slots_[i].state = State::gone;
  }
}

const PreparedCase& GoldenShelf::make(std::size_t index) {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<PreparedCase> made = adjudicator_.prepare(*cases_[index]);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  std::vector<Then> waiting;
  const PreparedCase* prepared = made.get();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Slot& slot = slots_[index];
    slot.prepared = std::move(made);
    slot.state = State::ready;
    waiting.swap(slot.waiting);
    ++held_;
    took_[index] = took.count();
  }
  ready_.notify_all();
  for (const Then& then : waiting) then(*prepared);
  return *prepared;
}

void GoldenShelf::with(std::size_t index, Then then) {
  std::unique_lock<std::mutex> lock(mutex_);
  Slot& slot = slots_[index];
  if (slot.state == State::ready) {
    const PreparedCase& prepared = *slot.prepared;
    lock.unlock();
    then(prepared);
    return;
  }
  // Whoever makes the golden is queued like any other, so that it runs before
  // the golden can be released by those that queue behind it.
  slot.waiting.push_back(std::move(then));
  if (slot.state == State::in_work) return;
  slot.state = State::in_work;
  lock.unlock();
  make(index);
}

const PreparedCase& GoldenShelf::get(std::size_t index) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    Slot& slot = slots_[index];
    ready_.wait(lock, [&] { return slot.state != State::in_work; });
    if (slot.state == State::ready) return *slot.prepared;
    slot.state = State::in_work;
  }
  return make(index);
}

bool GoldenShelf::prefetch() {
  std::size_t index = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (held_ >= kAhead) return false;
    while (next_ < slots_.size() && slots_[next_].state != State::untouched) {
      ++next_;
    }
    if (next_ == slots_.size()) return false;
    index = next_;
    slots_[index].state = State::in_work;
  }
  make(index);
  return true;
}

void GoldenShelf::release(std::size_t index) {
  std::unique_ptr<PreparedCase> done;
  const std::lock_guard<std::mutex> lock(mutex_);
  Slot& slot = slots_[index];
  if (--slot.readers > 0) return;
  slot.state = State::gone;
  if (slot.prepared) --held_;
  done = std::move(slot.prepared);
}

double GoldenShelf::seconds() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::accumulate(took_.begin(), took_.end(), 0.0);
}

std::vector<std::pair<double, std::size_t>> GoldenShelf::slowest(
    std::size_t count) const {
  std::vector<std::pair<double, std::size_t>> out;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < took_.size(); ++i) out.emplace_back(took_[i], i);
  std::sort(out.rbegin(), out.rend());
  if (out.size() > count) out.resize(count);
  return out;
}

}  // namespace assay::harness
