// What executes programs, as an interface: tests put fakes in its place.
#ifndef ASSAY_HARNESS_SUBJECT_EXECUTOR_H_
#define ASSAY_HARNESS_SUBJECT_EXECUTOR_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "harness/subject/observation.h"

namespace assay::harness {

// Who a subject says it is.
struct Identity {
  std::string column;  // "inductor@2.11.0/cpu"
  std::map<std::string, std::string> facts;
  bool slow_compile = false;
};

// Driven by one thread at a time.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Result<Identity> identify() = 0;

  // Compiles and runs one program. `expected` gives the types of outputs for
  // subjects that do not allocate them (empty where the program must raise).
  virtual Observation run(const Program& program,
                          const std::vector<Tensor>& inputs,
                          const std::vector<TensorType>& expected,
                          std::chrono::milliseconds deadline) = 0;

  // Like run, but keeps the compiled program for the next rerun of it.
  virtual Observation rerun(const Program& program,
                            const std::vector<Tensor>& inputs,
                            const std::vector<TensorType>& expected,
                            std::chrono::milliseconds deadline) {
    return run(program, inputs, expected, deadline);
  }

  // What the subject has to say of the program it compiled, of a kind that
  // docs/subject-protocol.md names ("ptx"); empty where it says nothing.
  virtual std::string explain(const Program& /*program*/,
                              const std::string& /*kind*/) {
    return {};
  }
};

using ExecutorFactory = std::function<std::unique_ptr<Executor>()>;

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_EXECUTOR_H_
