// A subject in a process of its own, which is started when it is needed and
// replaced when it has died, was killed or broke the protocol.
#ifndef ASSAY_HARNESS_SUBJECT_WORKER_H_
#define ASSAY_HARNESS_SUBJECT_WORKER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/subject/executor.h"
#include "harness/subject/subject.h"

namespace assay::harness {

class Worker : public Executor {
 public:
  // Nothing is started yet.
  explicit Worker(SubjectConfig config);
  ~Worker() override;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the process where needed and says hello.
  Result<Identity> identify() override;
  Observation run(const Program& program, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds deadline) override;
  Observation rerun(const Program& program, const std::vector<Tensor>& inputs,
                    const std::vector<TensorType>& expected,
                    std::chrono::milliseconds deadline) override;

  // Text that the subject gives about a program, which it compiles for that;
  // empty where there is none.
  std::string explain(const Program& program, const std::string& kind) override;

  // Several of them, in the order of `kinds`; or what became of a program that
  // was not compiled.
  using Texts = std::variant<std::vector<std::string>, Observation>;
  Texts texts(const Program& program, const std::vector<std::string>& kinds);

 private:
  class Process;
  std::optional<Observation> ensure_process();
  std::optional<Observation> forget(std::chrono::milliseconds deadline);
  void repeat(const Program& program, const std::vector<Tensor>& inputs,
              const std::vector<TensorType>& expected,
              std::chrono::milliseconds deadline, Observation* seen);
  // Which device is meant, where the subject's device may be one of several.
  // There is a process.
  std::string text_for_subject(const Program& program) const;

  SubjectConfig config_;
  std::unique_ptr<Process> process_;
  std::string kept_;      // text of the program that rerun has left compiled
  bool started_ = false;  // at least once
  int failed_starts_ = 0;
  std::unique_ptr<Observation> start_failure_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_WORKER_H_
