#include "compiler/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <map>

namespace assay::compiler {
namespace {

// Turns of a loop before a thread goes to sleep: some ten microseconds, which
// is what waking it costs.
constexpr int kSpins = 400;
// Ranges per thread: what one is late with, others may take.
constexpr long kRangesPerThread = 4;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class Done>
bool spin(const Done& done) {
  for (int i = 0; i < kSpins; ++i) {
    if (done()) return true;
    pause();
  }
  return done();
}

}  // namespace

std::shared_ptr<ThreadPool> ThreadPool::shared(int threads) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<ThreadPool>> pools;
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<ThreadPool> pool = pools[threads].lock();
  if (pool == nullptr) {
    pool = std::make_shared<ThreadPool>(threads);
    pools[threads] = pool;
  }
  return pool;
}

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) {
    threads_.emplace_back([this] { serve(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void ThreadPool::run(KernelFunction kernel, void* const* buffers,
                     const std::int64_t* sizes, long parts) {
  const std::unique_lock<std::mutex> mine(busy_, std::try_to_lock);
  if (!mine.owns_lock() || threads_.empty()) {
    kernel(buffers, sizes, 0, parts);
    return;
  }
  keep_apart();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    kernel_ = kernel;
    buffers_ = buffers;
    sizes_ = sizes;
    parts_ = parts;
    const long ranges =
        kRangesPerThread * (static_cast<long>(threads_.size()) + 1);
    step_ = std::max(1L, parts / ranges);
    next_ = 0;
    open_ = true;
    ++generation_;
  }
  start_.notify_all();
  take_parts();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = false;
  }
  const auto alone = [this] { return joined_ == 0; };
  if (spin(alone)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, alone);
}

// The system likes to wake a thread on the processor of who wakes it, and may
// leave both there for milliseconds while another is idle: longer than most
// runs. So the threads may use what the caller may, but for where it is now.
// That is advice: where it cannot be had, they run where they are put.
void ThreadPool::keep_apart() {
  const int here = sched_getcpu();
  if (here == apart_from_ || here < 0) return;
  apart_from_ = here;
  cpu_set_t others;
  if (sched_getaffinity(0, sizeof others, &others) != 0) return;
  if (CPU_COUNT(&others) > 1) CPU_CLR(here, &others);
  for (std::thread& t : threads_) {
    pthread_setaffinity_np(t.native_handle(), sizeof others, &others);
  }
}

void ThreadPool::take_parts() {
  for (;;) {
    const long begin = next_.fetch_add(step_);
    if (begin >= parts_) return;
    kernel_(buffers_, sizes_, begin, std::min(begin + step_, parts_));
  }
}

void ThreadPool::serve() {
  std::uint64_t seen = 0;
  for (;;) {
    const auto called = [&] { return stop_ || generation_ != seen; };
    if (!spin(called)) {
      std::unique_lock<std::mutex> lock(mutex_);
      start_.wait(lock, called);
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stop_) return;
      seen = generation_;
      if (!open_) continue;
      ++joined_;
    }
    take_parts();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--joined_ == 0) done_.notify_one();
  }
}

}  // namespace assay::compiler
