#include "harness/fuzz/worker_pool.h"

namespace assay::harness {
namespace {

class Lent : public Executor {
 public:
  Lent(std::unique_ptr<Executor> inner, std::shared_ptr<WorkerPool> pool)
      : inner_(std::move(inner)), pool_(std::move(pool)) {}
  ~Lent() override { pool_->give(std::move(inner_)); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  Result<Identity> identify() override { return inner_->identify(); }
  Observation run(const Program& program, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds deadline) override {
    return inner_->run(program, inputs, expected, deadline);
  }
  Observation rerun(const Program& program, const std::vector<Tensor>& inputs,
                    const std::vector<TensorType>& expected,
                    std::chrono::milliseconds deadline) override {
    return inner_->rerun(program, inputs, expected, deadline);
  }
  std::string explain(const Program& program,
                      const std::string& kind) override {
    return inner_->explain(program, kind);
  }

 private:
  std::unique_ptr<Executor> inner_;
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace

std::unique_ptr<Executor> WorkerPool::lend() {
  std::unique_ptr<Executor> inner;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      inner = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!inner) inner = make_();
  return std::make_unique<Lent>(std::move(inner), shared_from_this());
}

void WorkerPool::give(std::unique_ptr<Executor> executor) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(executor));
}

}  // namespace assay::harness
