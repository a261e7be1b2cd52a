// A stand-alone Python file that shows a case without Assay: plain torch, JAX
// or ONNX Runtime, inputs and acceptance sets as bit patterns.
#ifndef ASSAY_HARNESS_COMMANDS_CASES_REPRO_PYTHON_H_
#define ASSAY_HARNESS_COMMANDS_CASES_REPRO_PYTHON_H_

#include <map>
#include <set>
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

// A library that is not torch, whose worker prints a program for it: as
// make(constants...) in Python, which gives what run(program, inputs) of the
// file's head calls.
struct ReproLibrary {
  const char* subject;  // "jax"
  const char* name;     // "JAX"
  const char* judged;   // what breaks the promise: "XLA"
  const char* head;     // of the file
};

// Of a subject's spelling; null where a file for it is one for torch.
const ReproLibrary* repro_library(const std::string& spelling);

struct ReproInput {
  const cases::Case* source = nullptr;
  std::vector<Tensor> inputs;
  std::optional<reference::GoldenError> error;  // what must be raised, or
  std::vector<std::vector<ReproSets>> sets;     // per output, its alternatives
  std::vector<std::string> notes;               // for the file's head
  std::set<std::string> lists;  // overloads that return lists of tensors
  std::string backend = "inductor";
  std::string options = "{}";  // JSON, of torch.compile
  // Where the file is for a library and not for torch. It must not be for an
  // error.
  const ReproLibrary* library = nullptr;
  // As the library's worker prints it, or torch's, make(torch, math,
  // constants...), where an option says how it is written.
  std::string program;
};

std::string repro_python(const ReproInput& input);

// A call's argument as Python writes it.
std::string python_arg(const Arg& arg, const Program& program);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_COMMANDS_CASES_REPRO_PYTHON_H_
