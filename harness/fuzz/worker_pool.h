// Workers of one subject that outlive a schedule: a fuzzer runs hundreds of
// them, and a process that has loaded a compiler is worth keeping.
#ifndef ASSAY_HARNESS_FUZZ_WORKER_POOL_H_
#define ASSAY_HARNESS_FUZZ_WORKER_POOL_H_

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/subject/executor.h"

namespace assay::harness {

class WorkerPool : public std::enable_shared_from_this<WorkerPool> {
 public:
  explicit WorkerPool(ExecutorFactory make) : make_(std::move(make)) {}

  // A worker that comes back to the pool when it is destroyed.
  std::unique_ptr<Executor> lend();
  void give(std::unique_ptr<Executor> executor);

 private:
  ExecutorFactory make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Executor>> idle_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_WORKER_POOL_H_
