// Threads that wait for work, shared by all artifacts that ask for as many.
#ifndef ASSAY_COMPILER_THREAD_POOL_H_
#define ASSAY_COMPILER_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "compiler/text/cpp/render.h"

namespace assay::compiler {

class ThreadPool {
 public:
  // The pool of `threads` threads, the caller of run() among them. Its threads
  // end with the last holder.
  static std::shared_ptr<ThreadPool> shared(int threads);

  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs all `parts` of `kernel`; when it returns they are done, and what they
  // wrote is seen. Several threads may call it: while one has the pool, the
  // others work alone.
  void run(KernelFunction kernel, void* const* buffers,
           const std::int64_t* sizes, long parts);

 private:
  void serve();
  void take_parts();
  void keep_apart();

  std::mutex busy_;  // held by who has the pool
  std::mutex mutex_;
  std::condition_variable start_, done_;
  // Written under mutex_, and read without it only to see whether it is worth
  // taking. Each run has the next number; it is open until who called it finds
  // no part left, and then waits for those alone who joined it.
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<int> joined_{0};
  std::atomic<bool> stop_{false};
  bool open_ = false;
  // The run: set before it opens, and left alone while somebody is in it.
  KernelFunction kernel_ = nullptr;
  void* const* buffers_ = nullptr;
  const std::int64_t* sizes_ = nullptr;
  long parts_ = 0;
  long step_ = 1;
  std::atomic<long> next_{0};
  std::vector<std::thread> threads_;
  int apart_from_ = -1;  // the processor that threads_ keep off, under busy_
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_THREAD_POOL_H_
