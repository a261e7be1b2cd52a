// A stand-alone Python file that shows a case without Assay: plain torch or
// plain JAX, inputs and acceptance sets as bit patterns.
#ifndef ASSAY_HARNESS_COMMANDS_CASES_REPRO_PYTHON_H_
#define ASSAY_HARNESS_COMMANDS_CASES_REPRO_PYTHON_H_

#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "reference/oracle/oracle.h"
#include "suite/cases/case.h"

namespace assay::harness {

// The sets of one output, for the case that other outputs came back as
// `given` (by output; empty: whatever they are).
struct ReproSets {
  std::map<std::size_t, Tensor> given;
  reference::GoldenOutput golden;
};

struct ReproInput {
  const cases::Case* source = nullptr;
  std::vector<Tensor> inputs;
  std::optional<reference::GoldenError> error;  // what must be raised, or
  std::vector<std::vector<ReproSets>> sets;     // per output, its alternatives
  std::vector<std::string> notes;               // for the file's head
  std::string backend = "inductor";
  std::string options = "{}";  // JSON, of torch.compile
  // The program in plain JAX, as make(constants) in Python; then the file is
  // for that and not for torch, and must not be for an error.
  std::string jax;
};

std::string repro_python(const ReproInput& input);

// A call's argument as Python writes it.
std::string python_arg(const Arg& arg, const Program& program);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_CASES_REPRO_PYTHON_H_
