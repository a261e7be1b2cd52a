// A started worker that has said hello, with its shared memory and at most
// one compiled program.
#ifndef ASSAY_HARNESS_WORKER_PROCESS_H_
#define ASSAY_HARNESS_WORKER_PROCESS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/shm.h"
#include "harness/subject.h"
#include "harness/worker_child.h"
#include "harness/worker_reply.h"

namespace assay {

class Worker::Process {
 public:
  // The process, or the observation that every program of it would be.
  static std::variant<std::unique_ptr<Process>, Observation> start(
      const SubjectConfig& config);

  const HelloReply& hello() const { return hello_; }
  bool alive() { return child_->alive(); }
  // Grown so large that a fresh one is the better choice.
  bool bloated() const;

  // Nothing on success.
  std::optional<Observation> compile(const std::string& text,
                                     std::chrono::milliseconds deadline);

  // Requires a compiled program.
  Observation run(const Program& program, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds deadline);

  std::string explain(const std::string& kind,
                      std::chrono::milliseconds deadline);

  // Gives the compiled program up, while its case can still be blamed for
  // what that does. Nothing on success, or if none is compiled.
  std::optional<Observation> drop(std::chrono::milliseconds deadline);

 private:
  Process(const SubjectConfig& config, SharedMemory memory,
          std::unique_ptr<WorkerChild> child)
      : config_(config), memory_(std::move(memory)), child_(std::move(child)) {}

  const SubjectConfig& config_;
  SharedMemory memory_;
  std::unique_ptr<WorkerChild> child_;
  HelloReply hello_;
  std::optional<std::int64_t> handle_;
  // Breaches of hello, and of the last compile: they hold for every run.
  std::vector<std::string> hello_breaches_, compile_breaches_;
};

}  // namespace assay

#endif  // ASSAY_HARNESS_WORKER_PROCESS_H_
