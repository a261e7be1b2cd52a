// The two things that the harness asks of the world outside it, as
// interfaces: something that executes programs, and something that knows what
// they must return. Tests put fakes in their place.
#ifndef ASSAY_HARNESS_EXECUTOR_H_
#define ASSAY_HARNESS_EXECUTOR_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "harness/subject.h"
#include "reference/oracle.h"

namespace assay {

// One worker of a column. Driven by one thread at a time.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Result<Identity> identify() = 0;
  // `expected` as in Worker::run.
  virtual Observation run(const Program& program,
                          const std::vector<Tensor>& inputs,
                          const std::vector<TensorType>& expected,
                          std::chrono::milliseconds deadline) = 0;
  // As Worker::rerun.
  virtual Observation rerun(const Program& program,
                            const std::vector<Tensor>& inputs,
                            const std::vector<TensorType>& expected,
                            std::chrono::milliseconds deadline) {
    return run(program, inputs, expected, deadline);
  }
};

using ExecutorFactory = std::function<std::unique_ptr<Executor>()>;

// Called by several threads at once.
class GoldenSource {
 public:
  virtual ~GoldenSource() = default;
  virtual Result<Golden> golden(const Program& program,
                                const std::vector<Tensor>& inputs,
                                const OracleOptions& options) const = 0;
  // Why the golden could not tell right from wrong; empty if it can. `share`
  // of an output's elements may admit a lazy answer.
  virtual std::string vacuity(const Golden& golden, const Program& program,
                              const std::vector<Tensor>& inputs,
                              double share) const = 0;
};

}  // namespace assay

#endif  // ASSAY_HARNESS_EXECUTOR_H_
