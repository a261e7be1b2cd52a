// A program that another worker has compiled and, instead of running it, says
// what it would launch (docs/launch-plan.md).
#ifndef ASSAY_HARNESS_WORKERS_PLANS_COMPILED_PROGRAM_H_
#define ASSAY_HARNESS_WORKERS_PLANS_COMPILED_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/workers/plans/run_plan.h"
#include "harness/workers/plans/sibling.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker {

// What the compiler's hello says of the column.
Hello hello_of(const Json& reply);

// The plan's text, of the kind "launches" or "launches+cubin".
Outcome<std::string> plan_text(Sibling* compiler, std::int64_t handle,
                               const char* kind);

// What a run that ended early is to the harness; nothing where it gave outputs.
std::optional<Failure> failure_of(const PlanRun& run);
// What PyTorch raises where a kernel of CUDA asserts.
Failure assertion_failure(const std::string& message);

class CompiledProgram : public Executable {
 public:
  CompiledProgram(Sibling* compiler, Compiled compiled)
      : compiler_(compiler),
        handle_(compiled.handle),
        lowering_(std::move(compiled.lowering)) {}
  ~CompiledProgram() override { compiler_->drop(handle_); }
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  std::optional<std::string> explain(const std::string& kind) override;
  std::string lowering() override { return lowering_; }

 protected:
  // What its guards have against these inputs.
  std::optional<Failure> check(const std::vector<Region>& inputs);

 private:
  Sibling* compiler_;
  std::int64_t handle_;
  std::string lowering_;
};

// Outputs as a handler gives them.
std::vector<Produced> produced(std::vector<Tensor> tensors);

// The bytes that run_plan takes for inputs.
std::vector<std::vector<std::byte>> contents(const std::vector<Region>& inputs);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_PLANS_COMPILED_PROGRAM_H_
