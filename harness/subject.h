// What the harness knows of a subject and of what it did with a case.
#ifndef ASSAY_HARNESS_SUBJECT_H_
#define ASSAY_HARNESS_SUBJECT_H_

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "core/torch_version.h"

namespace assay {

// How to start a worker, and what column it fills.
struct SubjectConfig {
  std::string spelling;              // as on the command line: "torch:inductor"
  std::vector<std::string> command;  // argv of the worker
  std::map<std::string, std::string> environment;  // added to ours
  std::map<std::string, std::string> options;      // passed to compile
  std::string target = "cpu";
  bool plugin = false;    // outputs are allocated by the harness
  bool versioned = true;  // the column's name holds the version
  // For starting the process and its first answer.
  std::chrono::milliseconds hello_deadline{180000};
};

struct Identity {
  std::string column;  // "inductor@2.11.0/cpu"
  std::map<std::string, std::string> facts;
  bool slow_compile = false;
};

struct RaisedError {
  std::string exception;
  std::vector<std::string> classes;
  std::string clause;  // where the subject names the promise itself
  std::string message;
  std::string phase;  // "compile" or "run"
};

// What a subject did with one program.
struct Observation {
  enum class Kind {
    returned,     // outputs
    raised,       // error
    unsupported,  // detail
    crashed,      // detail: signal or exit code and last words
    timed_out,    // detail: phase and deadline
    out_of_memory,
    malformed,  // detail: the subject broke the protocol
  };
  Kind kind = Kind::returned;
  std::vector<Tensor> outputs;
  RaisedError error;
  std::string detail;
  // Breaches of the protocol seen although the call returned: "P1: ...".
  std::vector<std::string> breaches;
  double seconds = 0;
  TorchVersion torch = kDefaultTorch;  // the release that the subject follows
};

// By the fact "torch" of a column, the pinned release where it has none.
TorchVersion followed_release(const std::map<std::string, std::string>& facts);

// One worker process, restarted when it dies. Not thread-safe: one thread
// drives one worker.
class Worker {
 public:
  explicit Worker(SubjectConfig config);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the process where needed and says hello.
  Result<Identity> identify();

  // Compiles and runs one program. `expected` gives the types of outputs for
  // subjects that do not allocate them (empty where the program must raise).
  Observation run(const Program& program, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds deadline);

  // Like run, but keeps the compiled program, for the next rerun of it.
  Observation rerun(const Program& program, const std::vector<Tensor>& inputs,
                    const std::vector<TensorType>& expected,
                    std::chrono::milliseconds deadline);

  // Text that the subject gives about a program, which it compiles for that;
  // empty where there is none.
  std::string explain(const Program& program, const std::string& kind);

 private:
  class Process;
  std::optional<Observation> ensure_process();
  std::optional<Observation> forget(std::chrono::milliseconds deadline);

  SubjectConfig config_;
  std::unique_ptr<Process> process_;
  std::string kept_;      // text of the program that rerun has left compiled
  bool started_ = false;  // at least once
  int failed_starts_ = 0;
  std::unique_ptr<Observation> start_failure_;
};

// Reads a subject's spelling: eager, eager{isa=avx2}, bundled,
// bundled{defect=drop-cast}, plugin:/path/to.so, torch:inductor,
// torch:inductor@2.15.0, torch:inductor{"numerics":"strict"},
// worker:/path/to/program. Errors say what is known.
Result<SubjectConfig> parse_subject(const std::string& spelling);

// The default columns of this machine: eager per ISA level, bundled,
// torch:inductor.
std::vector<std::string> default_subjects();

}  // namespace assay

#endif  // ASSAY_HARNESS_SUBJECT_H_
