// Another worker that this one asks: a process that is started at hello, and
// again where it has died.
#ifndef ASSAY_HARNESS_WORKERS_PLANS_SIBLING_H_
#define ASSAY_HARNESS_WORKERS_PLANS_SIBLING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/subject/child.h"
#include "harness/wire/wire.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker {

Failure internal(std::string message);

// Empty where the field is no text.
std::string text_at(const Json& json, const char* name);

// A program that it holds.
struct Compiled {
  std::int64_t handle = 0;
  std::string lowering;  // as Executable's
};

class Sibling {
 public:
  // It sees the same shared memory.
  Sibling(std::vector<std::string> command, int shm)
      : command_(std::move(command)), shm_(shm) {}

  // A new process, greeted so, now and whenever it has to be replaced.
  Outcome<Json> hello(const std::string& target, const Json& options);

  // Nothing where there is a process that has said hello; starts one where
  // there is none.
  std::optional<Failure> start();

  // The reply, or why there is none that says "ok".
  Outcome<Json> ask(const Json& request);

  Outcome<Compiled> compile(const std::string& program,
                            const std::string& target, const Json& options);
  void drop(std::int64_t handle);

  // Ends the process; the next request starts another one.
  void replace() { child_.reset(); }
  // Which process this is, from 1 on, and 0 where there is none: handles are of
  // one of them.
  int generation() const { return child_ && child_->alive() ? generation_ : 0; }

 private:
  std::vector<std::string> command_;
  int shm_;
  int generation_ = 0;
  std::unique_ptr<WorkerChild> child_;
  Json hello_;    // the request
  Json greeted_;  // the reply to it
};

Json inputs_json(const std::vector<Region>& inputs);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_SIBLING_H_
